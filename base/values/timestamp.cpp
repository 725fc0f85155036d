#include "base/values/timestamp.h"

#include <cassert>

#include "base/text/ascii.h"
#include "base/values/civil_date.h"

namespace pixledger {
namespace {

constexpr std::int64_t kSecondMs = 1000;

char* write_digits(char* out, std::uint32_t number, int digits) {
  for (int i = digits - 1; i >= 0; --i) {
    out[i] = static_cast<char>('0' + number % 10);
    number /= 10;
  }
  return out + digits;
}

// Consumes fixed parts from the front of a text; functions return false or nullopt if the part is missing.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  bool at_end() const { return rest_.empty(); }

  bool take(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  std::optional<int> take_number(std::size_t digits) {
    if (rest_.size() < digits || !all_ascii_digits(rest_.substr(0, digits))) return std::nullopt;
    int number = 0;
    for (const char c : rest_.substr(0, digits)) number = number * 10 + (c - '0');
    rest_.remove_prefix(digits);
    return number;
  }

  // Consumes leading digits, possibly none.
  std::string_view take_digits() {
    std::size_t size = 0;
    while (size < rest_.size() && is_ascii_digit(rest_[size])) ++size;
    const std::string_view digits = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return digits;
  }

 private:
  std::string_view rest_;
};

// Milliseconds from the epoch to midnight UTC of the date.
std::optional<std::int64_t> take_date(Reader& reader) {
  const auto year = reader.take_number(4);
  if (!year || !reader.take('-')) return std::nullopt;
  const auto month = reader.take_number(2);
  if (!month || !reader.take('-')) return std::nullopt;
  const auto day = reader.take_number(2);
  if (!day) return std::nullopt;
  const CivilDate date{*year, static_cast<unsigned>(*month), static_cast<unsigned>(*day)};
  if (!is_real_date(date)) return std::nullopt;
  return days_from_civil(date) * kDayMs;
}

// "hh:mm" as milliseconds.
std::optional<std::int64_t> take_hours_and_minutes(Reader& reader) {
  const auto hours = reader.take_number(2);
  if (!hours || *hours > 23 || !reader.take(':')) return std::nullopt;
  const auto minutes = reader.take_number(2);
  if (!minutes || *minutes > 59) return std::nullopt;
  return *hours * kHourMs + *minutes * kMinuteMs;
}

std::optional<std::int64_t> take_seconds(Reader& reader) {
  const auto seconds = reader.take_number(2);
  if (!seconds || *seconds > 59) return std::nullopt;
  std::int64_t millis = *seconds * kSecondMs;
  if (!reader.take('.')) return millis;

  const std::string_view fraction = reader.take_digits();
  if (fraction.empty() || fraction.size() > 9) return std::nullopt;
  std::int64_t unit = 100;
  for (const char c : fraction) {
    millis += (c - '0') * unit;
    unit /= 10;
  }
  return millis;
}

// The offset of the text's local time from UTC.
std::optional<std::int64_t> take_offset(Reader& reader) {
  if (reader.take('Z')) return 0;
  const bool ahead = reader.take('+');
  if (!ahead && !reader.take('-')) return std::nullopt;
  const auto offset = take_hours_and_minutes(reader);
  if (!offset) return std::nullopt;
  return ahead ? *offset : -*offset;
}

}  // namespace

Timestamp Timestamp::plus_millis(std::int64_t duration_ms) const {
  std::int64_t sum = 0;
  [[maybe_unused]] const bool overflowed = __builtin_add_overflow(millis_, duration_ms, &sum);
  assert(!overflowed);
  return Timestamp(sum);
}

std::string to_iso8601(Timestamp moment) {
  std::string text(kIso8601Size, '\0');
  write_iso8601(moment, text.data());
  return text;
}

char* write_iso8601(Timestamp moment, char* out) {
  assert(moment >= Timestamp(0) && moment <= kLastTimestamp);
  const CivilDate date = civil_from_days(moment.millis() / kDayMs);
  const auto millis_of_day = static_cast<std::uint32_t>(moment.millis() % kDayMs);
  const std::uint32_t seconds_of_day = millis_of_day / 1000;
  out = write_digits(out, static_cast<std::uint32_t>(date.year), 4);
  *out++ = '-';
  out = write_digits(out, date.month, 2);
  *out++ = '-';
  out = write_digits(out, date.day, 2);
  *out++ = 'T';
  out = write_digits(out, seconds_of_day / 3600, 2);
  *out++ = ':';
  out = write_digits(out, seconds_of_day / 60 % 60, 2);
  *out++ = ':';
  out = write_digits(out, seconds_of_day % 60, 2);
  *out++ = '.';
  out = write_digits(out, millis_of_day % 1000, 3);
  *out++ = 'Z';
  return out;
}

std::optional<Timestamp> parse_iso8601(std::string_view text) {
  Reader reader(text);
  const auto date = take_date(reader);
  if (!date || !reader.take('T')) return std::nullopt;
  const auto hours_and_minutes = take_hours_and_minutes(reader);
  if (!hours_and_minutes || !reader.take(':')) return std::nullopt;
  const auto seconds = take_seconds(reader);
  if (!seconds) return std::nullopt;
  const auto offset = take_offset(reader);
  if (!offset || !reader.at_end()) return std::nullopt;

  const Timestamp moment(*date + *hours_and_minutes + *seconds - *offset);
  if (moment < Timestamp(0) || moment > kLastTimestamp) return std::nullopt;
  return moment;
}

std::optional<Timestamp> parse_date(std::string_view text) {
  Reader reader(text);
  const auto date = take_date(reader);
  if (!date || !reader.at_end()) return std::nullopt;
  return Timestamp(*date);
}

std::optional<GivenTime> GivenTime::parse(std::string_view text) {
  if (const auto midnight = parse_date(text)) return GivenTime(WholeDay{midnight->millis() / kDayMs});
  if (const auto moment = parse_iso8601(text)) return GivenTime(*moment);
  return std::nullopt;
}

std::optional<WholeDay> GivenTime::day() const {
  const auto* day = std::get_if<WholeDay>(&given_);
  return day ? std::optional(*day) : std::nullopt;
}

std::optional<Timestamp> GivenTime::moment() const {
  const auto* moment = std::get_if<Timestamp>(&given_);
  return moment ? std::optional(*moment) : std::nullopt;
}

}  // namespace pixledger
