#include "http/server_app.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "base/process/version.h"
#include "base/trace/span_exporter.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "eventstore/reading/stream_customers.h"
#include "http/accounts/passkeys.h"
#include "http/api/endpoints.h"
#include "http/dispatch/dispatcher.h"
#include "http/dispatch/streaming_replies.h"
#include "http/dispatch/subscriptions.h"
#include "http/dispatch/worker_pool.h"
#include "http/front/authentication.h"
#include "http/front/rate_limit.h"
#include "http/front/request_log.h"
#include "http/front/request_traces.h"
#include "http/metrics/cluster_watch.h"
#include "http/metrics/command_metrics.h"
#include "http/metrics/metrics_page.h"
#include "http/metrics/readiness.h"
#include "http/metrics/request_metrics.h"
#include "http/metrics/view_metrics.h"
#include "http/metrics/worker_metrics.h"
#include "http/services/channel_targets.h"
#include "http/services/database_watch.h"
#include "http/services/payer_pages.h"
#include "http/services/services.h"
#include "http/services/sign_in_watch.h"
#include "http/services/worker_records.h"
#include "projections/generations/erasure.h"
#include "projections/generations/generation.h"
#include "projections/generations/generation_watch.h"
#include "projections/generations/projector.h"
#include "stores/databases/worker_databases.h"
#include "stores/deliveries/webhook_composer.h"
#include "stores/traces/kept_traces.h"

namespace pixledger::http {

constexpr std::chrono::minutes kTellKeyUseFaultEvery{10};

// For short queries of the accounts database. A line is an address, maybe of a proxy with many users.
constexpr PoolLimits kSignInPool{.threads = 2, .in_work_of_project_max = 1, .waiting_of_project_max = 256};

// Makes the parts of a dispatcher; both addresses have one.
using PartsWith = std::function<Dispatcher::Parts(const Router&)>;

// The server at the metrics' own address.
struct MetricsFront {
  MetricsFront(const ServerFoundations& foundations, const HostPort& listen, const Services& services,
               const PartsWith& parts_with);

  Router router;
  Dispatcher dispatcher;
  Server server;
};

// The parts of the server.
struct ServerApp::Parts {
  Parts(const ServerFoundations& foundations, const ServerOptions& options, const FrontOptions& front,
        const WebhookOptions& webhooks, const CheckoutOptions& payers);

  void add_samples(const ServerFoundations& foundations);
  ServerServices front_services(const ServerFoundations& foundations);
  Dispatcher::Parts parts_with(const Router& its_router, Logger& logger);

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
  // Null on a shared ledger: nodes would not find each other's traces.
  std::unique_ptr<stores::TraceKeeper> trace_keeper;
  RequestTraces request_traces;
  // Declared before the executor, whose destructor finishes submitted commands.
  CommandGateway commands;
  eventstore::Executor executor;
  eventstore::StateReader states;
  eventstore::StateHistory history;
  eventstore::StreamCustomers customers;
  const std::vector<eventstore::EndedEpoch> ended_epochs;
  Readiness readiness;
  const SystemResolver system_resolver;
  ChannelTargets targets;
  const DeliveryRecords deliveries;
  stores::WebhookComposer webhook_composer;
  BankPresence banks;
  const CheckoutLinks checkout;
  PayerRefusals payer_refusals;
  LogoDigests logos;
  FailedRequests failed_requests;
  const RelyingParty relying_party;
  FailedAuthentications failed_sign_ins{FailedAuthentications::kSignInFailuresMax};
  SignInCounts sign_in_counts;
  WorkerPool sign_in_pool{kSignInPool};
  SignInWatch sign_in_watch;
  AtMostEvery key_use_fault_due{kTellKeyUseFaultEvery};
  eventstore::KeyUseRecorder key_uses;
  Services services;
  RateLimiter rate_limiter;
  FailedAuthentications failed_authentications;
  RequestMetrics request_metrics;
  RequestLog request_log;
  Router router;
  WorkerPool pool;
  WorkerPool lookups{kLookupPool};
  WorkerPool hashing{kHashingPool};
  StreamingReplies streams;
  Dispatcher dispatcher;
  DatabaseWatch databases;
  AccountUpkeep account_upkeep;
  projections::GenerationWatch generations;
  const HealthMetrics health_metrics;
  const WorkerMetrics worker_metrics;
  const KeptMetrics kept_worker_metrics;
  const OperationsMetrics operations_metrics;
  const RedundancyWatch redundancy;
  const ClusterMetrics cluster_metrics;
  Server server;
  std::unique_ptr<MetricsFront> metrics;
};

namespace {

// The server's background tasks, on threads of their own.

// The LMDB environments whose readers are watched; the foundations outlive the watch.
std::vector<WatchedDatabase> watched_databases(const ServerFoundations& foundations) {
  std::vector<WatchedDatabase> databases;
  using SharedEnvironment = std::shared_ptr<const eventstore::LmdbEnvironment>;
  if (const auto* ledger = foundations.ledger_environment)
    databases.push_back({"ledger", [ledger] { return SharedEnvironment(SharedEnvironment(), ledger); }});
  databases.push_back({"views", [&views = foundations.views] {
                         const auto database = views.database();
                         return SharedEnvironment(database, &database->environment());
                       }});
  return databases;
}

// How newer generations of the read models are adopted and logged. The foundations' logger outlives the
// watch.
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

// Only a machine or two read metrics.
constexpr std::size_t kMetricsConnectionsMax = 16;

// Logs why a request failed; contains no personal data.
auto fault_log(Logger& logger) {
  return [&logger](const Request& request, std::string_view what) {
    logger.error("a request failed", {{"requestId", request.request_id},
                                      {"method", method_name(request.method)},
                                      {"route", request.route_pattern},
                                      {"fault", what}});
  };
}

// Without authentication, since metrics need no key.
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

// The routes of the API's address, and of the metrics' own.
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

ServerOptions metrics_server_options(const HostPort& listen) {
  ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.max_connections = kMetricsConnectionsMax;
  return options;
}

}  // namespace

MetricsFront::MetricsFront(const ServerFoundations& foundations, const HostPort& listen,
                           const Services& services, const PartsWith& parts_with)
    : router(routes_of(services, Routes::kMetrics), {}),  // without a guard: metrics need no key
      dispatcher(parts_with(router)),
      server(metrics_server_options(listen), transport_services(foundations, router, dispatcher, nullptr)) {}

Dispatcher::Parts ServerApp::Parts::parts_with(const Router& its_router, Logger& logger) {
  return {.router = its_router,
          .projector = projector,
          .commands = commands,
          .subscriptions = subscriptions,
          .streams = streams,
          .pool = pool,
          .lookups = lookups,
          .hashing = hashing,
          .log_fault = fault_log(logger),
          .note_fault = [this](const std::exception& fault) { readiness.note(fault); }};
}

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
      erasures(
          foundations.views,
          [this, scrub = foundations.scrub_ledger_buffers] {
            projector.note_data_removed();
            scrub();
          },
          [&logger = foundations.logger](const std::string& fault) {
            logger.error("an erased customer's data could not be removed from the read models yet",
                         {{"fault", fault}});
          }),
      trace_keeper(foundations.cluster
                       ? nullptr
                       : std::make_unique<stores::TraceKeeper>(foundations.data.traces(), foundations.clock,
                                                               foundations.logger)),
      request_traces(request_log, foundations.entropy, foundations.spans, trace_keeper.get()),
      commands(executor, projector, refusal_metrics),
      executor(foundations.log, foundations.clock, foundations.entropy, &projector,
               {.traces = &request_traces}, &command_faults),
      states(foundations.log),
      history(foundations.log),
      customers(foundations.log),
      ended_epochs(foundations.ended_epochs),
      readiness(foundations.log, foundations.clock, projector, command_metrics, foundations.cluster),
      targets(webhooks.targets,
              webhooks.resolver ? *webhooks.resolver : static_cast<const Resolver&>(system_resolver)),
      deliveries(stores::WorkerDatabases::of(foundations.data)),
      webhook_composer(foundations.log, foundations.keyring, foundations.ended_epochs),
      banks(foundations.data.workers()),
      checkout(foundations.keyring, payers.pay_url, payers.web_key),
      relying_party(RelyingParty::of(front.dashboard_url).value()),
      sign_in_watch(foundations.accounts, foundations.clock, foundations.logger, {}),
      key_uses(foundations.data.key_uses(),
               [this, &logger = foundations.logger](const std::string& fault) {
                 if (key_use_fault_due.due())
                   logger.warning("when keys were last used cannot be kept", {{"fault", fault}});
               }),
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
               .webhooks = webhook_composer,
               .banks = banks,
               .checkout = checkout,
               .payer_refusals = payer_refusals,
               .logos = logos,
               .failed_requests = failed_requests,
               .key_uses = key_uses,
               .accounts = foundations.accounts,
               .sign_in_watch = sign_in_watch,
               .relying_party = relying_party,
               .failed_sign_ins = failed_sign_ins,
               .sign_in_counts = sign_in_counts},
      rate_limiter(front.rates),
      request_metrics(routes_of(services, main_routes(front))),
      request_log(request_metrics, foundations.logger, front.logged_requests, failed_requests,
                  foundations.clock),
      router(routes_of(services, main_routes(front)),
             make_guard({.states = states,
                         .clock = foundations.clock,
                         .rate_limiter = rate_limiter,
                         .failed_authentications = failed_authentications,
                         .metrics = access_metrics,
                         .key_uses = key_uses,
                         .checkout = checkout})),
      pool(front.pool),
      streams(pool, services, fault_log(foundations.logger)),
      dispatcher(parts_with(router, foundations.logger)),
      databases(watched_databases(foundations), foundations.logger),
      account_upkeep(foundations.accounts, foundations.clock, foundations.logger),
      generations(foundations.views, projector, foundations.log, generation_options(foundations)),
      health_metrics(readiness, projector, foundations.data.views()),
      worker_metrics(stores::WorkerDatabases::of(foundations.data), foundations.log, foundations.clock,
                     foundations.lmdb, metric_faults),
      kept_worker_metrics(worker_metrics, foundations.cluster != nullptr),
      operations_metrics(foundations.data),
      redundancy(foundations.cluster, foundations.logger),
      cluster_metrics(foundations.cluster, redundancy),
      server(options, front_services(foundations)) {
  add_samples(foundations);
  if (front.metrics_listen)
    metrics = std::make_unique<MetricsFront>(
        foundations, *front.metrics_listen, services,
        [&](const Router& its) { return parts_with(its, foundations.logger); });
}

ServerServices ServerApp::Parts::front_services(const ServerFoundations& foundations) {
  auto with = transport_services(foundations, router, dispatcher, &request_traces);
  with.route = [this](Request& request) {
    request_traces.begin(request);
    adopt_browser_address(checkout, request);
    return router.route(request);
  };
  with.body_bytes_max = [this](const Request& request) { return router.route_of(request).file_bytes_max; };
  with.prepare =
      make_preparation({.log = foundations.log,
                        .router = router,
                        .states = states,
                        .clock = foundations.clock,
                        .checkout = checkout,
                        .accounts = foundations.accounts,
                        .cluster = foundations.cluster,
                        .run_on_pool = [this](const std::string& line, std::function<void()> work) {
                          return sign_in_pool.enter(line, std::move(work)) != nullptr;
                        }});
  return with;
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

void ServerApp::begin_draining() {
  parts_->readiness.begin_draining();
  parts_->server.begin_draining();
}

void ServerApp::stop(std::chrono::milliseconds grace) {
  // First, since waiting requests would outlast the grace.
  parts_->subscriptions.stop();
  parts_->server.stop(grace);
  if (parts_->metrics) parts_->metrics->server.stop(std::chrono::milliseconds(0));
  parts_->pool.stop();
  parts_->lookups.stop();
  parts_->hashing.stop();
  parts_->sign_in_pool.stop();
}

std::uint16_t ServerApp::port() const { return parts_->server.port(); }

ServedCertificate* ServerApp::certificate() { return parts_->server.certificate(); }

const std::vector<Route>& ServerApp::routes() const { return parts_->router.routes(); }

std::uint16_t ServerApp::metrics_port() const {
  return parts_->metrics ? parts_->metrics->server.port() : parts_->server.port();
}

// The server's own metrics.

namespace {

MetricsPage::ByLabel room_endings(const ConnectionCounts& counts) {
  const auto count = [&counts](RoomEnding ending) { return static_cast<double>(counts.endings(ending)); };
  return {{"newcomer", count(RoomEnding::kNewcomer)},
          {"slow_request", count(RoomEnding::kSlowRequest)},
          {"slow_reader", count(RoomEnding::kSlowReader)},
          {"idle", count(RoomEnding::kIdle)}};
}

MetricsPage::ByLabel sign_in_results(const SignInCounts& counts) {
  const auto number = [](const std::atomic<std::uint64_t>& count) {
    return static_cast<double>(count.load(std::memory_order_relaxed));
  };
  return {
      {"made", number(counts.made)}, {"failed", number(counts.failed)}, {"limited", number(counts.limited)}};
}

}  // namespace

void ServerApp::Parts::add_samples(const ServerFoundations& foundations) {
  const auto& log = foundations.log;
  page.add("requests", request_metrics);
  page.add("databases", databases);
  page.add("health", health_metrics);
  page.add("workers", kept_worker_metrics);
  page.add("operations", operations_metrics);
  page.add("cluster", cluster_metrics);
  page.sample(Metrics::kViewsAdoptionsTotal, [this] { return static_cast<double>(generations.adopted()); });
  page.sample(Metrics::kHttpConnections, [this] { return static_cast<double>(server.open_connections()); });
  page.sample(Metrics::kHttpLongPolls, [this] { return static_cast<double>(subscriptions.waiting()); });
  page.sample(Metrics::kHttpRefusedConnectionsTotal,
              [this] { return static_cast<double>(server.refused_connections()); });
  page.sample_by(Metrics::kHttpConnectionsEndedTotal, [this] { return room_endings(server.connections()); });
  page.sample(Metrics::kHttpReplyBytes, [this] { return static_cast<double>(server.reply_bytes()); });
  page.sample(Metrics::kHttpRefusedRepliesTotal,
              [this] { return static_cast<double>(server.refused_replies()); });
  page.sample(Metrics::kHttpWaitingRequests,
              [this] { return static_cast<double>(pool.waiting() + lookups.waiting() + hashing.waiting()); });
  page.sample(Metrics::kHttpRefusedTurnsTotal,
              [this] { return static_cast<double>(dispatcher.refused_turns()); });
  page.sample_by(Metrics::kSignInsTotal, [this] { return sign_in_results(sign_in_counts); });
  page.sample(Metrics::kHttpUnloggedErrorsTotal,
              [this] { return static_cast<double>(request_log.left_out()); });
  page.sample(Metrics::kExecutorWaitingCommands, [this] { return static_cast<double>(executor.waiting()); });
  page.sample(Metrics::kProjectionLagEvents, [this, &log] {
    // In this order, or the views could appear to be ahead.
    const auto applied = projector.applied().value();
    return static_cast<double>(log.head().position.value() - applied);
  });
  page.sample(Metrics::kLedgerEvents, [&log] { return static_cast<double>(log.head().position.value()); });
  page.sample_by(Metrics::kOtlpSpansTotal, [spans = foundations.spans] {
    return MetricsPage::ByLabel{{"sent", spans ? static_cast<double>(spans->sent()) : 0},
                                {"dropped", spans ? static_cast<double>(spans->dropped()) : 0}};
  });
  add_view_samples(page, foundations.views);
  page.sample_by(Metrics::kBuildInfo, [] { return MetricsPage::ByLabel{{kReleaseVersion, 1}}; });
}

}  // namespace pixledger::http
