#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "eventstore/net/host_port.h"
#include "eventstore/net/http_url.h"
#include "http/transport/server.h"

namespace pixledger::eventstore {
class Clock;
class Entropy;
class Logger;
}  // namespace pixledger::eventstore

namespace pixledger::web {

// What the program is told.
struct WebOptions {
  http::ServerOptions pay;      // where payers' pages are served
  eventstore::HttpUrl pay_url;  // as payers see them
  eventstore::HttpUrl api;
  std::filesystem::path api_port_file{};  // has the API's port instead; see ApiAddress
  std::filesystem::path key_file{};
  std::string ca_file{};                                 // certificates that the API's may be issued by
  std::optional<eventstore::HostPort> metrics_listen{};  // absent: metrics are on the pages' address
};

// The payers' pages, wired: listener, client of the API, and the stream of changes that all pages hang on. No
// state is kept. Listens once it is made.
class WebApp {
 public:
  // All outlive it. Throws std::runtime_error when it cannot listen, or cannot read key or certificates.
  WebApp(const WebOptions& options, const eventstore::Clock& clock, eventstore::Entropy& entropy,
         eventstore::Logger& logger);
  // Without grace.
  ~WebApp();
  WebApp(const WebApp&) = delete;
  WebApp& operator=(const WebApp&) = delete;

  void start();
  // Ends streams, and lets running requests finish within `grace`.
  void stop(std::chrono::milliseconds grace);

  std::uint16_t port() const;
  std::uint16_t metrics_port() const;
  http::ServedCertificate* certificate();  // null without TLS

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pixledger::web
