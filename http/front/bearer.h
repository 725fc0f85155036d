#pragma once

#include <string_view>

#include "base/http/message/request.h"

namespace pixledger::http {

// What the request's `Authorization: Bearer …` holds; empty where it has none, or more than one.
std::string_view bearer_of(const Request& request);

}  // namespace pixledger::http
