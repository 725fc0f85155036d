#pragma once

#include <functional>
#include <optional>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "eventstore/executor/executor.h"
#include "http/routing/answer.h"
#include "http/services/services.h"

namespace pixledger::http {

// The error that a rejection maps to. The one place that knows how rejections become HTTP.
Reply rejection_reply(const Request& request, domain::Rejection rejection);

using Render = std::function<Answer(const eventstore::Completed&)>;
using Reject = std::function<Answer(const Request&, domain::Rejection)>;

// Has a command of this request's caller executed and answered: by `render` when it was done, else by
// `reject`. Both may run on another thread, when the operation has ended.
Answer execute(const Request& request, domain::Command command,
               std::optional<eventstore::IdempotencyKey> idempotency, Render render,
               Reject reject = rejection_reply);

// The same under the caller's Idempotency-Key, if it sent one: a repeat with the same canonical body gets the
// first answer again. For that `render` must need nothing but what it is given and the log as of
// `completed.as_of`.
constexpr std::string_view kNoBody;
Answer execute_once(const Request& request, domain::Command command, std::string_view canonical_body,
                    Render render, Reject reject = rejection_reply);

}  // namespace pixledger::http
