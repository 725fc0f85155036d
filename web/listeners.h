#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string_view>

#include "base/http/message/reply.h"
#include "base/http/transport/event_loop.h"
#include "base/http/transport/server.h"
#include "base/net/http_url.h"
#include "base/process/logging.h"
#include "web/gateway/dashboard_site.h"
#include "web/site/live_pages.h"
#include "web/site/payer_site.h"
#include "web/upstream/api_client.h"
#include "web/upstream/api_relay.h"
#include "web/upstream/change_stream.h"

namespace pixledger {
class Clock;
class Entropy;
class Logger;
}  // namespace pixledger

namespace pixledger::web {

class SiteMetrics;

// What both listeners need; everything outlives them.
struct Dependencies {
  const Clock& clock;
  Entropy& entropy;
  Logger& logger;
  SiteMetrics& metrics;
  bool has_metrics_apart;  // at an address of their own
};

// What every listener needs; `observer` may be null.
http::ServerServices server_services(const Dependencies& dependencies, http::ServerObserver* observer);

// The payers' pages, wired: their listener, their API client, and the open pages that follow the stream of
// changes. The constructor listens.
class PayersListener final : public ChangeStream::Listener {
 public:
  // All outlive it. `upstream`: the loop of the connections to the API. `is_ready`: the API is reachable.
  // Throws std::runtime_error if it cannot listen.
  PayersListener(const http::ServerOptions& listen, const HttpUrl& url, const Dependencies& dependencies,
                 http::EventLoop& upstream, const ApiAccess& access, std::function<bool()> is_ready);

  // ChangeStream::Listener, called on the upstream loop.
  void on_change(std::string_view data) override;
  void on_gap() override;

  // Call this and stop_upstream on the upstream loop.
  void start_upstream() { comment(); }
  void stop_upstream();
  void start() { server_.start(); }
  // Ends streams first, since they would outlast the grace.
  void stop(std::chrono::milliseconds grace);

  http::Server& server() { return server_; }

 private:
  http::ServerServices services();
  void serve(const http::Responder& responder);
  void add_metrics(SiteMetrics& metrics);
  void comment();

  const Dependencies dependencies_;
  http::EventLoop& upstream_;
  const std::function<bool()> is_ready_;
  LivePages pages_;
  ApiClient api_;
  AtMostEvery refused_key_pause_{std::chrono::minutes(1)};
  PayerSite site_;
  http::Timer comment_timer_{[this] { comment(); }};
  http::Server server_;
};

// The dashboard, wired: its listener and the relay to the API. The constructor listens.
class DashboardListener {
 public:
  // As PayersListener. Without `url`: http://localhost with the bound port.
  DashboardListener(const http::ServerOptions& listen, const std::optional<HttpUrl>& url,
                    const Dependencies& dependencies, http::EventLoop& upstream, const ApiAccess& access,
                    std::function<bool()> is_ready);

  // Call on the upstream loop.
  void stop_upstream() { relay_.stop(); }
  void start() { server_.start(); }
  void stop(std::chrono::milliseconds grace);

  http::Server& server() { return server_; }

 private:
  http::ServerServices services();
  void serve(const http::Responder& responder);
  void add_metrics(SiteMetrics& metrics);
  void log_bad_sign_in();

  const Dependencies dependencies_;
  const std::function<bool()> is_ready_;
  AtMostEvery bad_sign_in_pause_{std::chrono::minutes(1)};
  ApiRelay relay_;
  http::Server server_;
  DashboardSite site_;  // used once the server has started
};

}  // namespace pixledger::web
