#include "web/dependencies.h"

#include "base/http/json/error_reply.h"
#include "base/platform/clock.h"
#include "base/platform/entropy.h"
#include "base/platform/json.h"
#include "base/process/logging.h"
#include "web/site/site_metrics.h"

namespace pixledger::web {
namespace {

http::Reply status_reply(std::string_view status) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object().field("status", status);
  return {.body = json.end_object().end_object().take()};
}

}  // namespace

http::ServerServices server_services(const Dependencies& dependencies, http::ServerObserver* observer) {
  http::ServerServices given;
  given.entropy = [dependencies](std::span<std::byte> bytes) { dependencies.entropy.fill(bytes); };
  given.unix_time_s = [dependencies] { return dependencies.clock.now().millis() / 1000; };
  given.log_fault = [dependencies](const http::Request& request, std::string_view what) {
    dependencies.logger.error("a request failed", {{"requestId", request.request_id},
                                                   {"method", http::method_name(request.method)},
                                                   {"route", request.route_pattern},
                                                   {"fault", what}});
  };
  given.log_refused_connections = [dependencies](std::uint64_t so_far) {
    dependencies.logger.warning("connections are refused, since there are too many",
                                {{"refusedSoFar", so_far}});
  };
  given.observer = observer;
  return given;
}

http::Reply health_reply() { return status_reply("ok"); }

http::Reply ready_reply(const http::Request& request, bool is_ready) {
  if (is_ready) return status_reply("ready");
  return http::transport_error_reply(request, 503, "The API cannot be reached, or this server is stopping.");
}

http::Reply metrics_reply(const http::Request& request, const Dependencies& dependencies) {
  if (!dependencies.has_metrics_apart) return dependencies.metrics.page();
  return http::transport_error_reply(request, 404, "The metrics have an address of their own.");
}

}  // namespace pixledger::web
