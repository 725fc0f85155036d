#include "base/http/json/error_reply.h"
#include "base/http/message/reply.h"
#include "base/http/message/syntax.h"
#include "base/platform/json.h"
#include "http/api/endpoints.h"
#include "http/api/openapi_document.h"
#include "http/metrics/readiness.h"

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

// Compressed once, at first use.
const std::string& compressed_document() {
  static const std::string document = gzip(openapi_document());
  return document;
}

}  // namespace

Reply healthz(const Request&) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object().field("status", "ok");
  json.end_object().end_object();
  return {200, json.take()};
}

Reply readyz(const Services& services, const Request& request) {
  auto reasons = services.readiness.reasons();
  for (auto& reason : reasons) reason.reason = without_paths(reason.reason);
  if (!reasons.empty()) {
    auto reply = error_reply(request, {.status = 503,
                                       .code = "ERR_HTTP_503",
                                       .message = "The server is not ready; see details.",
                                       .details = std::move(reasons)});
    reply.headers.push_back({"Retry-After", "1"});
    return reply;
  }
  Json json;
  json.begin_object().field("success", true).key("data").begin_object().field("status", "ready");
  json.end_object().end_object();
  return {200, json.take()};
}

std::string_view openapi_document() { return kOpenapiDocument; }

Reply get_openapi(const Request& request) {
  const bool compressed = accepts_gzip(request.headers);
  const std::string etag = '"' + std::string(kOpenapiSha256) + (compressed ? "-gzip\"" : "\"");
  Reply reply;
  reply.headers = {{"ETag", etag}, {"Cache-Control", "no-cache"}, {"Vary", "Accept-Encoding"}};
  if (names(request.headers.find("If-None-Match").value_or(std::string_view()), etag)) {
    reply.status = 304;
  } else if (compressed) {
    reply.headers.push_back({"Content-Encoding", "gzip"});
    reply.static_body = compressed_document();
  } else {
    reply.static_body = openapi_document();
  }
  return reply;
}

}  // namespace pixledger::http
