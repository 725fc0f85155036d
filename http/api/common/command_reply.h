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

// The error reply for a rejection. Only this function maps rejections to HTTP.
Reply rejection_reply(const Request& request, domain::Rejection rejection);

using Render = std::function<Answer(const eventstore::Completed&)>;
using Reject = std::function<Answer(const Request&, domain::Rejection)>;

// Executes a command of this request's caller. `render` makes the reply if it was done, else `reject`. Both
// may run on another thread, after the operation has returned.
Answer execute(const Request& request, domain::Command&& command,
               std::optional<eventstore::IdempotencyKey> idempotency, Render render,
               Reject reject = rejection_reply);

// The same under the caller's Idempotency-Key, if any: a repeat with the same canonical body gets the first
// reply again. So `render` may use only its argument and the log as of `completed.as_of`.
constexpr std::string_view kNoBody;
Answer execute_once(const Request& request, domain::Command&& command, std::string_view canonical_body,
                    Render render, Reject reject = rejection_reply);

}  // namespace pixledger::http
