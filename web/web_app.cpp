#include "web/web_app.h"

#include <atomic>
#include <utility>

#include "eventstore/platform/clock.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/platform/json.h"
#include "eventstore/process/at_most_every.h"
#include "eventstore/process/logging.h"
#include "http/json/error_reply.h"
#include "http/transport/event_loop.h"
#include "web/front/payer_site.h"
#include "web/front/site_metrics.h"
#include "web/live/live_pages.h"
#include "web/upstream/api_address.h"
#include "web/upstream/api_client.h"
#include "web/upstream/api_credentials.h"
#include "web/upstream/change_stream.h"
#include "web/upstream/trusted_certificates.h"

namespace pixledger::web {
namespace {

constexpr std::size_t kMetricsConnectionsMax = 16;
constexpr std::string_view kLookAgain = "event: look\ndata: \n\n";

// Tells pages what the API tells of their sessions.
class Broadcast final : public ChangeStream::Listener {
 public:
  explicit Broadcast(LivePages& pages) : pages_(pages) {}

  void on_change(std::string_view data) override {
    const auto change = SessionChange::parse(data);
    if (change) pages_.tell(change->session, live_event(change->tag, change->state));
  }
  void on_gap() override { pages_.tell_all(kLookAgain); }

 private:
  LivePages& pages_;
};

http::Reply health_reply(std::string_view status) {
  eventstore::Json json;
  json.begin_object().field("success", true).key("data").begin_object().field("status", status);
  return {.body = json.end_object().end_object().take()};
}

}  // namespace

struct WebApp::Parts {
  Parts(const WebOptions& options, const eventstore::Clock& its_clock, eventstore::Entropy& its_entropy,
        eventstore::Logger& its_logger);
  ~Parts() { stop(std::chrono::milliseconds(0)); }

  void stop(std::chrono::milliseconds grace);
  void serve(const http::Responder& responder);
  http::ServerServices services(http::ServerObserver* observer);
  std::unique_ptr<http::Server> metrics_server(const WebOptions& options);
  void add_metrics();
  void comment();

  const eventstore::Clock& clock;
  eventstore::Entropy& entropy;
  eventstore::Logger& logger;
  const bool has_metrics_apart;
  SiteMetrics metrics;
  ApiCredentials credentials;
  ApiAddress address;
  const std::unique_ptr<TrustedCertificates> trusted;
  LivePages pages;
  Broadcast broadcast{pages};
  // Its loop has all connections to the API; it goes before them.
  http::EventLoop upstream;
  ApiClient api;
  ChangeStream changes;
  eventstore::AtMostEvery refused_key_pause{std::chrono::minutes(1)};
  PayerSite site;
  http::Timer comment_timer{[this] { comment(); }};
  std::atomic<bool> stopped{false};
  http::Server server;
  std::unique_ptr<http::Server> metrics_listener;
};

WebApp::Parts::Parts(const WebOptions& options, const eventstore::Clock& its_clock,
                     eventstore::Entropy& its_entropy, eventstore::Logger& its_logger)
    : clock(its_clock),
      entropy(its_entropy),
      logger(its_logger),
      has_metrics_apart(options.metrics_listen.has_value()),
      credentials(options.key_file),
      address(options.api, options.api_port_file),
      trusted(options.api.is_tls ? std::make_unique<TrustedCertificates>(options.ca_file) : nullptr),
      api(upstream, {address, credentials, trusted ? trusted->get() : nullptr}),
      changes(upstream, {address, credentials, trusted ? trusted->get() : nullptr}, broadcast),
      site({.api = api,
            .live = pages,
            .clock = clock,
            .origin = options.pay_url.origin(),
            .log_refused_key =
                [this](int status) {
                  if (refused_key_pause.due())
                    logger.error("the API does not take the web key", {{"status", status}});
                }}),
      server(options.pay, services(&metrics)),
      metrics_listener(metrics_server(options)) {
  add_metrics();
}

http::ServerServices WebApp::Parts::services(http::ServerObserver* observer) {
  http::ServerServices given;
  given.admit = [this](http::Request& request) { return site.judge(request); };
  given.application = [this](const http::Responder& responder) { serve(responder); };
  given.entropy = [this](std::span<std::byte> bytes) { entropy.fill(bytes); };
  given.unix_time_s = [this] { return clock.now().millis() / 1000; };
  given.log_fault = [this](const http::Request& request, std::string_view what) {
    logger.error("a request failed", {{"requestId", request.request_id},
                                      {"method", http::method_name(request.method)},
                                      {"route", request.route_pattern},
                                      {"fault", what}});
  };
  given.log_refused_connections = [this](std::uint64_t so_far) {
    logger.warning("connections are refused, since there are too many", {{"refusedSoFar", so_far}});
  };
  given.observer = observer;
  return given;
}

std::unique_ptr<http::Server> WebApp::Parts::metrics_server(const WebOptions& options) {
  if (!options.metrics_listen) return nullptr;
  http::ServerOptions listen;
  listen.host = options.metrics_listen->host;
  listen.port = options.metrics_listen->port;
  listen.max_connections = kMetricsConnectionsMax;
  auto given = services(nullptr);
  given.admit = nullptr;
  given.application = [this](const http::Responder& responder) {
    const auto& request = responder.request();
    if (site_route(request.path).place == SitePlace::kMetrics) return responder(metrics.page());
    responder(http::transport_error_reply(request, 404, "There are metrics here alone."));
  };
  return std::make_unique<http::Server>(listen, given);
}

void WebApp::Parts::serve(const http::Responder& responder) {
  switch (site_route(responder.request().path).place) {
    case SitePlace::kHealth:
      return responder(health_reply("ok"));
    case SitePlace::kReady:
      if (changes.is_open()) return responder(health_reply("ready"));
      return responder(http::transport_error_reply(responder.request(), 503, "The API cannot be reached."));
    case SitePlace::kMetrics:
      if (!has_metrics_apart) return responder(metrics.page());
      return responder(
          http::transport_error_reply(responder.request(), 404, "The metrics have an address of their own."));
    default:
      return site.serve(responder);
  }
}

void WebApp::Parts::comment() {
  const auto again = pages.comment(upstream.now());
  upstream.timers().set(comment_timer, upstream.now() + again);
}

void WebApp::Parts::add_metrics() {
  const auto number = [](const auto& value) {
    return [&value] { return static_cast<double>(value.load()); };
  };
  metrics.gauge("pixledger_web_connections", "Open connections",
                [this] { return static_cast<double>(server.open_connections()); });
  metrics.gauge("pixledger_web_streams", "Pages that are told of changes",
                [this] { return static_cast<double>(pages.count()); });
  metrics.counter("pixledger_web_cut_streams_total", "Streams that nobody read, and which were cut",
                  [this] { return static_cast<double>(pages.cut()); });
  metrics.gauge("pixledger_web_changes_open", "1 while the API tells of changes",
                [this] { return changes.is_open() ? 1.0 : 0.0; });
  metrics.counter("pixledger_web_changes_opened_total", "How often the API's stream of changes was opened",
                  [this] { return static_cast<double>(changes.opened()); });
  metrics.counter("pixledger_web_refused_total", "Requests that were refused for their limit", "limit",
                  [this] {
                    const auto& counts = site.counts();
                    return SiteMetrics::Numbers{{"token_requests", static_cast<double>(counts.over_requests)},
                                                {"token_streams", static_cast<double>(counts.over_streams)},
                                                {"address_unknown", static_cast<double>(counts.over_unknown)},
                                                {"cross_site", static_cast<double>(counts.cross_site)}};
                  });
  metrics.counter("pixledger_web_unknown_tokens_total", "Requests for sessions that do not exist",
                  number(site.counts().unknown));
  metrics.counter("pixledger_web_api_requests_total", "What came of requests to the API", "result", [this] {
    const auto& counts = api.counts();
    return SiteMetrics::Numbers{{"answered", static_cast<double>(counts.answered)},
                                {"unanswered", static_cast<double>(counts.unanswered)},
                                {"crowded_out", static_cast<double>(counts.crowded_out)}};
  });
  metrics.counter("pixledger_web_api_seconds_total",
                  "Time that answered requests to the API took, waiting included",
                  [this] { return static_cast<double>(api.counts().microseconds) / 1e6; });
  metrics.gauge("pixledger_web_api_waiting", "Requests that wait for the API", number(api.counts().waiting));
  metrics.counter("pixledger_web_refused_connections_total",
                  "Connections refused because there were too many",
                  [this] { return static_cast<double>(server.refused_connections()); });
}

// Streams first, since they would wait for longer than the grace; what waits for the API is answered by then.
void WebApp::Parts::stop(std::chrono::milliseconds grace) {
  if (stopped.exchange(true)) return;
  pages.end_all();
  server.stop(grace);
  if (metrics_listener) metrics_listener->stop(std::chrono::milliseconds(0));
  upstream.post([this] {
    comment_timer.cancel();
    changes.stop();
    api.stop();
  });
  upstream.stop();
}

WebApp::WebApp(const WebOptions& options, const eventstore::Clock& clock, eventstore::Entropy& entropy,
               eventstore::Logger& logger)
    : parts_(std::make_unique<Parts>(options, clock, entropy, logger)) {}

WebApp::~WebApp() = default;

void WebApp::start() {
  parts_->upstream.start();
  parts_->upstream.post([parts = parts_.get()] {
    parts->changes.start();
    parts->comment();
  });
  if (parts_->metrics_listener) parts_->metrics_listener->start();
  parts_->server.start();
}

void WebApp::stop(std::chrono::milliseconds grace) { parts_->stop(grace); }

std::uint16_t WebApp::port() const { return parts_->server.port(); }

std::uint16_t WebApp::metrics_port() const {
  return parts_->metrics_listener ? parts_->metrics_listener->port() : parts_->server.port();
}

http::ServedCertificate* WebApp::certificate() { return parts_->server.certificate(); }

}  // namespace pixledger::web
