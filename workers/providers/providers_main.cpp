#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/platform/lower_priority.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/options.h"
#include "eventstore/process/service_options.h"
#include "projections/providers/provider_repository.h"
#include "workers/common/worker_process.h"
#include "workers/providers/api_pix/bank_network.h"
#include "workers/providers/provider_worker.h"

namespace {

using namespace pixledger;

struct Options {
  eventstore::CommonOptions common;
  eventstore::ProvidersOptions providers;
};

// Read from the beginning where there is no place: what was done already is not open.
void begin_at_the_beginning(projections::ProviderRepository& database, const eventstore::Log& log) {
  if (!database.cursor()) database.apply({}, projections::cursor_at(log, domain::Position(0)));
}

int run(const Options& options) {
  workers::ProviderWorkerOptions worker_options;
  if (!options.providers.polls.empty())
    worker_options.polls = eventstore::parse_option<workers::PollPlan>("--polls", options.providers.polls);
  eventstore::SystemClock clock;
  eventstore::SystemEntropy entropy;
  eventstore::SystemResolver resolver;
  eventstore::Logger logger(options.common.log_format, clock);
  auto ledger = eventstore::Ledger::open(options.common.data, options.common.lmdb());

  const auto directory = options.common.data.worker("providers");
  const auto turn = workers::begin_worker(logger,
                                          {.program = "pixledger-providers",
                                           .data = options.common.data,
                                           .log = *ledger.log,
                                           .addresses = "none"},
                                          directory);
  if (!turn) return eventstore::kExitDone;

  projections::ProviderRepository database(directory / projections::kProvidersFile);
  begin_at_the_beginning(database, *ledger.log);
  eventstore::Executor executor(*ledger.log, clock, entropy);
  workers::BankNetwork network(
      resolver, {.ca_file = options.providers.ca_file, .allow_http = options.providers.allow_http});
  workers::ProviderWorker worker({.log = *ledger.log,
                                  .keyring = ledger.keyring,
                                  .clock = clock,
                                  .entropy = entropy,
                                  .logger = logger,
                                  .executor = executor,
                                  .database = database,
                                  .network = network},
                                 worker_options);
  logger.info("the providers' worker is at work");
  workers::serve_until_stopped([&worker] { worker.check(); });
  worker.stop();
  logger.info("the providers' worker has stopped");
  turn->run.end_cleanly();
  return eventstore::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  eventstore::block_stop_signals();
  eventstore::CommandLine app("Speaks to the banks behind pixledger's live charges");
  Options options;
  eventstore::add_common_options(app, options.common);
  eventstore::add_providers_options(app, options.providers);
  return eventstore::run_main(app, options.common, argc, argv, eventstore::ProgramKind::kService, [&] {
    return workers::with_poco_texts(options.common.data.worker("providers"), [&] { return run(options); });
  });
}
