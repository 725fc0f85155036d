#include <algorithm>
#include <csignal>
#include <cstdio>
#include <string>
#include <thread>

#include "domain/values/ip_address.h"
#include "eventstore/net/host_port.h"
#include "eventstore/net/http_url.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/descriptor_limit.h"
#include "eventstore/platform/entropy.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/logging.h"
#include "eventstore/process/options.h"
#include "eventstore/process/service_options.h"
#include "http/transport/served_certificate.h"
#include "web/web_app.h"

namespace {

using namespace pixledger;

// Within the ten seconds in which it ends when asked to.
constexpr std::chrono::seconds kDrain{8};
constexpr std::size_t kOtherDescriptors = 256;

struct WebFlags {
  eventstore::CommonOptions common;
  eventstore::WebOptions web;
};

std::string scheme_of(const eventstore::WebOptions& given) {
  return given.tls_cert.empty() ? "http://" : "https://";
}

web::WebOptions web_options(const eventstore::WebOptions& given) {
  eventstore::refuse(eventstore::check(given));
  if (given.web_key_file.empty())
    throw eventstore::UsageError(
        "--web-key-file is missing: the file with the key that pixledger-server made");
  const auto listen = eventstore::HostPort::parse(given.pay_listen).value();
  web::WebOptions options;
  options.pay.host = listen.host;
  options.pay.port = listen.port;
  options.pay.loops = given.loops != 0 ? given.loops : std::max(1U, std::thread::hardware_concurrency());
  // Of one address there may be any number: payers share the addresses of their carriers, what an idle
  // connection holds is taken for one that asks something, and streams have their limit by token.
  options.pay.max_connections_per_address = 0;
  options.pay.tls_cert_file = given.tls_cert;
  options.pay.tls_key_file = given.tls_key;
  for (const auto& range : given.trusted_proxies)
    options.pay.trusted_proxies.push_back(domain::Cidr::parse(range).value());
  // With port 0 the pages' own addresses are not known yet; Host says them.
  const bool is_fixed = given.pay_url.empty() && listen.port != 0;
  const auto served_at = scheme_of(given) + (is_fixed ? given.pay_listen : "localhost");
  options.pay_url = eventstore::HttpUrl::parse(given.pay_url.empty() ? served_at : given.pay_url).value();
  options.api = eventstore::HttpUrl::parse(given.api).value();
  options.api_port_file = given.api_port_file;
  options.key_file = given.web_key_file;
  options.ca_file = given.ca_file;
  if (!given.metrics_listen.empty())
    options.metrics_listen = eventstore::HostPort::parse(given.metrics_listen).value();
  return options;
}

// As many connections as the process may have descriptors for.
void fit_descriptors(http::ServerOptions& options, eventstore::Logger& logger) {
  const auto limit = eventstore::raise_descriptor_limit(options.max_connections + kOtherDescriptors);
  if (limit >= options.max_connections + kOtherDescriptors) return;
  const auto fitting = limit > 2 * kOtherDescriptors ? limit - kOtherDescriptors : limit / 2;
  // Nearly as many do as well.
  const auto level =
      2 * fitting < options.max_connections ? eventstore::LogLevel::kWarning : eventstore::LogLevel::kInfo;
  logger.log(level, "the limit of descriptors allows fewer connections",
             {{"limit", static_cast<std::uint64_t>(limit)},
              {"asked", static_cast<std::uint64_t>(options.max_connections)},
              {"connections", static_cast<std::uint64_t>(fitting)}});
  options.max_connections = fitting;
}

// On SIGHUP, which asks not to stop but to look at files again.
void read_certificate_anew(http::ServedCertificate* certificate, eventstore::Logger& logger) {
  if (!certificate) {
    logger.info("there is no certificate to read anew");
    return;
  }
  try {
    certificate->read_anew();
    const domain::Timestamp end(certificate->ends_at_unix_s() * 1000);
    logger.info("the certificate was read anew", {{"validUntil", domain::to_iso8601(end)}});
  } catch (const std::exception& error) {
    logger.error("the new certificate cannot be used, the old one stays", {{"fault", error.what()}});
  }
}

int serve(const WebFlags& flags) {
  auto options = web_options(flags.web);
  eventstore::block_stop_signals();
  const eventstore::SystemClock clock;
  eventstore::SystemEntropy entropy;
  eventstore::Logger logger(flags.common.log_format, clock);
  logger.info("starting",
              {{"program", "pixledger-web"}, {"version", PIXLEDGER_VERSION}, {"api", options.api.origin()}});
  fit_descriptors(options.pay, logger);
  web::WebApp app(options, clock, entropy, logger);
  if (!flags.web.port_file.empty()) eventstore::write_port_file(flags.web.port_file, app.port());
  app.start();
  if (options.metrics_listen)
    logger.info("metrics are served",
                {{"address", eventstore::HostPort{options.metrics_listen->host, app.metrics_port()}.text()}});
  const auto address = scheme_of(flags.web) + eventstore::HostPort{options.pay.host, app.port()}.text();
  logger.info("payers' pages are served", {{"address", address}});
  std::printf("pixledger-web ready on %s\n", address.c_str());
  std::fflush(stdout);
  while (eventstore::wait_for_stop() == SIGHUP) read_certificate_anew(app.certificate(), logger);
  logger.info("stopping");
  app.stop(kDrain);
  return eventstore::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  eventstore::CommandLine app("Payers' pages of pixledger", "pixledger-web");
  WebFlags flags;
  eventstore::add_options_without_data(app, flags.common);
  eventstore::add_web_options(app, flags.web);
  return eventstore::run_main(app, flags.common, argc, argv, eventstore::ProgramKind::kService,
                              [&flags] { return serve(flags); });
}
