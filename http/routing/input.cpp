#include "http/routing/input.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/message/syntax.h"
#include "base/text/ascii.h"

namespace pixledger::http {
namespace {

// Whether a letter or digit is escaped, which no client needs (RFC 3986 §2.3). With one spelling a name, a
// proxy's rule or a log's filter for a parameter misses none.
bool hides_a_letter(std::string_view name) {
  for (std::size_t at = name.find('%'); at != std::string_view::npos; at = name.find('%', at + 1)) {
    if (name.size() - at < 3) return false;
    const int high = hex_digit(name[at + 1]);
    const int low = hex_digit(name[at + 2]);
    if (high >= 0 && high < 8 && low >= 0 && is_ascii_alnum(static_cast<char>(high * 16 + low))) return true;
  }
  return false;
}

// The decoded name; as sent if it cannot be a known name.
std::string parameter_name(std::string_view sent) {
  if (hides_a_letter(sent)) return std::string(sent);
  return percent_decode(sent, Plus::kIsBlank).value_or(std::string(sent));
}

Json& begin_meta(Json& json, const Page& page, std::size_t total) {
  json.key("meta").begin_object();
  json.field("total", total);
  json.field("page", page.number);
  json.field("limit", page.limit);
  json.field("totalPages", (total + page.limit - 1) / page.limit);
  return json;
}

}  // namespace

Query::Query(std::string_view raw) {
  while (!raw.empty()) {
    const std::size_t end = raw.find('&');
    const std::string_view pair = raw.substr(0, end);
    raw = end == std::string_view::npos ? std::string_view() : raw.substr(end + 1);

    if (pair.empty()) continue;
    const std::size_t equals = pair.find('=');
    const std::string_view name = pair.substr(0, equals);
    const auto value = equals == std::string_view::npos ? std::string_view() : pair.substr(equals + 1);
    parameters_.push_back({parameter_name(name), value});
  }
}

std::optional<std::string> Query::value(std::string_view name, Violations& violations) const {
  asked_.push_back(name);
  const Parameter* found = nullptr;
  for (const Parameter& parameter : parameters_) {
    if (parameter.name != name || parameter.value.empty()) continue;
    if (found) {
      violations.push_back({shown_name(name), "must be given once"});
      return std::nullopt;
    }
    found = &parameter;
  }
  if (!found) return std::nullopt;

  std::optional<std::string> decoded = percent_decode(found->value, Plus::kIsBlank);
  if (!decoded) violations.push_back({shown_name(name), "must be percent-encoded UTF-8"});
  return decoded;
}

std::vector<std::pair<std::string, std::string>> Query::values_in(std::string_view name,
                                                                  Violations& violations) const {
  families_.push_back(std::string(name) + "[key]");
  std::vector<std::pair<std::string, std::string>> values;
  for (const Parameter& parameter : parameters_) {
    const std::string_view whole = parameter.name;
    if (whole.size() < name.size() + 2 || !whole.starts_with(name) || whole[name.size()] != '[' ||
        whole.back() != ']')
      continue;
    if (std::find(asked_.begin(), asked_.end(), whole) != asked_.end()) continue;
    auto text = value(whole, violations);
    const auto key = whole.substr(name.size() + 1, whole.size() - name.size() - 2);
    if (text) values.emplace_back(key, *std::move(text));
  }
  return values;
}

void Query::refuse_unknown(Violations& violations) const {
  // Keys of a family are the caller's own names, so they are no suggestions for others.
  std::vector<std::string_view> names(families_.begin(), families_.end());
  std::copy_if(asked_.begin(), asked_.end(), std::back_inserter(names),
               [](std::string_view name) { return name.find('[') == std::string_view::npos; });
  const std::array known{KnownNames{"", names}};
  UnknownNames unknown("parameter", known, violations);
  for (const Parameter& parameter : parameters_) {
    if (std::find(asked_.begin(), asked_.end(), parameter.name) == asked_.end())
      unknown.add("", parameter.name);
  }
}

std::optional<std::uint64_t> Input::integer(std::string_view name, std::uint64_t min, std::uint64_t max,
                                            const std::string& rule) {
  const auto text = parameter(name);
  if (!text) return std::nullopt;
  const auto number = whole_number<std::uint64_t>(*text);
  if (number && *number >= min && *number <= max) return number;
  const auto range = "must be an integer from " + std::to_string(min) + " to " + std::to_string(max);
  violations_.push_back({std::string(name), rule.empty() ? range : rule});
  return std::nullopt;
}

JsonObject Input::body_with(Presence presence) {
  if (!std::exchange(body_is_read_, true))
    body_ = presence == Presence::kRequired ? JsonBody::parse(request_, violations_)
                                            : JsonBody::parse_or_empty(request_, violations_);
  return body_ ? body_->root(violations_) : JsonObject();
}

bool Input::finish() {
  if (!std::exchange(is_finished_, true) && !request_.is_lenient) {
    if (!body_is_read_ && !request_.body.empty()) optional_body();
    if (body_) body_->refuse_unknown(violations_);
    if (!request_.query.empty()) query_.refuse_unknown(violations_);
  }
  return violations_.empty();
}

Page read_page(Input& input) {
  Page page;
  page.number = input.integer("page", 1, kPageNumberMax).value_or(page.number);
  page.limit = input.integer("limit", 1, kPageLimitMax).value_or(page.limit);
  return page;
}

void write_meta(Json& json, const Page& page, std::size_t total) {
  begin_meta(json, page, total).end_object();
}

void write_meta(Json& json, const Page& page, std::size_t total, const TimeZone& zone) {
  begin_meta(json, page, total).field("timezone", zone.name()).end_object();
}

}  // namespace pixledger::http
