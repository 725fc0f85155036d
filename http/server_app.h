#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/http/transport/server.h"
#include "base/net/http_url.h"
#include "base/net/webhook_target.h"
#include "base/platform/data_directory.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log_snapshot.h"
#include "http/dispatch/worker_pool.h"
#include "http/front/rate_limit.h"
#include "http/front/request_log.h"
#include "http/routing/router.h"
#include "http/services/payer_pages.h"

namespace pixledger {
class Clock;
class Entropy;
class Logger;
class SpanExporter;
}  // namespace pixledger

namespace pixledger::stores {
class AccountRepository;
}  // namespace pixledger::stores

namespace pixledger::eventstore {
class Cluster;
class Keyring;
class LmdbEnvironment;
class Log;
}  // namespace pixledger::eventstore

namespace pixledger::projections {
class CurrentViews;
}  // namespace pixledger::projections

namespace pixledger::http {

// What the server is built on; outlives it.
struct ServerFoundations {
  DataDirectory data;  // the directory of everything below
  eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const Clock& clock;
  Entropy& entropy;
  projections::CurrentViews& views;
  stores::AccountRepository& accounts;
  Logger& logger;
  const eventstore::LmdbEnvironment* ledger_environment = nullptr;  // null: the log is not watched
  eventstore::LmdbOptions lmdb{};                                   // of later generations of the read models
  // Clears an erased customer's data from this process' own buffers of the log; see ErasureKeeper.
  std::function<void()> scrub_ledger_buffers = [] {};
  std::vector<eventstore::EndedEpoch> ended_epochs{};  // of the log
  const eventstore::Cluster* cluster = nullptr;        // null: the ledger is on this machine alone
  SpanExporter* spans = nullptr;                       // null: spans are not sent
};

// The allowed targets of webhooks.
struct WebhookOptions {
  TargetPolicy targets;
  const Resolver* resolver = nullptr;  // outlives the server; null: the system's
};

// The layers before the endpoints.
struct FrontOptions {
  RateLimits rates;
  LoggedRequests logged_requests = LoggedRequests::kErrors;
  PoolLimits pool{};
  std::optional<HostPort> metrics_listen;  // absent: metrics are served at the API's address
  // The dashboard's URL with a host name; passkeys are bound to that host.
  std::string dashboard_url = "http://localhost:8090";
};

// Payers' pages, which another program serves.
struct CheckoutOptions {
  std::string pay_url{};            // empty: there are no pages
  std::optional<WebKey> web_key{};  // absent: no server may call on behalf of payers
};

// The API server, wired: executor, projector, routing table, transport and metrics. The constructor listens.
class ServerApp {
 public:
  ServerApp(const ServerFoundations& foundations, const ServerOptions& options,
            const FrontOptions& front = {}, const WebhookOptions& webhooks = {},
            const CheckoutOptions& checkout = {});
  // Stops without grace.
  ~ServerApp();

  // Starts to accept requests.
  void start();
  // From here on /readyz reports the stop, and each reply closes its connection; requests are still served.
  void begin_draining();
  // Finishes running requests within `grace`. Metrics are served until the end.
  void stop(std::chrono::milliseconds grace);
  std::uint16_t port() const;
  const std::vector<Route>& routes() const;
  ServedCertificate* certificate();  // null without TLS
  // The port of the metrics, which may be the API's.
  std::uint16_t metrics_port() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pixledger::http
