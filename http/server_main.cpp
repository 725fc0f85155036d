#include "http/server_main.h"

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/http/transport/served_certificate.h"
#include "base/net/http_url.h"
#include "base/platform/owner_lock.h"
#include "base/platform/process_limits.h"
#include "base/platform/signals.h"
#include "base/process/logging.h"
#include "base/process/service_options.h"
#include "base/trace/span_exporter.h"
#include "base/values/ip_address.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "eventstore/reading/projects.h"
#include "eventstore/service_start.h"
#include "http/metrics/cluster_watch.h"
#include "http/server_app.h"
#include "http/services/payer_pages.h"
#include "projections/generations/erasure.h"
#include "projections/generations/generation.h"
#include "stores/databases/account_database.h"
#include "stores/sql/refusal.h"

namespace {

using namespace pixledger;

static_assert(kRatePerSecondMax <= http::RateLimiter::kPerSecondMax);
constexpr std::chrono::seconds kOwnerWait{10};
constexpr std::chrono::milliseconds kOwnerLookEvery{50};
constexpr std::chrono::seconds kProgressEvery{5};
// Within the ten seconds that a server has to stop.
constexpr std::chrono::seconds kDrain{8};
// Besides connections: the ledger, read models, logs, and connections that are being refused.
constexpr std::size_t kOtherDescriptors = 1'024;

struct ServerFlags {
  eventstore::LedgerOptions common;
  pixledger::ServerOptions server;
};

http::ServerOptions server_options(const pixledger::ServerOptions& given) {
  const auto listen = parse_option<HostPort>("--listen", given.listen);
  pixledger::refuse(check(given));
  http::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.loops = given.loops != 0 ? given.loops : std::max(1U, std::thread::hardware_concurrency());
  options.max_connections = given.max_connections;
  options.max_connections_per_address = given.max_connections_per_address;
  options.min_send_rate = given.min_send_rate;
  options.idle_timeout = std::chrono::seconds(given.idle_timeout_s);
  options.tls_cert_file = given.tls_cert;
  options.tls_key_file = given.tls_key;
  for (const auto& range : given.trusted_proxies)
    options.trusted_proxies.push_back(Cidr::parse(range).value());
  return options;
}

http::LoggedRequests logged_requests(const std::string& name) {
  if (name == "all") return http::LoggedRequests::kAll;
  return name == "none" ? http::LoggedRequests::kNone : http::LoggedRequests::kErrors;
}

http::FrontOptions front_options(const pixledger::ServerOptions& given) {
  http::FrontOptions front;
  front.rates = {.live_per_s = given.rate_live_per_s, .test_per_s = given.rate_test_per_s};
  front.logged_requests = logged_requests(given.log_requests);
  if (!given.metrics_listen.empty()) front.metrics_listen = HostPort::parse(given.metrics_listen).value();
  front.dashboard_url = given.dashboard_url.empty() ? kDashboardUrl : given.dashboard_url;
  return front;
}

http::WebhookOptions webhook_options(const pixledger::ServerOptions& given) {
  http::WebhookOptions webhooks;
  webhooks.targets.allow_http = given.allow_http;
  for (const auto& range : given.allowed_targets)
    webhooks.targets.allowed.push_back(Cidr::parse(range).value());
  return webhooks;
}

http::CheckoutOptions checkout_options(const pixledger::ServerOptions& given, Entropy& entropy) {
  http::CheckoutOptions checkout{.pay_url = given.pay_url};
  if (!given.web_key_file.empty()) checkout.web_key = http::open_web_key(given.web_key_file, entropy);
  return checkout;
}

std::string base_url(const http::ServerOptions& options, std::uint16_t port) {
  const auto scheme = options.tls_cert_file.empty() ? "http://" : "https://";
  return scheme + HostPort{options.host, port}.text();
}

// SIGHUP only reloads the certificate, which the start reads anyway.
bool is_asked_to_stop(std::chrono::milliseconds within) {
  const auto signal = wait_for_stop(within);
  return signal && *signal != SIGHUP;
}

// The configured addresses; the bound ones are logged later.
std::string addresses(const pixledger::ServerOptions& given) {
  const auto unbound = [](const std::string& listen) { return HostPort::parse(listen)->text_unbound(); };
  const auto metrics = given.metrics_listen.empty() ? "" : ", metrics " + unbound(given.metrics_listen);
  return (given.tls_cert.empty() ? "http://" : "https://") + unbound(given.listen) + metrics;
}

// Waits until another server releases the read models. Null if the process is asked to stop meanwhile.
std::unique_ptr<OwnerLock> wait_for_views(const std::filesystem::path& lock_file, Logger& logger) {
  logger.info("waiting for the read models", {{"usedBy", OwnerLock::holder_of(lock_file)}});
  const auto deadline = std::chrono::steady_clock::now() + kOwnerWait;
  while (std::chrono::steady_clock::now() < deadline) {
    if (is_asked_to_stop(kOwnerLookEvery)) return nullptr;
    if (auto lock = OwnerLock::try_take(lock_file)) return lock;
  }
  return OwnerLock::take_within(lock_file, std::chrono::milliseconds(0));
}

struct AskedToStop {};

// Null if the process is asked to stop meanwhile.
std::unique_ptr<projections::Generation> open_views(const std::filesystem::path& views,
                                                    const eventstore::Log& log,
                                                    const eventstore::LmdbOptions& options, Logger& logger) {
  AtMostEvery pause(kProgressEvery);
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    if (is_asked_to_stop(std::chrono::milliseconds(0))) throw AskedToStop();
    if (done < total && pause.due())
      logger.info("bringing the read models up to the ledger", {{"events", done}, {"of", total}});
  };
  const auto on_disagreement = [&](const projections::Disagreement& found) {
    logger.error(
        "the read models disagreed with the ledger and are built again",
        {{"generation", found.generation},
         {"reason", found.why},
         {"keptIn", found.kept ? found.kept->string() : std::string("nothing: others are kept already")}});
  };
  try {
    return projections::Generation::open_or_build(views, log, options, progress, on_disagreement);
  } catch (const AskedToStop&) {
    return nullptr;
  }
}

// For SIGHUP, which reloads files and does not stop the server.
void read_certificate_anew(http::ServedCertificate* certificate, Logger& logger) {
  if (!certificate) {
    logger.info("there is no certificate to read anew");
    return;
  }
  try {
    certificate->read_anew();
    const Timestamp end(certificate->ends_at_unix_s() * 1000);
    logger.info("the certificate was read anew", {{"validUntil", to_iso8601(end)}});
  } catch (const std::exception& error) {
    logger.error("the new certificate cannot be used, the old one stays", {{"fault", error.what()}});
  }
}

// Raises the limit of descriptors, or lowers max_connections to what it allows.
void fit_descriptors(http::ServerOptions& options, Logger& logger) {
  const auto limit = raise_descriptor_limit(options.max_connections + kOtherDescriptors);
  if (limit >= options.max_connections + kOtherDescriptors) return;
  const auto fitting = limit > 2 * kOtherDescriptors ? limit - kOtherDescriptors : limit / 2;
  // A slightly lower number is no reason for a warning.
  const auto level = 2 * fitting < options.max_connections ? LogLevel::kWarning : LogLevel::kInfo;
  logger.log(level, "the limit of descriptors allows fewer connections",
             {{"limit", static_cast<std::uint64_t>(limit)},
              {"asked", static_cast<std::uint64_t>(options.max_connections)},
              {"connections", static_cast<std::uint64_t>(fitting)}});
  options.max_connections = fitting;
}

// For a shared ledger. Null if the ledger is on this machine alone: there the command erases everything
// itself.
std::unique_ptr<projections::ErasureFollower> follow_erasures(const DataDirectory& data,
                                                              eventstore::Ledger& ledger, Logger& logger) {
  if (!ledger.cluster()) return nullptr;
  return std::make_unique<projections::ErasureFollower>(
      data, *ledger.log, *ledger.cluster(), [&logger](const std::string& fault) {
        logger.error("what was erased at another node could not be removed here yet", {{"fault", fault}});
      });
}

// Least privilege: the server needs fewer rights, and an intruder should not get more.
void warn_of_rights(const eventstore::Ledger& ledger, Logger& logger) {
  if (!ledger.cluster()) return;
  try {
    const auto rights = ledger.cluster()->excess_rights();
    if (!rights.empty())
      logger.warning("PostgreSQL's role may do more than a node needs", {{"rights", rights}});
  } catch (const eventstore::LogUnavailable&) {
    // /readyz reports it.
  }
}

int serve(const ServerFlags& flags) {
  auto options = server_options(flags.server);
  const auto& data = flags.common.data;
  const auto front = front_options(flags.server);
  const auto webhooks = webhook_options(flags.server);
  const SystemClock clock;
  SystemEntropy entropy;
  Logger logger(flags.common.log_format, clock);
  eventstore::Ledger::refuse_missing(data);
  // Receipts are signed; a ledger of an earlier release has no signing key.
  eventstore::Keyring::ensure_signing_key(data.keys(), entropy, clock.now());
  auto ledger = eventstore::Ledger::open(flags.common);
  const auto lock_file = data.views() / "lock";
  const auto turn = eventstore::begin_service(
      logger,
      {.program = "pixledger-server", .data = data, .log = *ledger.log, .addresses = addresses(flags.server)},
      lock_file, [&] { return wait_for_views(lock_file, logger); });
  if (!turn) return kExitDone;
  warn_of_rights(ledger, logger);
  fit_descriptors(options, logger);
  auto generation = open_views(data.views(), *ledger.log, flags.common.lmdb(), logger);
  if (!generation) return kExitDone;
  projections::CurrentViews views(std::move(generation));
  const auto accounts = stores::open_accounts_or_go_on(
      data, [&log = *ledger.log] { return eventstore::has_members(log); },
      [&logger](const std::string& fault) {
        logger.error("nobody can sign in until the accounts are restored; keys go on working",
                     {{"fault", fault}});
      });

  const auto spans = SpanExporter::open(flags.server.otlp, "pixledger-server", clock, entropy, logger);
  const auto ended_epochs = ledger.log->snapshot()->end().ended_epochs;
  http::ServerApp app({.data = data,
                       .log = *ledger.log,
                       .keyring = ledger.keyring,
                       .clock = clock,
                       .entropy = entropy,
                       .views = views,
                       .accounts = *accounts,
                       .logger = logger,
                       .ledger_environment = ledger.environment(),
                       .lmdb = flags.common.lmdb(),
                       .scrub_ledger_buffers = [&log = *ledger.log] { log.scrub_buffers(); },
                       .ended_epochs = ended_epochs,
                       .cluster = ledger.cluster(),
                       .spans = spans.get()},
                      options, front, webhooks, checkout_options(flags.server, entropy));
  if (!flags.server.port_file.empty()) write_port_file(flags.server.port_file, app.port());
  app.start();
  if (front.metrics_listen)
    logger.info("metrics are served",
                {{"address", HostPort{front.metrics_listen->host, app.metrics_port()}.text()}});
  logger.info("the API is served", {{"address", base_url(options, app.port())}});
  std::printf("pixledger-server ready on %s\n", base_url(options, app.port()).c_str());
  std::fflush(stdout);
  const http::NodeWatch watch(ledger.cluster(), logger);
  const auto erasures = follow_erasures(data, ledger, logger);
  while (wait_for_stop() == SIGHUP) read_certificate_anew(app.certificate(), logger);
  logger.info("stopping");
  // Load balancers see it in /readyz and stop sending requests before connections are refused.
  app.begin_draining();
  wait_unless_stopped(std::chrono::milliseconds(std::lround(flags.server.drain_delay_s * 1000)));
  app.stop(kDrain);
  turn->run.end_cleanly();
  return kExitDone;
}

}  // namespace

int pixledger::http::server_main(int argc, char** argv) {
  block_stop_signals();
  CommandLine app("The API server of pixledger", "pixledger-server");
  ServerFlags flags;
  add_common_options(app, flags.common);
  add_server_options(app, flags.server);
  return eventstore::run_on_ledger(app, flags.common, argc, argv, ProgramKind::kService, [&flags] {
    return eventstore::serve_despite_refusals(flags.common.log_format, eventstore::Hangup::kReadsAnew,
                                              [&flags] { return serve(flags); },
                                              {stores::refusal_of, stores::text_of});
  });
}
