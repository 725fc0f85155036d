#include <memory>
#include <utility>
#include <vector>

#include "base/net/http_url.h"
#include "base/platform/signals.h"
#include "base/process/service_options.h"
#include "base/values/ip_address.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/api_pix/bank_http.h"
#include "workers/banks/callback_server.h"
#include "workers/banks/provider_worker.h"
#include "workers/common/mains.h"
#include "workers/common/worker_process.h"

namespace {

using namespace pixledger;

struct Options {
  eventstore::LedgerOptions common;
  ProvidersOptions providers;
};

std::unique_ptr<workers::CallbackServer> listen_for_callbacks(const ProvidersOptions& options,
                                                              workers::CallbackHandler& handler,
                                                              const Clock& clock, Entropy& entropy) {
  if (options.callback_listen.empty()) return nullptr;
  std::vector<Cidr> proxies;
  for (const auto& range : options.callback_proxies) proxies.push_back(Cidr::parse(range).value());
  auto server = std::make_unique<workers::CallbackServer>(
      workers::CallbackServerOptions{.listen = *HostPort::parse(options.callback_listen),
                                     .tls = {.certificate = options.callback_cert,
                                             .key = options.callback_key,
                                             .client_cas = options.callback_client_cas},
                                     .proxies = std::move(proxies)},
      handler, clock, entropy);
  if (!options.callback_port_file.empty()) write_port_file(options.callback_port_file, server->port());
  return server;
}

// On SIGHUP: reads the TLS files again, and does not stop the worker.
void read_certificate_anew(workers::CallbackServer* callbacks, Logger& logger) {
  try {
    const auto end = callbacks ? callbacks->read_anew() : std::nullopt;
    if (end)
      logger.info("the certificate was read anew", {{"validUntil", to_iso8601(*end)}});
    else
      logger.info("there is no certificate to read anew");
  } catch (const std::exception& error) {
    logger.error("the new certificate cannot be used, the old one stays", {{"fault", error.what()}});
  }
}

// `unsaved` outlives the worker that a refused write ends.
int run(const Options& options, const std::shared_ptr<workers::UnsavedBankCounts>& unsaved) {
  pixledger::refuse(check(options.providers));
  workers::ProviderWorkerOptions worker_options;
  if (!options.providers.polls.empty())
    worker_options.polls = parse_option<workers::PollPlan>("--polls", options.providers.polls);
  SystemClock clock;
  SystemEntropy entropy;
  SystemResolver resolver;
  Logger logger(options.common.log_format, clock);
  auto ledger = eventstore::Ledger::open(options.common);

  const auto& listen = options.providers.callback_listen;
  const auto addresses = listen.empty() ? "none" : HostPort::parse(listen)->text_unbound();
  const auto directory = options.common.data.worker("providers");
  const auto turn = workers::begin_worker(logger,
                                          {.program = "pixledger-providers",
                                           .data = options.common.data,
                                           .log = *ledger.log,
                                           .addresses = addresses},
                                          directory, workers::Hangup::kReadsAnew);
  if (!turn) return kExitDone;

  stores::ProviderRepository database(directory / stores::kProvidersFile);
  workers::choose_start(database, *ledger.log, logger);
  eventstore::Executor executor(*ledger.log, clock, entropy);
  workers::BankNetwork network(
      resolver, {.ca_file = options.providers.ca_file, .allow_http = options.providers.allow_http});
  const auto spans =
      SpanExporter::open(options.providers.otlp, "pixledger-providers", clock, entropy, logger);
  const stores::EventTraces traces(options.common.data.traces(), clock, entropy, spans.get(), logger);
  workers::ProviderWorker worker({.log = *ledger.log,
                                  .keyring = ledger.keyring,
                                  .clock = clock,
                                  .entropy = entropy,
                                  .logger = logger,
                                  .executor = executor,
                                  .database = database,
                                  .network = network,
                                  .directory = directory,
                                  .unsaved = unsaved,
                                  .traces = &traces},
                                 worker_options);
  const auto callbacks = listen_for_callbacks(options.providers, worker.callbacks(), clock, entropy);
  if (callbacks) logger.info("banks may call back", {{"port", callbacks->port()}});
  logger.info("the providers' worker is at work");
  workers::serve_until_stopped([&] { worker.check(); },
                               [&] { read_certificate_anew(callbacks.get(), logger); });
  if (callbacks) callbacks->stop();
  worker.stop();
  logger.info("the providers' worker has stopped");
  turn->run.end_cleanly();
  return kExitDone;
}

}  // namespace

int pixledger::workers::providers_main(int argc, char** argv) {
  block_stop_signals();
  CommandLine app("Speaks to the banks behind pixledger's live charges");
  Options options;
  add_common_options(app, options.common);
  add_providers_options(app, options.providers);
  const auto unsaved = std::make_shared<workers::UnsavedBankCounts>();
  return eventstore::run_on_ledger(app, options.common, argc, argv, ProgramKind::kService, [&] {
    return workers::run_worker(
        options.common, options.common.data.worker("providers") / stores::kProvidersFile,
        [&] { return run(options, unsaved); }, workers::Hangup::kReadsAnew);
  });
}
