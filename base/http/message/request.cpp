#include "base/http/message/request.h"

#include <algorithm>
#include <cassert>

#include "base/http/message/syntax.h"
#include "base/text/ascii.h"
#include "base/text/enum_names.h"

namespace pixledger::http {
namespace {

constexpr EnumNames<Method::kGet, Method::kOther> kMethodNames{
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "another method"};

}  // namespace

std::string_view method_name(Method method) { return kMethodNames.of(method); }

void Headers::add(std::string_view name, std::string_view value) {
  const auto at = static_cast<std::uint32_t>(block_.size());
  const auto name_bytes = static_cast<std::uint32_t>(name.size());
  const auto value_bytes = static_cast<std::uint32_t>(value.size());
  block_.append(name).append(value);
  fields_.push_back({at, name_bytes, at + name_bytes, value_bytes});
}

void Headers::clear() {
  block_.clear();
  fields_.clear();
}

std::string_view Headers::name(const Field& field) const {
  return std::string_view(block_).substr(field.name_at, field.name_bytes);
}

std::optional<std::string_view> Headers::find(std::string_view wanted) const {
  for (const Field& field : fields_) {
    if (equal_without_case(name(field), wanted)) {
      return std::string_view(block_).substr(field.value_at, field.value_bytes);
    }
  }
  return std::nullopt;
}

std::size_t Headers::count(std::string_view wanted) const {
  const auto same = [&](const Field& field) { return equal_without_case(name(field), wanted); };
  return static_cast<std::size_t>(std::count_if(fields_.begin(), fields_.end(), same));
}

std::string Headers::joined(std::string_view wanted) const {
  std::string values;
  bool is_first = true;
  for (const Field& field : fields_) {
    if (!equal_without_case(name(field), wanted)) continue;
    if (!is_first) values += ',';
    is_first = false;
    values += std::string_view(block_).substr(field.value_at, field.value_bytes);
  }
  return values;
}

const std::string& Request::path_parameter(std::string_view name) const {
  const auto same = [&](const PathParameter& parameter) { return parameter.name == name; };
  const auto found = std::find_if(path_parameters.begin(), path_parameters.end(), same);
  assert(found != path_parameters.end());
  return found->value;
}

namespace {

std::string_view without_quotes(std::string_view value) {
  const bool quoted = value.size() >= 2 && value.front() == '"' && value.back() == '"';
  return quoted ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

bool prefers_lenient(const Headers& headers) {
  if (!headers.find("Prefer")) return false;
  const std::string preferences = headers.joined("Prefer");
  std::string_view rest = preferences;
  while (!rest.empty()) {
    std::string_view preference = next_item(rest, ',');
    std::string_view value = next_item(preference, ';');
    const std::string_view name = next_item(value, '=');
    if (equal_without_case(name, "handling"))
      return equal_without_case(without_quotes(without_blanks(value)), "lenient");
  }
  return false;
}

namespace {

// Removes the item after the last comma from `rest` and returns it without surrounding blanks.
std::string_view last_item(std::string_view& rest) {
  const std::size_t comma = rest.rfind(',');
  const std::string_view item = comma == std::string_view::npos ? rest : rest.substr(comma + 1);
  rest = comma == std::string_view::npos ? std::string_view() : rest.substr(0, comma);
  return without_blanks(item);
}

}  // namespace

bool accepts_gzip(const Headers& headers) {
  const std::string codings = headers.joined("Accept-Encoding");
  std::string_view rest = codings;
  bool anything = false;
  while (!rest.empty()) {
    std::string_view item = next_item(rest, ',');
    const std::string_view coding = next_item(item, ';');
    const bool wanted = weight_of(item) > 0;
    if (equal_without_case(coding, "gzip") || equal_without_case(coding, "x-gzip")) return wanted;
    if (coding == "*") anything = wanted;
  }
  return anything;
}

IpAddress forwarded_caller(const IpAddress& peer, const Headers& headers,
                           const std::vector<Cidr>& trusted_proxies) {
  assert(is_within(peer, trusted_proxies));
  const std::string forwarded = headers.joined("X-Forwarded-For");
  std::string_view rest = forwarded;
  auto caller = peer;
  while (!rest.empty() && is_within(caller, trusted_proxies)) {
    const auto before = IpAddress::parse(last_item(rest));
    if (!before) return caller;
    caller = before->unmapped();
  }
  return caller;
}

}  // namespace pixledger::http
