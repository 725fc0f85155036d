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

// What both listeners need; all of it outlives them.
struct Dependencies {
  const Clock& clock;
  Entropy& entropy;
  Logger& logger;
  SiteMetrics& metrics;
  bool has_metrics_apart;  // on an address of their own
};

// What any listener of the program needs; `observer` may be null.
http::ServerServices server_services(const Dependencies& dependencies, http::ServerObserver* observer);

// The payers' pages, wired: their listener, their client of the API, and the pages that hang on its stream of
// changes. Listens once it is made.
class PayersListener final : public ChangeStream::Listener {
 public:
  // All outlive it. `upstream`: the loop with the connections to the API. `is_ready`: the API can be reached.
  // Throws std::runtime_error when it cannot listen.
  PayersListener(const http::ServerOptions& listen, const HttpUrl& url, const Dependencies& dependencies,
                 http::EventLoop& upstream, const ApiAccess& access, std::function<bool()> is_ready);

  // ChangeStream::Listener, on the upstream's loop.
  void on_change(std::string_view data) override;
  void on_gap() override;

  // On the upstream's loop, as stop_upstream.
  void start_upstream() { comment(); }
  void stop_upstream();
  void start() { server_.start(); }
  // Streams first, since they would wait for longer than the grace.
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

// The dashboard, wired: its listener, and what passes its requests on to the API. Listens once it is made.
class DashboardListener {
 public:
  // As PayersListener. `url` absent: http://localhost with the port that it listens on.
  DashboardListener(const http::ServerOptions& listen, const std::optional<HttpUrl>& url,
                    const Dependencies& dependencies, http::EventLoop& upstream, const ApiAccess& access,
                    std::function<bool()> is_ready);

  // On the upstream's loop.
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
  DashboardSite site_;  // asked once the server has started
};

}  // namespace pixledger::web
