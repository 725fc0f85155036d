#include "web/site/pages/local_time.h"

#include <chrono>
#include <cstdio>
#include <date/tz.h>
#include <stdexcept>

#include "domain/values/money_text.h"

namespace pixledger::web {
namespace {

using Millis = std::chrono::milliseconds;

struct Local {
  date::sys_time<Millis> time;
  bool is_of_zone;
};

Local local(Timestamp moment, std::string_view zone) {
  const date::sys_time<Millis> time{Millis(moment.millis())};
  try {
    return {time + date::locate_zone(std::string(zone))->get_info(time).offset, true};
  } catch (const std::runtime_error&) {
    return {time, false};
  }
}

}  // namespace

std::string local_time(Timestamp moment, std::string_view zone, Language language) {
  constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                     "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  const auto shown = local(moment, zone);
  const auto day = date::floor<date::days>(shown.time);
  const date::year_month_day date(day);
  const date::hh_mm_ss<std::chrono::minutes> clock(date::floor<std::chrono::minutes>(shown.time - day));
  const auto day_of_month = static_cast<unsigned>(date.day());
  const auto month = static_cast<unsigned>(date.month());
  const int hours = static_cast<int>(clock.hours().count()),
            minutes = static_cast<int>(clock.minutes().count());
  char text[64];
  if (language == Language::kEnglish)
    std::snprintf(text, sizeof text, "%u %s %d, %02d:%02d", day_of_month, kMonths[month - 1],
                  static_cast<int>(date.year()), hours, minutes);
  else
    std::snprintf(text, sizeof text, "%02u/%02u/%d às %02d:%02d", day_of_month, month,
                  static_cast<int>(date.year()), hours, minutes);
  return shown.is_of_zone ? std::string(text) : std::string(text) + " UTC";
}

std::string money_text(domain::Cents amount, Language language) {
  auto text = domain::to_reais(amount);
  if (language == Language::kPortuguese) return text;
  for (char& c : text) c = c == '.' ? ',' : c == ',' ? '.' : c;
  return text;
}

}  // namespace pixledger::web
