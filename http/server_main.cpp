#include <CLI/CLI.hpp>
#include <cstdio>
#include <optional>
#include <string>
#include <vector>

#include "domain/values/ip_address.h"
#include "eventstore/ledger.h"
#include "eventstore/lmdb/lmdb_scrub.h"
#include "eventstore/net/host_port.h"
#include "eventstore/platform/disk_space.h"
#include "eventstore/platform/owner_lock.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/at_most_every.h"
#include "eventstore/process/logging.h"
#include "eventstore/process/option_rules.h"
#include "eventstore/process/options.h"
#include "eventstore/process/owner.h"
#include "http/server_app.h"
#include "projections/deliveries/delivery_reader.h"
#include "projections/generations/current_views.h"

namespace {

using namespace pixledger;

constexpr std::chrono::seconds kOwnerWait{10};
constexpr std::chrono::milliseconds kOwnerLookEvery{50};
constexpr std::chrono::seconds kProgressEvery{5};
constexpr std::chrono::seconds kDrain{20};

struct ServerFlags {
  eventstore::CommonOptions common;
  std::string listen = "127.0.0.1:8080";
  std::string port_file;
  std::string tls_cert;
  std::string tls_key;
  std::vector<std::string> allow_targets;
  bool allow_http = false;
  std::vector<std::string> trusted_proxies;
  std::string metrics_listen;
  http::RateLimits rates;
};

void add_flags(CLI::App& app, ServerFlags& flags) {
  eventstore::add_common_options(app, flags.common);
  app.add_option("--listen", flags.listen, "Address to accept requests on; port 0 takes any free one")
      ->capture_default_str();
  app.add_option("--port-file", flags.port_file, "File that gets the bound port");
  app.add_option("--tls-cert", flags.tls_cert, "Certificate with its chain (PEM); serves HTTPS")
      ->check(eventstore::must_not_be_a_directory);
  app.add_option("--tls-key", flags.tls_key, "Private key of the certificate (PEM)")
      ->check(eventstore::must_not_be_a_directory);
  eventstore::add_list_option(app, "--allow-target", flags.allow_targets,
                              "Range of addresses (CIDR) that webhooks may go to although it is not public");
  app.add_flag("--allow-http", flags.allow_http, "Let webhooks go to http:// addresses");
  const CLI::Range rates(std::uint32_t{0}, http::RateLimiter::kPerSecondMax);
  app.add_option("--rate-live", flags.rates.live_per_s,
                 "Requests a second that a live key may make, twice that at once; 0 for any number")
      ->check(rates)
      ->capture_default_str();
  app.add_option("--rate-test", flags.rates.test_per_s, "The same for test keys")
      ->check(rates)
      ->capture_default_str();
  app.add_option("--metrics-listen", flags.metrics_listen,
                 "Address of its own for /metrics; port 0 takes any free one, which the log names");
  eventstore::add_list_option(app, "--trusted-proxy", flags.trusted_proxies,
                              "Range of addresses (CIDR) whose X-Forwarded-For says who calls");
}

http::ServerOptions server_options(const ServerFlags& flags) {
  const auto listen = eventstore::parse_option<eventstore::HostPort>("--listen", flags.listen);
  if (flags.tls_cert.empty() != flags.tls_key.empty())
    throw eventstore::UsageError("--tls-cert and --tls-key go together");
  http::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.tls_cert_file = flags.tls_cert;
  options.tls_key_file = flags.tls_key;
  for (const auto& range : flags.trusted_proxies)
    options.trusted_proxies.push_back(eventstore::parse_option<domain::Cidr>("--trusted-proxy", range));
  return options;
}

http::FrontOptions front_options(const ServerFlags& flags) {
  http::FrontOptions front;
  front.rates = flags.rates;
  if (!flags.metrics_listen.empty())
    front.metrics_listen =
        eventstore::parse_option<eventstore::HostPort>("--metrics-listen", flags.metrics_listen);
  return front;
}

http::WebhookOptions webhook_options(const ServerFlags& flags) {
  http::WebhookOptions webhooks;
  webhooks.targets.allow_http = flags.allow_http;
  for (const auto& range : flags.allow_targets)
    webhooks.targets.allowed.push_back(eventstore::parse_option<domain::Cidr>("--allow-target", range));
  webhooks.deliveries_file = flags.common.data.worker("webhooks") / projections::kDeliveriesFile;
  return webhooks;
}

std::string base_url(const http::ServerOptions& options, std::uint16_t port) {
  const auto scheme = options.tls_cert_file.empty() ? "http://" : "https://";
  return scheme + eventstore::HostPort{options.host, port}.text();
}

// Null when the process is asked to stop meanwhile.
std::unique_ptr<eventstore::OwnerLock> take_views(const std::filesystem::path& lock_file,
                                                  eventstore::Logger& logger) {
  using eventstore::OwnerLock;
  auto lock = OwnerLock::try_take(lock_file);
  if (lock) return lock;
  logger.info("waiting for the read models", {{"usedBy", OwnerLock::holder_of(lock_file)}});
  const auto deadline = std::chrono::steady_clock::now() + kOwnerWait;
  while (std::chrono::steady_clock::now() < deadline) {
    if (eventstore::wait_for_stop(kOwnerLookEvery)) return nullptr;
    lock = OwnerLock::try_take(lock_file);
    if (lock) return lock;
  }
  return OwnerLock::take_within(lock_file, std::chrono::milliseconds(0));
}

struct AskedToStop {};

// Null when the process is asked to stop meanwhile.
std::unique_ptr<projections::Generation> open_views(const std::filesystem::path& views,
                                                    const eventstore::Log& log,
                                                    const eventstore::LmdbOptions& options,
                                                    eventstore::Logger& logger) {
  eventstore::AtMostEvery pause(kProgressEvery);
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    if (eventstore::wait_for_stop(std::chrono::milliseconds(0))) throw AskedToStop();
    if (done < total && pause.due())
      logger.info("bringing the read models up to the ledger", {{"events", done}, {"of", total}});
  };
  try {
    return projections::Generation::open_or_build(views, log, options, progress);
  } catch (const AskedToStop&) {
    return nullptr;
  } catch (const std::exception& error) {
    if (!eventstore::is_disk_full(views)) throw;
    throw std::runtime_error("no space left on the disk for the read models in " + views.string() + " (" +
                             error.what() + ")");
  }
}

int serve(const ServerFlags& flags) {
  const auto options = server_options(flags);
  const auto front = front_options(flags);
  const auto webhooks = webhook_options(flags);
  const auto& data = flags.common.data;
  eventstore::become_owner_of(data.root);
  eventstore::block_stop_signals();
  const eventstore::SystemClock clock;
  eventstore::SystemEntropy entropy;
  eventstore::Logger logger(flags.common.log_format, clock);
  eventstore::Ledger::create(data, entropy, clock, flags.common.lmdb());
  // Receipts are signed; a ledger of an earlier release has no key for it.
  eventstore::Keyring::ensure_signing_key(data.keys(), entropy, clock.now());
  auto ledger = eventstore::Ledger::open(data, flags.common.lmdb());
  const auto owner = take_views(data.views() / "lock", logger);
  if (!owner) return eventstore::kExitDone;
  auto generation = open_views(data.views(), *ledger.log, flags.common.lmdb(), logger);
  if (!generation) return eventstore::kExitDone;
  projections::CurrentViews views(std::move(generation));

  http::ServerApp app({.log = *ledger.log,
                       .keyring = ledger.keyring,
                       .clock = clock,
                       .entropy = entropy,
                       .views = views,
                       .logger = logger,
                       .ledger_environment = &ledger.log->environment(),
                       .lmdb = flags.common.lmdb(),
                       .scrub_ledger_buffers =
                           [&log = *ledger.log] {
                             eventstore::scrub_page_buffers([&log](const auto& work) { log.in_turn(work); });
                           }},
                      options, front, webhooks);
  if (!flags.port_file.empty()) eventstore::write_port_file(flags.port_file, app.port());
  app.start();
  if (front.metrics_listen)
    logger.info("metrics are served",
                {{"address", eventstore::HostPort{front.metrics_listen->host, app.metrics_port()}.text()}});
  std::printf("pixledger-server ready on %s\n", base_url(options, app.port()).c_str());
  std::fflush(stdout);
  eventstore::wait_for_stop();
  logger.info("stopping");
  app.stop(kDrain);
  return eventstore::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("The API server of pixledger", "pixledger-server");
  ServerFlags flags;
  add_flags(app, flags);
  return eventstore::run_main(app, flags.common, argc, argv, eventstore::ProgramKind::kService,
                              [&flags] { return serve(flags); });
}
