#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/http/transport/server.h"
#include "base/net/http_url.h"

namespace pixledger {
class Clock;
class Entropy;
class Logger;
}  // namespace pixledger

namespace pixledger::web {

// What the program is told.
struct WebOptions {
  std::optional<http::ServerOptions> pay{};        // where payers' pages are served, if they are
  HttpUrl pay_url{};                               // as payers see them
  std::optional<http::ServerOptions> dashboard{};  // where the dashboard is served, if it is
  std::optional<HttpUrl> dashboard_url{};          // as browsers see it; see DashboardListener
  HttpUrl api{};
  std::filesystem::path api_port_file{};  // has the API's port instead; see ApiAddress
  std::filesystem::path key_file{};
  std::string ca_file{};                     // certificates that the API's may be issued by
  std::optional<HostPort> metrics_listen{};  // absent: metrics are where the rest is
};

// Payers' pages and the dashboard, wired: a listener for each of those there are, so that their origins never
// mix, and the stream of changes that tells whether the API can be reached. No state is kept. Listens once it
// is made.
class WebApp {
 public:
  // All outlive it. Throws std::runtime_error when it cannot listen, or cannot read key or certificates.
  WebApp(const WebOptions& options, const Clock& clock, Entropy& entropy, Logger& logger);
  // Without grace.
  ~WebApp();
  WebApp(const WebApp&) = delete;
  WebApp& operator=(const WebApp&) = delete;

  void start();
  // From here on /readyz says that it stops, and each answer ends its connection; it goes on serving.
  void begin_draining();
  // Ends streams, and lets running requests finish within `grace`.
  void stop(std::chrono::milliseconds grace);

  // nullopt where there is no such listener.
  std::optional<std::uint16_t> pay_port() const;
  std::optional<std::uint16_t> dashboard_port() const;
  std::optional<std::uint16_t> metrics_port() const;
  // Of all listeners that have one.
  std::vector<http::ServedCertificate*> certificates();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pixledger::web
