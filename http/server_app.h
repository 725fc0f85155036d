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

// What the server stands on; outlives it.
struct ServerFoundations {
  DataDirectory data;  // of all that follows
  eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const Clock& clock;
  Entropy& entropy;
  projections::CurrentViews& views;
  stores::AccountRepository& accounts;
  Logger& logger;
  const eventstore::LmdbEnvironment* ledger_environment = nullptr;  // null: the log is not watched
  eventstore::LmdbOptions lmdb{};                                   // of read models to come
  // What this process has to do for a customer's erasure with the memory of the log's own; see ErasureKeeper.
  std::function<void()> scrub_ledger_buffers = [] {};
  std::vector<eventstore::EndedEpoch> ended_epochs{};  // of the log
  const eventstore::Cluster* cluster = nullptr;        // null: the ledger is of this machine alone
};

// Where webhooks may go.
struct WebhookOptions {
  TargetPolicy targets;
  const Resolver* resolver = nullptr;  // outlives the server; null: the system's
};

// What stands before the endpoints.
struct FrontOptions {
  RateLimits rates;
  LoggedRequests logged_requests = LoggedRequests::kErrors;
  PoolLimits pool{};
  std::optional<HostPort> metrics_listen;  // absent: metrics are on the address of the API
  // Where the dashboard is reached, whose host passkeys are for: of a host name.
  std::string dashboard_url = "http://localhost:8090";
};

// Payers' pages, which another program serves.
struct CheckoutOptions {
  std::string pay_url{};            // empty: there are none
  std::optional<WebKey> web_key{};  // absent: nobody may ask for payers
};

// The API server, wired: executor, projector, routing table, transport and metrics. Listens once it is made.
class ServerApp {
 public:
  ServerApp(const ServerFoundations& foundations, const ServerOptions& options,
            const FrontOptions& front = {}, const WebhookOptions& webhooks = {},
            const CheckoutOptions& checkout = {});
  // Without grace.
  ~ServerApp();

  // Accepts requests from here on.
  void start();
  // From here on /readyz says that it stops, and each answer ends its connection; it goes on serving.
  void begin_draining();
  // Finishes what is running, within `grace`. Metrics are served to the end.
  void stop(std::chrono::milliseconds grace);
  std::uint16_t port() const;
  const std::vector<Route>& routes() const;
  ServedCertificate* certificate();  // null without TLS
  // Where metrics are served, on an address of their own or not.
  std::uint16_t metrics_port() const;

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace pixledger::http
