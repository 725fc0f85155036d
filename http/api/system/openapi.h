#pragma once

#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"

namespace pixledger::http {

// The OpenAPI document of every operation that this server has; JSON, valid for the life of the process.
std::string_view openapi_document();

// GET /openapi.json: the document, or 304 when If-None-Match names the ETag of it.
Reply get_openapi(const Request& request);

}  // namespace pixledger::http
