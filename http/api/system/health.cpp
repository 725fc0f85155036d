#include "base/http/json/error_reply.h"
#include "base/http/message/without_paths.h"
#include "base/platform/json.h"
#include "http/api/endpoints.h"
#include "http/metrics/readiness.h"

namespace pixledger::http {

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

}  // namespace pixledger::http
