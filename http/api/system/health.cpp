#include "http/api/system/health.h"

#include "http/json/error_reply.h"
#include "http/json/json_writer.h"

namespace pixledger::http {

Reply healthz(const Request&) {
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_object().text("status", "ok");
  json.end_object().end_object();
  return {200, json.str()};
}

Reply readyz(const Services& services, const Request& request) {
  auto reasons = services.readiness.reasons();
  if (!reasons.empty()) {
    auto reply = error_reply(request, {.status = 503,
                                       .code = "ERR_HTTP_503",
                                       .message = "The server is not ready; see details.",
                                       .details = std::move(reasons)});
    reply.headers.push_back({"Retry-After", "1"});
    return reply;
  }
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_object().text("status", "ready");
  json.end_object().end_object();
  return {200, json.str()};
}

}  // namespace pixledger::http
