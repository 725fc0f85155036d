# cmake -D IN=openapi.json -D OUT=openapi_bytes.cpp -P embed.cmake
# Writes the definitions of http/api/system/openapi_bytes.h.
file(READ ${IN} hex HEX)
file(SHA256 ${IN} sha256)
string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "// Written by the build from the document of http/openapi/.
#include \"http/api/system/openapi_bytes.h\"

namespace pixledger::http {

const unsigned char kOpenapiBytes[] = {
${bytes}};
const std::size_t kOpenapiByteCount = sizeof kOpenapiBytes;
const char kOpenapiSha256[] = \"${sha256}\";

}  // namespace pixledger::http
")
