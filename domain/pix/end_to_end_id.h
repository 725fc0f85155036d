#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/values/timestamp.h"

namespace pixledger::domain {

// The name that the instant payments system gives to a payment. Case matters.
//
// Any 32 letters and digits are one: the API Pix promises no more of what banks report, and money that came
// in must be recorded, found and settled under whatever name it has. Where a person types in a new one, or it
// is looked for in free text, has_usual_form() finds slips.
class EndToEndId {
 public:
  static constexpr std::string_view kRule =
      "must be an end-to-end id: 32 letters or digits, such as E18236120202603011200s1a2b3c4d5e";
  static constexpr std::string_view kUsualFormRule =
      "must be an end-to-end id: E, 8 digits or capitals, a date and time as yyyyMMddHHmm, 11 letters or "
      "digits";

  static std::optional<EndToEndId> parse(std::string_view text);

  // `E`, the payer's institution (ISPB, 8 digits or capital letters), a minute that exists, in UTC
  // (yyyyMMddHHmm), and 11 letters or digits.
  bool has_usual_form() const;

  const std::string& text() const { return text_; }

  friend auto operator<=>(const EndToEndId&, const EndToEndId&) = default;

 private:
  explicit EndToEndId(std::string text) : text_(std::move(text)) {}

  std::string text_;
};

// The id of a payment that was only simulated, with 00000000 as the institution. It has the form of a real
// one, so only the charge's environment tells that no money moved. `now` must lie in the years 1970 to 9999.
std::string synthesize_end_to_end_id(Timestamp now, std::uint64_t random);

}  // namespace pixledger::domain
