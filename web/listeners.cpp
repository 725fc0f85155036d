#include "web/listeners.h"

#include <algorithm>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/message/request.h"
#include "base/net/http_url.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/process/logging.h"
#include "web/gateway/gateway_rules.h"
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

namespace {

// Replies at paths that every listener has.
http::Reply health_reply() { return status_reply("ok"); }

// `is_ready`: the API is reachable and the server is not stopping.
http::Reply ready_reply(const http::Request& request, bool is_ready) {
  if (is_ready) return status_reply("ready");
  return http::transport_error_reply(request, 503, "The API cannot be reached, or this server is stopping.");
}

// 404 if the metrics have an address of their own.
http::Reply metrics_reply(const http::Request& request, const Dependencies& dependencies) {
  if (!dependencies.has_metrics_apart) return dependencies.metrics.page();
  return http::transport_error_reply(request, 404, "The metrics have an address of their own.");
}

// Open pages leave room for other requests.
std::size_t most_streams(const http::ServerOptions& listen) {
  return std::max<std::size_t>(1, listen.max_connections / 4 * 3);
}

constexpr std::string_view kLookAgain = "event: look\ndata: \n\n";

}  // namespace

PayersListener::PayersListener(const http::ServerOptions& listen, const HttpUrl& url,
                               const Dependencies& dependencies, http::EventLoop& upstream,
                               const ApiAccess& access, std::function<bool()> is_ready)
    : dependencies_(dependencies),
      upstream_(upstream),
      is_ready_(std::move(is_ready)),
      pages_(most_streams(listen)),
      api_(upstream, access),
      site_({.api = api_,
             .live = pages_,
             .clock = dependencies.clock,
             .origin = url.origin(),
             .log_refused_key =
                 [this](int status) {
                   if (refused_key_pause_.due())
                     dependencies_.logger.error("the API does not take the web key", {{"status", status}});
                 }}),
      server_(listen, services()) {
  add_metrics(dependencies.metrics);
}

http::ServerServices PayersListener::services() {
  auto given = server_services(dependencies_, &dependencies_.metrics);
  given.admit = [this](http::Request& request) { return site_.judge(request); };
  given.application = [this](const http::Responder& responder) { serve(responder); };
  return given;
}

void PayersListener::serve(const http::Responder& responder) {
  const auto& request = responder.request();
  switch (site_route(request.path).place) {
    case SitePlace::kHealth:
      return responder(health_reply());
    case SitePlace::kReady:
      return responder(ready_reply(request, is_ready_()));
    case SitePlace::kMetrics:
      return responder(metrics_reply(request, dependencies_));
    default:
      return site_.serve(responder);
  }
}

void PayersListener::on_change(std::string_view data) {
  const auto change = SessionChange::parse(data);
  if (change) pages_.tell(change->session, live_event(change->tag, change->state));
}

void PayersListener::on_gap() { pages_.tell_all(kLookAgain); }

void PayersListener::comment() {
  const auto again = pages_.comment(upstream_.now());
  upstream_.timers().set(comment_timer_, upstream_.now() + again);
}

void PayersListener::stop_upstream() {
  comment_timer_.cancel();
  api_.stop();
}

void PayersListener::stop(std::chrono::milliseconds grace) {
  pages_.end_all();
  server_.stop(grace);
}

namespace {

// Reads another thread's counter.
auto number(const auto& value) {
  return [&value] { return static_cast<double>(value.load()); };
}

}  // namespace

void PayersListener::add_metrics(SiteMetrics& metrics) {
  metrics.sample(Metrics::kWebConnections,
                 [this] { return static_cast<double>(server_.open_connections()); });
  metrics.sample(Metrics::kWebStreams, [this] { return static_cast<double>(pages_.count()); });
  metrics.sample(Metrics::kWebCutStreamsTotal, [this] { return static_cast<double>(pages_.cut()); });
  metrics.sample(Metrics::kWebYieldedStreamsTotal,
                 [this] { return static_cast<double>(pages_.ended_for_others()); });
  metrics.sample_by(Metrics::kWebRefusedTotal, [this] {
    const auto& counts = site_.counts();
    return SiteMetrics::ByLabel{{"token_requests", static_cast<double>(counts.over_requests)},
                                {"token_streams", static_cast<double>(counts.over_streams)},
                                {"address_requests", static_cast<double>(counts.over_places)},
                                {"address_unknown", static_cast<double>(counts.over_unknown)},
                                {"cross_site", static_cast<double>(counts.cross_site)}};
  });
  metrics.sample(Metrics::kWebUnknownTokensTotal, number(site_.counts().unknown));
  metrics.sample_by(Metrics::kWebApiRequestsTotal, [this] {
    const auto& counts = api_.counts();
    return SiteMetrics::ByLabel{{"answered", static_cast<double>(counts.answered)},
                                {"unanswered", static_cast<double>(counts.unanswered)},
                                {"crowded_out", static_cast<double>(counts.crowded_out)}};
  });
  metrics.sample(Metrics::kWebApiSecondsTotal,
                 [this] { return static_cast<double>(api_.counts().microseconds) / 1e6; });
  metrics.sample(Metrics::kWebApiWaiting, number(api_.counts().waiting));
  metrics.sample(Metrics::kWebRefusedConnectionsTotal,
                 [this] { return static_cast<double>(server_.refused_connections()); });
}

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
  // Only for sign-ins known to the API: the memory for files is scarce.
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

// Ends streams first, since they would outlast the grace.
void DashboardListener::stop(std::chrono::milliseconds grace) {
  relay_.cut_streams();
  server_.stop(grace);
}

void DashboardListener::add_metrics(SiteMetrics& metrics) {
  metrics.sample(Metrics::kWebDashboardConnections,
                 [this] { return static_cast<double>(server_.open_connections()); });
  metrics.sample(Metrics::kWebDashboardRefusedConnectionsTotal,
                 [this] { return static_cast<double>(server_.refused_connections()); });
  const auto& counts = relay_.counts();
  metrics.sample(Metrics::kWebDashboardStreams, number(counts.streams));
  metrics.sample(Metrics::kWebDashboardApiWaiting, number(counts.waiting));
  metrics.sample(Metrics::kWebDashboardCutStreamsTotal, number(counts.cut_streams));
  metrics.sample_by(Metrics::kWebDashboardApiRequestsTotal, [&counts] {
    return SiteMetrics::ByLabel{{"answered", static_cast<double>(counts.answered)},
                                {"unanswered", static_cast<double>(counts.unanswered)},
                                {"crowded_out", static_cast<double>(counts.crowded_out)},
                                {"over_share", static_cast<double>(counts.over_share)},
                                {"yielded", static_cast<double>(counts.yielded)},
                                {"abandoned", static_cast<double>(counts.abandoned)}};
  });
  metrics.sample_by(Metrics::kWebDashboardRefusedTotal, [this] {
    const auto& refused = site_.counts();
    return SiteMetrics::ByLabel{{"cross_site", static_cast<double>(refused.cross_site)},
                                {"user_requests", static_cast<double>(refused.over_user_requests)},
                                {"address_requests", static_cast<double>(refused.over_address_requests)},
                                {"address_streams", static_cast<double>(refused.over_address_streams)},
                                {"sign_in_requests", static_cast<double>(refused.over_sign_in_requests)},
                                {"sign_in_streams", static_cast<double>(refused.over_sign_in_streams)}};
  });
}

}  // namespace pixledger::web
