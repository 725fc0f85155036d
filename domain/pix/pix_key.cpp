#include "domain/pix/pix_key.h"

#include <algorithm>
#include <cstddef>

#include "base/text/ascii.h"
#include "base/values/internet_address.h"
#include "domain/values/document.h"

namespace pixledger::domain {
namespace {

// "+55", an area code of two digits, a subscriber's number of eight or nine.
bool is_brazilian_phone(std::string_view text) {
  return (text.size() == 13 || text.size() == 14) && text.substr(0, 3) == "+55" &&
         all_ascii_digits(text.substr(3));
}

bool is_lower_case_uuid(std::string_view text) {
  if (text.size() != 36) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool hyphen_due = i == 8 || i == 13 || i == 18 || i == 23;
    const bool hexadecimal = is_ascii_digit(text[i]) || (text[i] >= 'a' && text[i] <= 'f');
    if (hyphen_due ? text[i] != '-' : !hexadecimal) return false;
  }
  return true;
}

bool is_email_key(std::string_view text) {
  return text.size() <= 77 && EmailAddress::parse(text).has_value();
}

// 10 to 13 digits, with or without the country code, with any separators.
bool looks_like_phone(std::string_view text) {
  if (text.find_first_not_of("0123456789+()- ") != std::string_view::npos) return false;
  const auto digits = std::count_if(text.begin(), text.end(), is_ascii_digit);
  return digits >= 10 && digits <= 13;
}

}  // namespace

std::optional<PixKey> PixKey::parse(std::string_view text) {
  const auto document = Document::parse(to_upper_case(text));
  if (document && has_valid_check_digits(*document)) return PixKey(document->text());
  auto key = to_lower_case(text);
  if (is_brazilian_phone(key) || is_lower_case_uuid(key) || is_email_key(key)) return PixKey(std::move(key));
  return std::nullopt;
}

std::optional<PixKey> PixKey::parse_stored(std::string_view text) {
  if (Document::parse(text)) return PixKey(std::string(text));
  return parse(text);
}

std::string_view PixKey::rule_for(std::string_view text) {
  return looks_like_phone(text) ? kPhoneRule : kRule;
}

std::string masked(const PixKey& key) {
  auto text = key.text();
  const auto end = std::min<std::size_t>(text.size() / 4, 4);
  std::fill(text.begin() + static_cast<std::ptrdiff_t>(end), text.end() - static_cast<std::ptrdiff_t>(end),
            '*');
  return text;
}

PixKey sandbox_pix_key() { return *PixKey::parse("sandbox@pixledger.invalid"); }

}  // namespace pixledger::domain
