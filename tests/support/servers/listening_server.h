#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/http/transport/server.h"
#include "http/routing/router.h"
#include "tests/support/seeded_entropy.h"

namespace pixledger::tests {

// A server that listens on a free port, with routes that need no key:
// GET and POST /echo answer "METHOD path?query body". GET /large answers kLargeBytes. GET /fault throws.
// GET /wait counts as waiting and is answered after let_go(), GET /work when it is given up.
// GET /stream sends `kStreamed` in pieces. GET and POST /forbidden are refused by their heads.
// GET and POST /later are /echo, but count as waiting and are admitted after let_go().
// Every other request is admitted a little after its head has arrived.
class ListeningServer {
 public:
  static constexpr std::size_t kFileBytesMax = 1024 * 1024;  // of POST /file
  static constexpr std::size_t kLargeBytes = 8 * 1024 * 1024;

  explicit ListeningServer(http::ServerOptions options = {});
  ~ListeningServer();

  std::uint16_t port() const { return server_.port(); }
  http::Server& server() { return server_; }

  // The number of requests that reached a handler.
  int handled() const { return handled_; }
  std::vector<std::string> faults();
  int logged_refusals() const { return logged_refusals_; }

  static constexpr std::string_view kStreamed = "one two three";

  // Blocks until so many requests wait for let_go().
  void await_waiting(int requests);
  void let_go();

 private:
  std::vector<http::Route> routes();
  bool prepare(const http::Responder& responder);
  void serve(const http::Responder& responder);
  http::ServerServices services();

  SeededEntropy entropy_{1};
  std::atomic<int> handled_{0};
  std::atomic<int> logged_refusals_{0};
  std::atomic<int> waiting_{0};
  std::mutex mutex_;
  bool may_go_ = false;
  bool waits_ = false;
  std::vector<http::Responder> preparing_;
  std::vector<http::Responder> held_;
  std::vector<std::thread> working_;
  std::vector<std::string> faults_;
  http::Router router_;
  http::Server server_;
};

}  // namespace pixledger::tests
