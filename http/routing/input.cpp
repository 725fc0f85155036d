#include "http/routing/input.h"

#include <utility>

namespace pixledger::http {

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
