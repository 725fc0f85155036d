#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "eventstore/net/host_port.h"
#include "eventstore/net/webhook_target.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/process/logging.h"
#include "http/front/failed_authentications.h"
#include "http/front/rate_limit.h"
#include "http/metrics/access_metrics.h"
#include "http/metrics/command_metrics.h"
#include "http/metrics/health_metrics.h"
#include "http/metrics/metrics_page.h"
#include "http/metrics/readiness.h"
#include "http/metrics/request_metrics.h"
#include "http/metrics/worker_metrics.h"
#include "http/routing/router.h"
#include "http/services/command_fault_log.h"
#include "http/services/long_polls.h"
#include "http/services/services.h"
#include "http/services/store_watch.h"
#include "http/transport/server.h"
#include "projections/generations/current_views.h"
#include "projections/generations/erasure_keeper.h"
#include "projections/generations/generation_watch.h"
#include "projections/generations/list_saver.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// What the server stands on; outlives it.
struct ServerFoundations {
  eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const eventstore::Clock& clock;
  eventstore::Entropy& entropy;
  projections::CurrentViews& views;
  eventstore::Logger& logger;
  const eventstore::LmdbEnvironment* ledger_environment = nullptr;  // null: the log is not watched
  eventstore::LmdbOptions lmdb{};                                   // of read models to come
  // What this process has to do for a customer's erasure with the memory of the log's own; see ErasureKeeper.
  std::function<void()> scrub_ledger_buffers = [] {};
};

// Where webhooks may go, and what became of those that were sent.
struct WebhookOptions {
  eventstore::TargetPolicy targets;
  std::filesystem::path deliveries_file;           // of the webhook worker; may not be there
  const eventstore::Resolver* resolver = nullptr;  // outlives the server; null: the system's
};

// What stands before the endpoints.
struct FrontOptions {
  RateLimits rates;
  std::optional<eventstore::HostPort> metrics_listen;  // absent: metrics are on the address of the API
};

// The API server, wired: executor, projector, routing table, transport and metrics. Listens once it is made.
class ServerApp {
 public:
  ServerApp(const ServerFoundations& foundations, const ServerOptions& options,
            const FrontOptions& front = {}, const WebhookOptions& webhooks = {});
  // Without grace.
  ~ServerApp();

  // Accepts requests from here on.
  void start();
  // Finishes what is running, within `grace`. Metrics are served to the end.
  void stop(std::chrono::milliseconds grace);
  std::uint16_t port() const { return server_.port(); }
  const std::vector<Route>& routes() const { return router_.routes(); }
  // Where metrics are served, on an address of their own or not.
  std::uint16_t metrics_port() const { return metrics_ ? metrics_->server.port() : server_.port(); }

 private:
  // The metrics' own address.
  struct MetricsFront {
    MetricsFront(const ServerFoundations& foundations, const eventstore::HostPort& listen,
                 const Services& services);
    Router router;
    Server server;
  };

  void add_samples(const ServerFoundations& foundations);

  MetricsPage page_;
  AccessMetrics access_metrics_;
  CommandMetrics command_metrics_;
  CommandFaultLog command_faults_;
  projections::Projector projector_;
  projections::ListSaver list_saver_;
  projections::ErasureKeeper erasures_;
  eventstore::Executor executor_;
  eventstore::StateReader states_;
  CommandGateway commands_;
  Readiness readiness_;
  const eventstore::SystemResolver system_resolver_;
  ChannelTargets targets_;
  const DeliveryRecords deliveries_;
  LongPolls long_polls_;
  Services services_;
  RateLimiter rate_limiter_;
  FailedAuthentications failed_authentications_;
  RequestMetrics request_metrics_;
  Router router_;
  StoreWatch stores_;
  projections::GenerationWatch generations_;
  const HealthMetrics health_metrics_;
  const WorkerMetrics worker_metrics_;
  Server server_;
  std::unique_ptr<MetricsFront> metrics_;
};

}  // namespace pixledger::http
