#pragma once

#include <functional>
#include <optional>

#include "eventstore/executor.h"
#include "http/reply.h"
#include "http/request.h"
#include "http/services.h"

namespace pixledger::http {

// Executes a command of this request's caller and answers it: `render` when it was done, else the error that
// its rejection maps to. The one place that knows how rejections become HTTP.
using Render = std::function<Reply(const eventstore::Completed&)>;
Reply execute(const Services& services, const Request& request, domain::Command command,
              std::optional<eventstore::IdempotencyKey> idempotency, const Render& render);

Reply rejection_reply(const Request& request, domain::Rejection rejection);

}  // namespace pixledger::http
