#include "web/dashboard_listener.h"

#include <utility>

#include "base/http/message/file_body.h"
#include "base/net/host_port.h"
#include "base/process/logging.h"
#include "web/gateway/gateway_route.h"
#include "web/gateway/passing.h"
#include "web/site/site_metrics.h"

namespace pixledger::web {
namespace {

HttpUrl url_of(std::uint16_t port) {
  return HttpUrl::parse("http://" + HostPort{"localhost", port}.text()).value();
}

}  // namespace

DashboardListener::DashboardListener(const http::ServerOptions& listen, const std::optional<HttpUrl>& url,
                                     const Dependencies& dependencies, http::EventLoop& upstream,
                                     const ApiAccess& access, std::function<bool()> is_ready)
    : dependencies_(dependencies),
      is_ready_(std::move(is_ready)),
      relay_(upstream, access, wanted_headers()),
      server_(listen, services()),
      site_({.relay = relay_, .log_bad_sign_in = [this] { log_bad_sign_in(); }},
            url ? *url : url_of(server_.port())) {
  add_metrics(dependencies.metrics);
}

http::ServerServices DashboardListener::services() {
  auto given = server_services(dependencies_, &dependencies_.metrics);
  given.admit = [this](http::Request& request) { return site_.judge(request); };
  // Of those alone whom the API knows: the room for files is scarce.
  given.body_bytes_max = [this](const http::Request& request) {
    const bool is_file = takes_file(request.method, request.path) && site_.knows_sign_in(request);
    return is_file ? http::kFileBytesMax : 0;
  };
  given.application = [this](const http::Responder& responder) { serve(responder); };
  return given;
}

void DashboardListener::serve(const http::Responder& responder) {
  const auto& request = responder.request();
  switch (gateway_route(request.path).place) {
    case GatewayPlace::kHealth:
      return responder(health_reply());
    case GatewayPlace::kReady:
      return responder(ready_reply(request, is_ready_()));
    case GatewayPlace::kMetrics:
      return responder(metrics_reply(request, dependencies_));
    default:
      return site_.serve(responder);
  }
}

void DashboardListener::log_bad_sign_in() {
  if (bad_sign_in_pause_.due())
    dependencies_.logger.error("the API answered of a sign-in what is not passed on");
}

// Streams first, since they would wait for longer than the grace.
void DashboardListener::stop(std::chrono::milliseconds grace) {
  relay_.cut_streams();
  server_.stop(grace);
}

void DashboardListener::add_metrics(SiteMetrics& metrics) {
  const auto gauge = [&metrics](std::string name, std::string help, const auto& value) {
    metrics.gauge(std::move(name), std::move(help), [&value] { return static_cast<double>(value.load()); });
  };
  metrics.gauge("pixledger_web_dashboard_connections", "Open connections to the dashboard",
                [this] { return static_cast<double>(server_.open_connections()); });
  metrics.counter("pixledger_web_dashboard_refused_connections_total",
                  "Connections to the dashboard refused because there were too many",
                  [this] { return static_cast<double>(server_.refused_connections()); });
  const auto& counts = relay_.counts();
  gauge("pixledger_web_dashboard_streams", "Answers that are passed on as they come", counts.streams);
  gauge("pixledger_web_dashboard_api_waiting", "Requests of the dashboard that wait for the API",
        counts.waiting);
  metrics.counter("pixledger_web_dashboard_cut_streams_total",
                  "Answers that broke off, or fell silent, while they were passed on",
                  [&counts] { return static_cast<double>(counts.cut_streams); });
  metrics.counter("pixledger_web_dashboard_api_requests_total",
                  "What came of requests that the dashboard passed on to the API", "result", [&counts] {
                    return SiteMetrics::Numbers{{"answered", static_cast<double>(counts.answered)},
                                                {"unanswered", static_cast<double>(counts.unanswered)},
                                                {"crowded_out", static_cast<double>(counts.crowded_out)},
                                                {"over_share", static_cast<double>(counts.over_share)},
                                                {"yielded", static_cast<double>(counts.yielded)},
                                                {"abandoned", static_cast<double>(counts.abandoned)}};
                  });
  metrics.counter(
      "pixledger_web_dashboard_refused_total", "Requests that the dashboard refused itself", "limit", [this] {
        const auto& refused = site_.counts();
        return SiteMetrics::Numbers{{"cross_site", static_cast<double>(refused.cross_site)},
                                    {"user_requests", static_cast<double>(refused.over_user_requests)},
                                    {"address_requests", static_cast<double>(refused.over_address_requests)},
                                    {"address_streams", static_cast<double>(refused.over_address_streams)},
                                    {"sign_in_requests", static_cast<double>(refused.over_sign_in_requests)},
                                    {"sign_in_streams", static_cast<double>(refused.over_sign_in_streams)}};
      });
}

}  // namespace pixledger::web
