#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "http/routing/router.h"
#include "http/transport/server.h"
#include "tests/support/seeded_entropy.h"

namespace pixledger::tests {

// A server that listens on a free port, with a few routes of its own, all without a key:
// GET and POST /echo answer "METHOD path?query body", GET /large answers kLargeBytes, GET /fault throws,
// GET /wait counts itself in and then waits for let_go(), GET /work works until it is given up.
class ListeningServer {
 public:
  static constexpr std::size_t kLargeBytes = 8 * 1024 * 1024;

  explicit ListeningServer(http::ServerOptions options = {});
  ~ListeningServer();

  std::uint16_t port() const { return server_.port(); }
  http::Server& server() { return server_; }

  // How many requests reached a handler.
  int handled() const { return handled_; }
  std::vector<std::string> faults();
  int logged_refusals() const { return logged_refusals_; }

  void await_waiting(int requests);
  void let_go();

 private:
  std::vector<http::Route> routes();
  http::ServerServices services();

  SeededEntropy entropy_{1};
  std::atomic<int> handled_{0};
  std::atomic<int> logged_refusals_{0};
  std::atomic<int> waiting_{0};
  std::atomic<bool> may_go_{false};
  std::mutex mutex_;
  std::vector<std::string> faults_;
  http::Router router_;
  http::Server server_;
};

}  // namespace pixledger::tests
