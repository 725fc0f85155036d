#include "http/routing/input.h"

#include <charconv>
#include <utility>

namespace pixledger::http {

std::optional<std::uint64_t> Input::integer(std::string_view name, std::uint64_t min, std::uint64_t max,
                                            const std::string& rule) {
  const auto text = parameter(name);
  if (!text) return std::nullopt;
  const char* const end = text->data() + text->size();
  std::uint64_t number = 0;
  const auto [stop, error] = std::from_chars(text->data(), end, number);
  if (error == std::errc() && stop == end && number >= min && number <= max) return number;
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

}  // namespace pixledger::http
