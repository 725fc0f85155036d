#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

#include "base/http/transport/event_loop.h"
#include "base/http/transport/server.h"
#include "base/net/http_url.h"
#include "base/process/at_most_every.h"
#include "web/dependencies.h"
#include "web/site/live/live_pages.h"
#include "web/site/payer_site.h"
#include "web/upstream/api_client.h"
#include "web/upstream/change_stream.h"

namespace pixledger::web {

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

}  // namespace pixledger::web
