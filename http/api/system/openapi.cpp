#include "http/api/system/openapi.h"

#include "http/api/system/openapi_bytes.h"
#include "http/message/header_items.h"

namespace pixledger::http {
namespace {

// If-None-Match compares weakly (RFC 9110 §13.1.2).
bool names(std::string_view if_none_match, std::string_view etag) {
  while (!if_none_match.empty()) {
    std::string_view tag = next_item(if_none_match, ',');
    if (tag.starts_with("W/")) tag.remove_prefix(2);
    if (tag == etag || tag == "*") return true;
  }
  return false;
}

}  // namespace

std::string_view openapi_document() {
  return {reinterpret_cast<const char*>(kOpenapiBytes), kOpenapiByteCount};
}

Reply get_openapi(const Request& request) {
  const std::string etag = '"' + std::string(kOpenapiSha256) + '"';
  Reply reply;
  reply.headers = {{"ETag", etag}, {"Cache-Control", "no-cache"}};
  if (names(request.headers.find("If-None-Match").value_or(std::string_view()), etag)) {
    reply.status = 304;
  } else {
    reply.body = openapi_document();
  }
  return reply;
}

}  // namespace pixledger::http
