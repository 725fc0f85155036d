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
#include "base/platform/clock_and_entropy.h"
#include "base/platform/process_limits.h"
#include "base/platform/signals.h"
#include "base/process/logging.h"
#include "base/process/options.h"
#include "base/process/service_options.h"
#include "base/process/version.h"
#include "base/values/ip_address.h"
#include "web/web_app.h"

namespace {

using namespace pixledger;

// Within the ten seconds that the program has to stop.
constexpr std::chrono::seconds kDrain{8};
constexpr std::size_t kDashboardConnections = 2'000;
// For the dashboard, the connections to the API, and everything else.
constexpr std::size_t kOtherDescriptors = 256;
constexpr std::size_t kDashboardDescriptors = kDashboardConnections + 1'088;

struct WebFlags {
  CommonOptions common;
  pixledger::WebOptions web;
};

std::string scheme_of(const pixledger::WebOptions& given) {
  return given.tls_cert.empty() ? "http://" : "https://";
}

// An address to serve, with the options of both listeners.
http::ServerOptions listening(const pixledger::WebOptions& given, const std::string& at) {
  const auto listen = HostPort::parse(at).value();
  http::ServerOptions options;
  options.host = listen.host;
  options.port = listen.port;
  options.loops = given.loops != 0 ? given.loops : std::max(1U, std::thread::hardware_concurrency());
  options.idle_timeout = std::chrono::seconds(given.idle_timeout_s);
  options.tls_cert_file = given.tls_cert;
  options.tls_key_file = given.tls_key;
  for (const auto& range : given.trusted_proxies)
    options.trusted_proxies.push_back(Cidr::parse(range).value());
  return options;
}

web::WebOptions web_options(const pixledger::WebOptions& given) {
  pixledger::refuse(check(given));
  if (given.web_key_file.empty())
    throw UsageError("--web-key-file is missing: the file with the key that pixledger-server made");
  web::WebOptions options;
  const auto pay_listen = pay_listen_of(given);
  if (!pay_listen.empty()) {
    options.pay = listening(given, pay_listen);
    // With port 0 the pages' own URL is unknown until later; Host contains it.
    const bool is_fixed = given.pay_url.empty() && options.pay->port != 0;
    const auto served_at = scheme_of(given) + (is_fixed ? pay_listen : "localhost");
    options.pay_url = HttpUrl::parse(given.pay_url.empty() ? served_at : given.pay_url).value();
  }
  if (!given.dashboard_listen.empty()) {
    options.dashboard = listening(given, given.dashboard_listen);
    options.dashboard->max_connections = kDashboardConnections;
    if (!given.dashboard_url.empty()) options.dashboard_url = HttpUrl::parse(given.dashboard_url).value();
  }
  options.api = HttpUrl::parse(given.api).value();
  options.api_port_file = given.api_port_file;
  options.key_file = given.web_key_file;
  options.ca_file = given.ca_file;
  if (!given.metrics_listen.empty()) options.metrics_listen = HostPort::parse(given.metrics_listen).value();
  return options;
}

// Raises the limit of descriptors, or lowers the payers' max_connections to what it allows. The dashboard
// never has many connections, so its number stays.
void fit_descriptors(web::WebOptions& options, Logger& logger) {
  const auto others = kOtherDescriptors + (options.dashboard ? kDashboardDescriptors : 0);
  const auto asked = options.pay ? options.pay->max_connections : 0;
  const auto limit = raise_descriptor_limit(asked + others);
  if (limit >= asked + others || !options.pay) return;
  const auto fitting = limit > 2 * others ? limit - others : limit / 2;
  // A slightly lower number is no reason for a warning.
  const auto level = 2 * fitting < asked ? LogLevel::kWarning : LogLevel::kInfo;
  logger.log(level, "the limit of descriptors allows fewer connections",
             {{"limit", static_cast<std::uint64_t>(limit)},
              {"asked", static_cast<std::uint64_t>(asked)},
              {"connections", static_cast<std::uint64_t>(fitting)}});
  options.pay->max_connections = fitting;
}

// For SIGHUP, which reloads files and does not stop the program.
void read_certificates_anew(const std::vector<http::ServedCertificate*>& certificates, Logger& logger) {
  if (certificates.empty()) logger.info("there is no certificate to read anew");
  for (auto* certificate : certificates) {
    try {
      certificate->read_anew();
      const Timestamp end(certificate->ends_at_unix_s() * 1000);
      logger.info("the certificate was read anew", {{"validUntil", to_iso8601(end)}});
    } catch (const std::exception& error) {
      logger.error("the new certificate cannot be used, the old one stays", {{"fault", error.what()}});
    }
  }
}

std::string address_of(const WebFlags& flags, const http::ServerOptions& listen, std::uint16_t port) {
  return scheme_of(flags.web) + HostPort{listen.host, port}.text();
}

// Reports the bound addresses to the log and, for callers that wait for them, on standard output.
void tell_addresses(const WebFlags& flags, const web::WebOptions& options, const web::WebApp& app,
                    Logger& logger) {
  std::string ready;
  if (const auto port = app.metrics_port())
    logger.info("metrics are served", {{"address", HostPort{options.metrics_listen->host, *port}.text()}});
  if (const auto port = app.dashboard_port()) {
    ready = address_of(flags, *options.dashboard, *port);
    logger.info("the dashboard is served", {{"address", ready}});
  }
  if (const auto port = app.pay_port()) {
    ready = address_of(flags, *options.pay, *port);
    logger.info("payers' pages are served", {{"address", ready}});
  }
  std::printf("pixledger-web ready on %s\n", ready.c_str());
  std::fflush(stdout);
}

void write_port_file(const std::string& file, std::optional<std::uint16_t> port) {
  if (!file.empty() && port) pixledger::write_port_file(file, *port);
}

int serve(const WebFlags& flags) {
  auto options = web_options(flags.web);
  block_stop_signals();
  const SystemClock clock;
  SystemEntropy entropy;
  Logger logger(flags.common.log_format, clock);
  logger.info("starting",
              {{"program", "pixledger-web"}, {"version", kReleaseVersion}, {"api", options.api.origin()}});
  fit_descriptors(options, logger);
  web::WebApp app(options, clock, entropy, logger);
  write_port_file(flags.web.port_file, app.pay_port());
  write_port_file(flags.web.dashboard_port_file, app.dashboard_port());
  app.start();
  tell_addresses(flags, options, app, logger);
  while (wait_for_stop() == SIGHUP) read_certificates_anew(app.certificates(), logger);
  logger.info("stopping");
  // Load balancers see it in /readyz and stop sending requests before connections are refused.
  app.begin_draining();
  wait_unless_stopped(std::chrono::milliseconds(std::lround(flags.web.drain_delay_s * 1000)));
  app.stop(kDrain);
  return kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine app("Payers' pages and dashboard of pixledger", "pixledger-web");
  WebFlags flags;
  add_options_without_data(app, flags.common);
  add_web_options(app, flags.web);
  return run_main(app, flags.common, argc, argv, ProgramKind::kService, [&flags] { return serve(flags); });
}
