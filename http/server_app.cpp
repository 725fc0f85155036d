#include "http/server_app.h"

#include "eventstore/executor/executor.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/process/at_most_every.h"
#include "eventstore/process/logging.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "eventstore/reading/stream_customers.h"
#include "http/dispatch/command_gateway.h"
#include "http/dispatch/dispatcher.h"
#include "http/dispatch/subscriptions.h"
#include "http/dispatch/worker_pool.h"
#include "http/front/authentication.h"
#include "http/front/failed_authentications.h"
#include "http/front/request_log.h"
#include "http/metrics/access_metrics.h"
#include "http/metrics/charge_metrics.h"
#include "http/metrics/cluster_metrics.h"
#include "http/metrics/command_metrics.h"
#include "http/metrics/health_metrics.h"
#include "http/metrics/kept_metrics.h"
#include "http/metrics/metric_faults.h"
#include "http/metrics/metrics_page.h"
#include "http/metrics/operations_metrics.h"
#include "http/metrics/readiness.h"
#include "http/metrics/request_metrics.h"
#include "http/metrics/view_metrics.h"
#include "http/metrics/worker_metrics.h"
#include "http/routes.h"
#include "http/services/bank_presence.h"
#include "http/services/channel_targets.h"
#include "http/services/command_fault_log.h"
#include "http/services/database_watch.h"
#include "http/services/delivery_records.h"
#include "http/services/logo_digests.h"
#include "http/services/payer_refusals.h"
#include "http/services/services.h"
#include "projections/generations/current_views.h"
#include "projections/generations/erasure_keeper.h"
#include "projections/generations/generation_watch.h"
#include "projections/generations/list_saver.h"
#include "projections/generations/projector.h"
#include "projections/stores/worker_stores.h"

namespace pixledger::http {
namespace {

// Whoever reads metrics is a machine or two.
constexpr std::size_t kMetricsConnectionsMax = 16;
constexpr std::chrono::minutes kTellKeyUseFaultEvery{10};

// Why a request could not be processed; no personal data.
auto fault_log(eventstore::Logger& logger) {
  return [&logger](const Request& request, std::string_view what) {
    logger.error("a request failed", {{"requestId", request.request_id},
                                      {"method", method_name(request.method)},
                                      {"route", request.route_pattern},
                                      {"fault", what}});
  };
}

ServerServices transport_services(const ServerFoundations& foundations, const Router& router,
                                  Dispatcher& dispatcher, ServerObserver* observer) {
  ServerServices services;
  services.route = [&router](Request& request) { return router.route(request); };
  services.admit = [&router](Request& request) { return router.admit(request); };
  services.application = [&dispatcher](const Responder& responder) { dispatcher.serve(responder); };
  services.entropy = [&entropy = foundations.entropy](std::span<std::byte> bytes) { entropy.fill(bytes); };
  services.unix_time_s = [&clock = foundations.clock] { return clock.now().millis() / 1000; };
  services.log_fault = fault_log(foundations.logger);
  services.log_refused_connections = [&logger = foundations.logger](std::uint64_t so_far) {
    logger.warning("connections are refused, since there are too many", {{"refusedSoFar", so_far}});
  };
  services.observer = observer;
  return services;
}

// Of the API's address: who asks for the metrics alone needs no key.
ServerServices api_services(const ServerFoundations& foundations, const Router& router,
                            eventstore::StateReader& states, const CheckoutLinks& checkout,
                            Dispatcher& dispatcher, ServerObserver& observer) {
  auto services = transport_services(foundations, router, dispatcher, &observer);
  services.prepare = make_preparation({.log = foundations.log,
                                       .router = router,
                                       .states = states,
                                       .clock = foundations.clock,
                                       .checkout = checkout,
                                       .is_shared = foundations.cluster != nullptr});
  return services;
}

// Those of the API's address, and those of the metrics' own.
enum class Routes { kAll, kAllButMetrics, kMetrics };

std::vector<Route> routes_of(const Services& services, Routes which) {
  auto routes = all_routes(services);
  if (which == Routes::kAll) return routes;
  std::erase_if(routes, [which](const Route& route) {
    return (route.pattern == kMetricsPath) != (which == Routes::kMetrics);
  });
  return routes;
}

Routes main_routes(const FrontOptions& front) {
  return front.metrics_listen ? Routes::kAllButMetrics : Routes::kAll;
}

ServerOptions metrics_server_options(const eventstore::HostPort& listen) {
  ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.max_connections = kMetricsConnectionsMax;
  return options;
}

std::vector<WatchedDatabase> watched_databases(const ServerFoundations& foundations) {
  std::vector<WatchedDatabase> databases;
  using Environment = std::shared_ptr<const eventstore::LmdbEnvironment>;
  if (const auto* ledger = foundations.ledger_environment)
    databases.push_back({"ledger", [ledger] { return Environment(Environment(), ledger); }});
  databases.push_back({"views", [&views = foundations.views] {
                         const auto database = views.database();
                         return Environment(database, &database->environment());
                       }});
  return databases;
}

projections::GenerationWatchOptions generation_options(const ServerFoundations& foundations) {
  projections::GenerationWatchOptions options;
  options.lmdb = foundations.lmdb;
  options.on_adopted = [&logger = foundations.logger](const std::string& name) {
    logger.info("rebuilt read models are in use", {{"generation", name}});
  };
  options.on_refused = [&logger = foundations.logger](const std::string& name, const std::string& reason) {
    logger.warning("rebuilt read models cannot be used", {{"generation", name}, {"reason", reason}});
  };
  return options;
}

MetricsPage::ByLabel room_endings(const ConnectionCounts& counts) {
  const auto count = [&counts](RoomEnding ending) { return static_cast<double>(counts.endings(ending)); };
  return {{"newcomer", count(RoomEnding::kNewcomer)},
          {"slow_request", count(RoomEnding::kSlowRequest)},
          {"slow_reader", count(RoomEnding::kSlowReader)},
          {"idle", count(RoomEnding::kIdle)}};
}

// What the dispatchers of both addresses work with.
using PartsWith = std::function<Dispatcher::Parts(const Router&)>;

// The metrics' own address.
struct MetricsFront {
  MetricsFront(const ServerFoundations& foundations, const eventstore::HostPort& listen,
               const Services& services, const PartsWith& parts_with)
      : router(routes_of(services, Routes::kMetrics), {}),  // without a guard: metrics need no key
        dispatcher(parts_with(router)),
        server(metrics_server_options(listen), transport_services(foundations, router, dispatcher, nullptr)) {
  }

  Router router;
  Dispatcher dispatcher;
  Server server;
};

}  // namespace

struct ServerApp::Parts {
  Parts(const ServerFoundations& foundations, const ServerOptions& options, const FrontOptions& front,
        const WebhookOptions& webhooks, const CheckoutOptions& payers);

  void add_samples(const ServerFoundations& foundations);
  Dispatcher::Parts parts_with(const Router& its_router, eventstore::Logger& logger) {
    return {.router = its_router,
            .projector = projector,
            .commands = commands,
            .subscriptions = subscriptions,
            .pool = pool,
            .lookups = lookups,
            .log_fault = fault_log(logger)};
  }

  MetricFaults metric_faults;
  MetricsPage page;
  AccessMetrics access_metrics;
  ChargeMetrics charge_metrics;
  CommandMetrics command_metrics;
  RefusalMetrics refusal_metrics;
  CommandFaultLog command_faults;
  Subscriptions subscriptions;
  projections::Projector projector;
  projections::ListSaver list_saver;
  projections::ErasureKeeper erasures;
  // Before the executor, which finishes what was submitted when it goes.
  CommandGateway commands;
  eventstore::Executor executor;
  eventstore::StateReader states;
  eventstore::StateHistory history;
  eventstore::StreamCustomers customers;
  const std::vector<eventstore::EndedEpoch> ended_epochs;
  Readiness readiness;
  const eventstore::SystemResolver system_resolver;
  ChannelTargets targets;
  const DeliveryRecords deliveries;
  BankPresence banks;
  const CheckoutLinks checkout;
  PayerRefusals payer_refusals;
  LogoDigests logos;
  Services services;
  RateLimiter rate_limiter;
  FailedAuthentications failed_authentications;
  eventstore::AtMostEvery key_use_fault_due{kTellKeyUseFaultEvery};
  eventstore::KeyUseRecorder key_uses;
  RequestMetrics request_metrics;
  RequestLog request_log;
  Router router;
  WorkerPool pool;
  WorkerPool lookups{kLookupPool};
  Dispatcher dispatcher;
  DatabaseWatch databases;
  projections::GenerationWatch generations;
  const HealthMetrics health_metrics;
  const WorkerMetrics worker_metrics;
  const KeptMetrics kept_worker_metrics;
  const OperationsMetrics operations_metrics;
  const ClusterMetrics cluster_metrics;
  Server server;
  std::unique_ptr<MetricsFront> metrics;
};

ServerApp::Parts::Parts(const ServerFoundations& foundations, const ServerOptions& options,
                        const FrontOptions& front, const WebhookOptions& webhooks,
                        const CheckoutOptions& payers)
    : metric_faults(foundations.logger),
      page(metric_faults),
      access_metrics(page.registry()),
      charge_metrics(page.registry()),
      command_metrics(page.registry(), foundations.clock),
      refusal_metrics(page.registry()),
      command_faults(command_metrics, foundations.logger),
      subscriptions(fault_log(foundations.logger)),
      projector(foundations.views.in_use()->database(), foundations.log,
                [this](const auto& database, const auto& events) {
                  charge_metrics.count(database, events);
                  subscriptions.on_applied(events);
                }),
      list_saver(foundations.views, projector,
                 [&logger = foundations.logger](const std::string& fault) {
                   logger.error("the lists' snapshot could not be written", {{"fault", fault}});
                 }),
      erasures(foundations.views, foundations.scrub_ledger_buffers,
               [&logger = foundations.logger](const std::string& fault) {
                 logger.error("an erased customer's data could not be removed from the read models yet",
                              {{"fault", fault}});
               }),
      commands(executor, projector, refusal_metrics),
      executor(foundations.log, foundations.clock, foundations.entropy, &projector, {}, &command_faults),
      states(foundations.log),
      history(foundations.log),
      customers(foundations.log),
      ended_epochs(foundations.ended_epochs),
      readiness(foundations.log, foundations.clock, projector, command_metrics, foundations.cluster),
      targets(webhooks.targets, webhooks.resolver
                                    ? *webhooks.resolver
                                    : static_cast<const eventstore::Resolver&>(system_resolver)),
      deliveries(projections::WorkerStores::of(foundations.data)),
      banks(foundations.data.workers()),
      checkout(foundations.keyring, payers.pay_url, payers.web_key),
      services{.log = foundations.log,
               .keyring = foundations.keyring,
               .clock = foundations.clock,
               .states = states,
               .history = history,
               .customers = customers,
               .ended_epochs = ended_epochs,
               .views = foundations.views,
               .projector = projector,
               .readiness = readiness,
               .metrics = page,
               .entropy = foundations.entropy,
               .targets = targets,
               .deliveries = deliveries,
               .banks = banks,
               .checkout = checkout,
               .payer_refusals = payer_refusals,
               .logos = logos},
      rate_limiter(front.rates),
      key_uses(foundations.data.key_uses(),
               [this, &logger = foundations.logger](const std::string& fault) {
                 if (key_use_fault_due.due())
                   logger.warning("when keys were last used cannot be kept", {{"fault", fault}});
               }),
      request_metrics(routes_of(services, main_routes(front))),
      request_log(request_metrics, foundations.logger, front.logged_requests),
      router(routes_of(services, main_routes(front)),
             make_guard({.states = states,
                         .clock = foundations.clock,
                         .rate_limiter = rate_limiter,
                         .failed_authentications = failed_authentications,
                         .metrics = access_metrics,
                         .key_uses = key_uses,
                         .checkout = checkout})),
      pool(front.pool),
      dispatcher(parts_with(router, foundations.logger)),
      databases(watched_databases(foundations), foundations.logger),
      generations(foundations.views, projector, foundations.log, generation_options(foundations)),
      health_metrics(readiness, projector, foundations.data.views()),
      worker_metrics(projections::WorkerStores::of(foundations.data), foundations.log, foundations.clock,
                     foundations.lmdb, metric_faults),
      kept_worker_metrics(worker_metrics, foundations.cluster != nullptr),
      operations_metrics(foundations.data),
      cluster_metrics(foundations.cluster),
      server(options, api_services(foundations, router, states, checkout, dispatcher, request_log)) {
  add_samples(foundations);
  if (front.metrics_listen)
    metrics = std::make_unique<MetricsFront>(
        foundations, *front.metrics_listen, services,
        [&](const Router& its) { return parts_with(its, foundations.logger); });
}

void ServerApp::Parts::add_samples(const ServerFoundations& foundations) {
  const auto gauge = [this](const char* name, const char* help, std::function<double()> value) {
    page.sample(name, help, prometheus::MetricType::Gauge, std::move(value));
  };
  const auto& log = foundations.log;
  page.add("requests", request_metrics);
  page.add("databases", databases);
  page.add("health", health_metrics);
  page.add("workers", kept_worker_metrics);
  page.add("operations", operations_metrics);
  page.add("cluster", cluster_metrics);
  page.sample("pixledger_views_adoptions_total", "Generations adopted since the server started",
              prometheus::MetricType::Counter, [this] { return static_cast<double>(generations.adopted()); });
  gauge("pixledger_http_connections", "Open connections",
        [this] { return static_cast<double>(server.open_connections()); });
  gauge("pixledger_http_long_polls", "Requests and streams that wait for events",
        [this] { return static_cast<double>(subscriptions.waiting()); });
  page.sample("pixledger_http_refused_connections_total", "Connections refused because there were too many",
              prometheus::MetricType::Counter,
              [this] { return static_cast<double>(server.refused_connections()); });
  page.sample_by("kind", "pixledger_http_connections_ended_total",
                 "Connections that were refused or ended for want of room", prometheus::MetricType::Counter,
                 [this] { return room_endings(server.connections()); });
  gauge("pixledger_http_reply_bytes", "Bytes of large replies (over 16 KiB) that are being sent",
        [this] { return static_cast<double>(server.reply_bytes()); });
  page.sample("pixledger_http_refused_replies_total",
              "Replies refused because too many large ones are being sent", prometheus::MetricType::Counter,
              [this] { return static_cast<double>(server.refused_replies()); });
  gauge("pixledger_http_waiting_requests", "Requests that wait until others of their project are done",
        [this] { return static_cast<double>(pool.waiting() + lookups.waiting()); });
  page.sample("pixledger_http_refused_turns_total",
              "Requests refused because their project has too many in work", prometheus::MetricType::Counter,
              [this] { return static_cast<double>(dispatcher.refused_turns()); });
  page.sample("pixledger_http_unlogged_errors_total",
              "Refused requests that were not logged, being too many a second",
              prometheus::MetricType::Counter,
              [this] { return static_cast<double>(request_log.left_out()); });
  gauge("pixledger_executor_waiting_commands", "Commands in the executor's queue",
        [this] { return static_cast<double>(executor.waiting()); });
  gauge("pixledger_projection_lag_events", "Events of the ledger that the read models do not show yet",
        [this, &log] {
          // In this order, or the views could be ahead.
          const auto applied = projector.applied().value();
          return static_cast<double>(log.head().position.value() - applied);
        });
  gauge("pixledger_ledger_events", "Events in the ledger",
        [&log] { return static_cast<double>(log.head().position.value()); });
  add_view_samples(page, foundations.views);
  prometheus::BuildGauge()
      .Name("pixledger_build_info")
      .Help("What is running")
      .Register(page.registry())
      .Add({{"version", PIXLEDGER_VERSION}})
      .Set(1);
}

ServerApp::ServerApp(const ServerFoundations& foundations, const ServerOptions& options,
                     const FrontOptions& front, const WebhookOptions& webhooks,
                     const CheckoutOptions& checkout)
    : parts_(std::make_unique<Parts>(foundations, options, front, webhooks, checkout)) {}

ServerApp::~ServerApp() { stop(std::chrono::milliseconds(0)); }

void ServerApp::start() {
  if (parts_->metrics) parts_->metrics->server.start();
  parts_->server.start();
}

void ServerApp::stop(std::chrono::milliseconds grace) {
  // They would wait for longer than the grace.
  parts_->subscriptions.stop();
  parts_->server.stop(grace);
  if (parts_->metrics) parts_->metrics->server.stop(std::chrono::milliseconds(0));
  parts_->pool.stop();
  parts_->lookups.stop();
}

std::uint16_t ServerApp::port() const { return parts_->server.port(); }

ServedCertificate* ServerApp::certificate() { return parts_->server.certificate(); }

const std::vector<Route>& ServerApp::routes() const { return parts_->router.routes(); }

std::uint16_t ServerApp::metrics_port() const {
  return parts_->metrics ? parts_->metrics->server.port() : parts_->server.port();
}

}  // namespace pixledger::http
