#pragma once

#include <optional>
#include <string_view>
#include <variant>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "eventstore/executor/executor.h"

namespace pixledger::http {

// The caller's Idempotency-Key, bound to project, environment, method and path, with the fingerprint of the
// body; nullopt when none was sent; a reply (400 ERR_IDEMPOTENCY_001) when it is not 1 to 255 printable ASCII
// characters.
using IdempotencyHeader = std::variant<std::optional<eventstore::IdempotencyKey>, Reply>;
IdempotencyHeader read_idempotency_key(const Request& request, std::string_view canonical_body);

}  // namespace pixledger::http
