#pragma once

#include <optional>

#include "base/http/json/json_body.h"
#include "base/values/origin_host.h"

namespace pixledger::http {

// The required field `originDomain`; nullopt with a violation, which names an underscore where there is one.
std::optional<OriginHost> read_origin_domain(const JsonObject& body);

}  // namespace pixledger::http
