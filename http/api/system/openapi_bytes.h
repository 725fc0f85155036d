#pragma once

#include <cstddef>

namespace pixledger::http {

// The document of http/openapi/ as it was when this was built. The build writes the definitions.
extern const unsigned char kOpenapiBytes[];
extern const std::size_t kOpenapiByteCount;
extern const char kOpenapiSha256[];  // of the bytes, in hexadecimal

}  // namespace pixledger::http
