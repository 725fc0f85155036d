#include "base/values/internet_address.h"

#include <algorithm>
#include <cstddef>

#include "base/text/ascii.h"

namespace pixledger {
namespace {

// RFC 5322 §3.2.3, `atext`.
bool is_atom_character(char c) {
  constexpr std::string_view kSigns = "!#$%&'*+-/=?^_`{|}~";
  return is_ascii_alnum(c) || kSigns.find(c) != std::string_view::npos;
}

bool is_dot_string(std::string_view text) {
  bool after_dot = true;  // at the start too, no dot is allowed
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

namespace {

bool is_label(std::string_view label, HostNames names) {
  if (label.empty() || label.size() > 63) return false;
  if (label.front() == '-' || label.back() == '-') return false;
  return std::all_of(label.begin(), label.end(), [&](char c) {
    return is_ascii_alnum(c) || c == '-' || (c == '_' && names == HostNames::kWithUnderscores);
  });
}

}  // namespace

bool is_host_name(std::string_view text) { return is_host_name(text, HostNames::kStrict); }

bool is_host_name(std::string_view text, HostNames names) {
  if (text.size() > 253) return false;
  while (true) {
    const std::size_t dot = text.find('.');
    if (!is_label(text.substr(0, dot), names)) return false;
    if (dot == std::string_view::npos) return true;
    text.remove_prefix(dot + 1);
  }
}

std::string_view host_name_rule(std::string_view text, std::string_view otherwise) {
  const bool has_underscores = !is_host_name(text) && is_host_name(text, HostNames::kWithUnderscores);
  return has_underscores ? kNoUnderscoreRule : otherwise;
}

std::optional<OriginHost> OriginHost::parse(std::string_view text) {
  if (!is_host_name(text)) return std::nullopt;
  return OriginHost(to_lower_case(text));
}

}  // namespace pixledger
