#pragma once

#include <string_view>

namespace pixledger::http {

// The document of http/openapi/ at build time. The build generates the definitions.
extern const std::string_view kOpenapiDocument;
extern const std::string_view kOpenapiSha256;  // of the document, in hexadecimal

}  // namespace pixledger::http
