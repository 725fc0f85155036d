#include "web/payers_listener.h"

#include <algorithm>
#include <utility>

#include "base/process/logging.h"
#include "web/site/site_metrics.h"

namespace pixledger::web {
namespace {

// Open pages leave room for what is asked meanwhile.
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

void PayersListener::add_metrics(SiteMetrics& metrics) {
  const auto number = [](const auto& value) {
    return [&value] { return static_cast<double>(value.load()); };
  };
  metrics.gauge("pixledger_web_connections", "Open connections",
                [this] { return static_cast<double>(server_.open_connections()); });
  metrics.gauge("pixledger_web_streams", "Pages that are told of changes",
                [this] { return static_cast<double>(pages_.count()); });
  metrics.counter("pixledger_web_cut_streams_total", "Streams that nobody read, and which were cut",
                  [this] { return static_cast<double>(pages_.cut()); });
  metrics.counter("pixledger_web_yielded_streams_total", "Streams that ended so that others could begin",
                  [this] { return static_cast<double>(pages_.ended_for_others()); });
  metrics.counter("pixledger_web_refused_total", "Requests that were refused for their limit", "limit",
                  [this] {
                    const auto& counts = site_.counts();
                    return SiteMetrics::Numbers{{"token_requests", static_cast<double>(counts.over_requests)},
                                                {"token_streams", static_cast<double>(counts.over_streams)},
                                                {"address_requests", static_cast<double>(counts.over_places)},
                                                {"address_unknown", static_cast<double>(counts.over_unknown)},
                                                {"cross_site", static_cast<double>(counts.cross_site)}};
                  });
  metrics.counter("pixledger_web_unknown_tokens_total", "Requests for sessions that do not exist",
                  number(site_.counts().unknown));
  metrics.counter("pixledger_web_api_requests_total", "What came of requests to the API", "result", [this] {
    const auto& counts = api_.counts();
    return SiteMetrics::Numbers{{"answered", static_cast<double>(counts.answered)},
                                {"unanswered", static_cast<double>(counts.unanswered)},
                                {"crowded_out", static_cast<double>(counts.crowded_out)}};
  });
  metrics.counter("pixledger_web_api_seconds_total",
                  "Time that answered requests to the API took, waiting included",
                  [this] { return static_cast<double>(api_.counts().microseconds) / 1e6; });
  metrics.gauge("pixledger_web_api_waiting", "Requests that wait for the API", number(api_.counts().waiting));
  metrics.counter("pixledger_web_refused_connections_total",
                  "Connections refused because there were too many",
                  [this] { return static_cast<double>(server_.refused_connections()); });
}

}  // namespace pixledger::web
