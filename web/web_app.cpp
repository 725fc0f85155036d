#include "web/web_app.h"

#include <atomic>
#include <utility>

#include "base/http/json/error_reply.h"
#include "base/http/transport/event_loop.h"
#include "base/process/logging.h"
#include "web/listeners.h"
#include "web/site/site_metrics.h"
#include "web/upstream/api_access.h"
#include "web/upstream/api_client.h"
#include "web/upstream/change_stream.h"

namespace pixledger::web {
namespace {

constexpr std::size_t kMetricsConnectionsMax = 16;

}  // namespace

struct WebApp::Parts final : ChangeStream::Listener {
  Parts(const WebOptions& options, const Clock& clock, Entropy& entropy, Logger& logger);
  ~Parts() override { stop(std::chrono::milliseconds(0)); }

  void start();
  void stop(std::chrono::milliseconds grace);
  void on_change(std::string_view data) override;
  void on_gap() override;
  std::unique_ptr<http::Server> metrics_server(const HostPort& at);
  void add_metrics();
  ApiAccess access() { return {address, credentials, trusted ? trusted->get() : nullptr}; }

  SiteMetrics metrics;
  const Dependencies dependencies;
  ApiCredentials credentials;
  ApiAddress address;
  const std::unique_ptr<TrustedCertificates> trusted;
  // Its loop has all connections to the API, so it is destroyed after their users.
  http::EventLoop upstream;
  ChangeStream changes;
  std::atomic<bool> draining{false};
  std::unique_ptr<PayersListener> payers;
  std::unique_ptr<DashboardListener> dashboard;
  std::unique_ptr<http::Server> metrics_listener;
  std::atomic<bool> stopped{false};
};

WebApp::Parts::Parts(const WebOptions& options, const Clock& clock, Entropy& entropy, Logger& logger)
    : dependencies{clock, entropy, logger, metrics, options.metrics_listen.has_value()},
      credentials(options.key_file),
      address(options.api, options.api_port_file),
      trusted(options.api.is_tls ? std::make_unique<TrustedCertificates>(options.ca_file) : nullptr),
      changes(upstream, access(), *this) {
  const auto is_ready = [this] { return changes.is_open() && !draining; };
  if (options.pay)
    payers = std::make_unique<PayersListener>(*options.pay, options.pay_url, dependencies, upstream, access(),
                                              is_ready);
  if (options.dashboard)
    dashboard = std::make_unique<DashboardListener>(*options.dashboard, options.dashboard_url, dependencies,
                                                    upstream, access(), is_ready);
  if (options.metrics_listen) metrics_listener = metrics_server(*options.metrics_listen);
  add_metrics();
}

void WebApp::Parts::on_change(std::string_view data) {
  if (payers) payers->on_change(data);
}

void WebApp::Parts::on_gap() {
  if (payers) payers->on_gap();
}

std::unique_ptr<http::Server> WebApp::Parts::metrics_server(const HostPort& at) {
  http::ServerOptions listen;
  listen.host = at.host;
  listen.port = at.port;
  listen.max_connections = kMetricsConnectionsMax;
  auto given = server_services(dependencies, nullptr);
  given.application = [this](const http::Responder& responder) {
    const auto& request = responder.request();
    if (request.path == "/metrics") return responder(metrics.page());
    responder(http::transport_error_reply(request, 404, "There are metrics here alone."));
  };
  return std::make_unique<http::Server>(listen, given);
}

void WebApp::Parts::add_metrics() {
  metrics.sample(Metrics::kWebChangesOpen, [this] { return changes.is_open() ? 1.0 : 0.0; });
  metrics.sample(Metrics::kWebChangesOpenedTotal, [this] { return static_cast<double>(changes.opened()); });
}

void WebApp::Parts::start() {
  upstream.start();
  upstream.post([this] {
    changes.start();
    if (payers) payers->start_upstream();
  });
  if (metrics_listener) metrics_listener->start();
  if (payers) payers->start();
  if (dashboard) dashboard->start();
}

// Requests that wait for the API are answered by then.
void WebApp::Parts::stop(std::chrono::milliseconds grace) {
  if (stopped.exchange(true)) return;
  const auto end = std::chrono::steady_clock::now() + grace;
  if (payers) payers->stop(grace);
  const auto left =
      std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
  if (dashboard) dashboard->stop(std::max(left, std::chrono::milliseconds(0)));
  if (metrics_listener) metrics_listener->stop(std::chrono::milliseconds(0));
  upstream.post([this] {
    changes.stop();
    if (payers) payers->stop_upstream();
    if (dashboard) dashboard->stop_upstream();
  });
  upstream.stop();
}

WebApp::WebApp(const WebOptions& options, const Clock& clock, Entropy& entropy, Logger& logger)
    : parts_(std::make_unique<Parts>(options, clock, entropy, logger)) {}

WebApp::~WebApp() = default;

void WebApp::start() { parts_->start(); }

void WebApp::begin_draining() {
  parts_->draining = true;
  if (parts_->payers) parts_->payers->server().begin_draining();
  if (parts_->dashboard) parts_->dashboard->server().begin_draining();
}

void WebApp::stop(std::chrono::milliseconds grace) { parts_->stop(grace); }

std::optional<std::uint16_t> WebApp::pay_port() const {
  return parts_->payers ? std::optional(parts_->payers->server().port()) : std::nullopt;
}

std::optional<std::uint16_t> WebApp::dashboard_port() const {
  return parts_->dashboard ? std::optional(parts_->dashboard->server().port()) : std::nullopt;
}

std::optional<std::uint16_t> WebApp::metrics_port() const {
  return parts_->metrics_listener ? std::optional(parts_->metrics_listener->port()) : std::nullopt;
}

std::vector<http::ServedCertificate*> WebApp::certificates() {
  std::vector<http::ServedCertificate*> found;
  if (parts_->payers) found.push_back(parts_->payers->server().certificate());
  if (parts_->dashboard) found.push_back(parts_->dashboard->server().certificate());
  std::erase(found, nullptr);
  return found;
}

}  // namespace pixledger::web
