# cmake -D IN=openapi.json -D OUT=openapi_document.cpp -P embed.cmake
# Writes the definitions of http/api/openapi_document.h.
include(${CMAKE_CURRENT_LIST_DIR}/../../scripts/lib/embed.cmake)
file(SHA256 ${IN} sha256)
embed(kOpenapiDocument ${IN})
define(kOpenapiSha256 ${sha256})
write_source(${OUT} http/api/openapi_document.h pixledger::http)
