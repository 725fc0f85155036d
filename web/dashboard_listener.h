#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include "base/http/transport/event_loop.h"
#include "base/http/transport/server.h"
#include "base/net/http_url.h"
#include "base/process/at_most_every.h"
#include "web/dependencies.h"
#include "web/gateway/dashboard_site.h"
#include "web/upstream/api_relay.h"

namespace pixledger::web {

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
