#pragma once

#include <optional>

#include "domain/values/origin_host.h"
#include "http/json/json_body.h"

namespace pixledger::http {

// The required field `originDomain`; nullopt with a violation, which names an underscore where there is one.
std::optional<domain::OriginHost> read_origin_domain(const JsonObject& body);

}  // namespace pixledger::http
