#include "domain/pix/payment_minute.h"

#include <cstddef>
#include <string>

namespace pixledger::domain {
namespace {

constexpr std::size_t kMinuteBegin = 9;    // after E and the institution
constexpr std::size_t kMinuteDigits = 12;  // yyyyMMddHHmm

}  // namespace

std::optional<Timestamp> minute_of(const EndToEndId& id) {
  if (!id.has_usual_form()) return std::nullopt;
  const auto digits = std::string_view(id.text()).substr(kMinuteBegin, kMinuteDigits);
  std::string written;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i == 4 || i == 6) written += '-';
    if (i == 8) written += 'T';
    if (i == 10) written += ':';
    written += digits[i];
  }
  return parse_iso8601(written + ":00Z");
}

}  // namespace pixledger::domain
