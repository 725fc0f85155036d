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

// The program's configuration.
struct WebOptions {
  std::optional<http::ServerOptions> pay{};        // payers' pages; absent: not served
  HttpUrl pay_url{};                               // as payers see them
  std::optional<http::ServerOptions> dashboard{};  // the dashboard; absent: not served
  std::optional<HttpUrl> dashboard_url{};          // as browsers see it; see DashboardListener
  HttpUrl api{};
  std::filesystem::path api_port_file{};  // contains the API's port instead; see ApiAddress
  std::filesystem::path key_file{};
  std::string ca_file{};                     // accepted issuers of the API's certificate
  std::optional<HostPort> metrics_listen{};  // absent: metrics are at the listeners' addresses
};

// Payers' pages and the dashboard, wired: a listener each, so that their origins never mix, and the stream of
// changes, which shows whether the API is reachable. Keeps no state. The constructor listens.
class WebApp {
 public:
  // All outlive it. Throws std::runtime_error if it cannot listen, or cannot read key or certificates.
  WebApp(const WebOptions& options, const Clock& clock, Entropy& entropy, Logger& logger);
  // Stops without grace.
  ~WebApp();
  WebApp(const WebApp&) = delete;
  WebApp& operator=(const WebApp&) = delete;

  void start();
  // From here on /readyz reports the stop, and each reply closes its connection; requests are still served.
  void begin_draining();
  // Ends streams and finishes running requests within `grace`.
  void stop(std::chrono::milliseconds grace);

  // nullopt without such a listener.
  std::optional<std::uint16_t> pay_port() const;
  std::optional<std::uint16_t> dashboard_port() const;
  std::optional<std::uint16_t> metrics_port() const;
  // Of all listeners with TLS.
  std::vector<http::ServedCertificate*> certificates();

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pixledger::web
