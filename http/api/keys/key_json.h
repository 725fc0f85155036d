#pragma once

#include <cstdint>
#include <optional>

#include "base/platform/json.h"
#include "domain/aggregates/api_key.h"

namespace pixledger::http {

// A key as its project's owners see it: its members, into the object that is open. The last day is that of
// its last use, since 1970-01-01.
void write_key_fields(Json& json, const domain::ApiKey& key, const std::optional<std::int64_t>& last_day);

}  // namespace pixledger::http
