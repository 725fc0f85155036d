#include "http/server_app.h"

#include "http/front/authentication.h"
#include "http/routes.h"

namespace pixledger::http {
namespace {

// Whoever reads metrics is a machine or two.
constexpr std::size_t kMetricsConnectionsMax = 16;

ServerServices transport_services(const ServerFoundations& foundations, const Router& router,
                                  ServerObserver* observer) {
  ServerServices services;
  services.application = [&router](Request& request) { return router.serve(request); };
  services.entropy = [&entropy = foundations.entropy](std::span<std::byte> bytes) { entropy.fill(bytes); };
  services.unix_time_s = [&clock = foundations.clock] { return clock.now().millis() / 1000; };
  services.log_fault = [&logger = foundations.logger](std::string_view what) {
    logger.error("a request failed", {{"fault", what}});
  };
  services.log_refused_connections = [&logger = foundations.logger](std::uint64_t so_far) {
    logger.warning("connections are refused, since all are busy", {{"refusedSoFar", so_far}});
  };
  services.observer = observer;
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

// Metrics need no key, so it is never asked.
std::optional<Reply> no_guard(Request&, const Route&) { return std::nullopt; }

ServerOptions metrics_server_options(const eventstore::HostPort& listen) {
  ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.max_connections = kMetricsConnectionsMax;
  return options;
}

std::vector<WatchedStore> watched_stores(const ServerFoundations& foundations) {
  std::vector<WatchedStore> stores;
  using Environment = std::shared_ptr<const eventstore::LmdbEnvironment>;
  if (const auto* ledger = foundations.ledger_environment)
    stores.push_back({"ledger", [ledger] { return Environment(Environment(), ledger); }});
  stores.push_back({"views", [&views = foundations.views] {
                      const auto store = views.store();
                      return Environment(store, &store->environment());
                    }});
  return stores;
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

}  // namespace

ServerApp::MetricsFront::MetricsFront(const ServerFoundations& foundations,
                                      const eventstore::HostPort& listen, const Services& services)
    : router(routes_of(services, Routes::kMetrics), no_guard),
      server(metrics_server_options(listen), transport_services(foundations, router, nullptr)) {}

ServerApp::ServerApp(const ServerFoundations& foundations, const ServerOptions& options,
                     const FrontOptions& front, const WebhookOptions& webhooks)
    : access_metrics_(page_.registry()),
      command_metrics_(page_.registry(), foundations.clock),
      command_faults_(command_metrics_, foundations.logger),
      projector_(foundations.views.in_use()->store(), foundations.log),
      list_saver_(foundations.views, projector_,
                  [&logger = foundations.logger](const std::string& fault) {
                    logger.error("the lists' snapshot could not be written", {{"fault", fault}});
                  }),
      erasures_(foundations.views, foundations.scrub_ledger_buffers,
                [&logger = foundations.logger](const std::string& fault) {
                  logger.error("an erased customer's data could not be removed from the read models yet",
                               {{"fault", fault}});
                }),
      executor_(foundations.log, foundations.clock, foundations.entropy, &projector_, {}, &command_faults_),
      states_(foundations.log),
      commands_(executor_, projector_),
      readiness_(foundations.log, foundations.clock, projector_, command_metrics_),
      targets_(webhooks.targets, webhooks.resolver
                                     ? *webhooks.resolver
                                     : static_cast<const eventstore::Resolver&>(system_resolver_)),
      deliveries_(webhooks.deliveries_file),
      long_polls_(projector_),
      services_{
          foundations.log, foundations.keyring, foundations.clock, states_, foundations.views,   projector_,
          commands_,       readiness_,          long_polls_,       page_,   foundations.entropy, targets_,
          deliveries_},
      rate_limiter_(front.rates),
      request_metrics_(routes_of(services_, main_routes(front))),
      router_(routes_of(services_, main_routes(front)),
              make_guard({foundations.log, states_, foundations.clock, rate_limiter_, failed_authentications_,
                          access_metrics_})),
      stores_(watched_stores(foundations), foundations.logger),
      generations_(foundations.views, projector_, foundations.log, generation_options(foundations)),
      health_metrics_(readiness_, projector_, foundations.views.in_use()->directory().parent_path()),
      worker_metrics_(webhooks.deliveries_file.parent_path().parent_path(), foundations.log,
                      foundations.clock, foundations.lmdb),
      server_(options, transport_services(foundations, router_, &request_metrics_)) {
  add_samples(foundations);
  if (front.metrics_listen)
    metrics_ = std::make_unique<MetricsFront>(foundations, *front.metrics_listen, services_);
}

void ServerApp::add_samples(const ServerFoundations& foundations) {
  const auto gauge = [this](const char* name, const char* help, std::function<double()> value) {
    page_.sample(name, help, prometheus::MetricType::Gauge, std::move(value));
  };
  const auto& log = foundations.log;
  const auto& views = foundations.views;
  page_.add(request_metrics_);
  page_.add(stores_);
  page_.add(health_metrics_);
  page_.add(worker_metrics_);
  gauge("pixledger_views_generation", "Number of the generation of read models in use",
        [&views] { return static_cast<double>(projections::number_of(views.in_use()->directory())); });
  page_.sample("pixledger_views_adoptions_total", "Generations adopted since the server started",
               prometheus::MetricType::Counter,
               [this] { return static_cast<double>(generations_.adopted()); });
  gauge("pixledger_http_connections", "Open connections",
        [this] { return static_cast<double>(server_.open_connections()); });
  gauge("pixledger_http_busy_threads", "Threads that serve a connection",
        [this] { return static_cast<double>(server_.busy_threads()); });
  gauge("pixledger_http_long_polls", "Requests that wait for events",
        [this] { return static_cast<double>(long_polls_.waiting()); });
  page_.sample("pixledger_http_refused_connections_total", "Connections refused because there were too many",
               prometheus::MetricType::Counter,
               [this] { return static_cast<double>(server_.refused_connections()); });
  gauge("pixledger_executor_waiting_commands", "Commands in the executor's queue",
        [this] { return static_cast<double>(executor_.waiting()); });
  gauge("pixledger_projection_lag_events", "Events of the ledger that the read models do not show yet",
        [this, &log] {
          // In this order, or the views could be ahead.
          const auto applied = projector_.applied().value();
          return static_cast<double>(log.head().position.value() - applied);
        });
  gauge("pixledger_ledger_events", "Events in the ledger",
        [&log] { return static_cast<double>(log.head().position.value()); });
  gauge("pixledger_unapplied_payments", "Payments that arrived, could not be applied and are not settled",
        [&views] { return static_cast<double>(views.store()->unapplied_payments()); });
  gauge("pixledger_list_column_bytes", "Memory of the transaction lists, text left out",
        [&views] { return static_cast<double>(views.store()->list_memory().column_bytes); });
  gauge("pixledger_list_text_bytes", "Memory of the texts that the transaction lists search",
        [&views] { return static_cast<double>(views.store()->list_memory().text_bytes); });
  prometheus::BuildGauge()
      .Name("pixledger_build_info")
      .Help("What is running")
      .Register(page_.registry())
      .Add({{"version", PIXLEDGER_VERSION}})
      .Set(1);
}

void ServerApp::start() {
  if (metrics_) metrics_->server.start();
  server_.start();
}

ServerApp::~ServerApp() { stop(std::chrono::milliseconds(0)); }

void ServerApp::stop(std::chrono::milliseconds grace) {
  // They would hold their threads for longer than the grace.
  long_polls_.stop();
  server_.stop(grace);
  if (metrics_) metrics_->server.stop(std::chrono::milliseconds(0));
}

}  // namespace pixledger::http
