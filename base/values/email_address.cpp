#include "base/values/email_address.h"

#include <cstddef>

#include "base/text/ascii.h"
#include "base/values/origin_host.h"

namespace pixledger {
namespace {

// RFC 5322 §3.2.3, `atext`.
bool is_atom_character(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-/=?^_`{|}~";
  return is_ascii_alnum(c) || kSigns.find(c) != std::string_view::npos;
}

bool is_dot_string(std::string_view text) {
  bool after_dot = true;  // as at the start: a dot may not stand here
  for (const char c : text) {
    if (c == '.' ? after_dot : !is_atom_character(c)) return false;
    after_dot = c == '.';
  }
  return !after_dot;
}

}  // namespace

std::optional<EmailAddress> EmailAddress::parse(std::string_view text) {
  if (text.size() > 254) return std::nullopt;
  const std::size_t at = text.find('@');
  if (at == std::string_view::npos || at > 64) return std::nullopt;
  const std::string_view host = text.substr(at + 1);
  if (host.find('.') == std::string_view::npos || !is_host_name(host)) return std::nullopt;
  if (!is_dot_string(text.substr(0, at))) return std::nullopt;
  return EmailAddress(std::string(text));
}

}  // namespace pixledger
