
#include "base/platform/signals.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "projections/due_charges.h"
#include "workers/common/mains.h"
#include "workers/common/worker_process.h"
#include "workers/expiry/expiry_worker.h"

namespace {

using namespace pixledger;

int serve(const eventstore::LedgerOptions& options) {
  SystemClock clock;
  SystemEntropy entropy;
  Logger logger(options.log_format, clock);
  auto ledger = eventstore::Ledger::open(options);

  const auto directory = options.data.worker("expiry");
  const auto turn = workers::begin_worker(
      logger, {.program = "pixledger-expiry", .data = options.data, .log = *ledger.log, .addresses = "none"},
      directory);
  if (!turn) return kExitDone;

  projections::DueCharges due_charges(directory, *ledger.log, options.lmdb());
  eventstore::Executor executor(*ledger.log, clock, entropy);
  workers::ExpiryWorker worker({*ledger.log, clock, executor, logger, due_charges});
  logger.info("the expiry worker is at work");
  workers::serve_until_stopped([&worker] { worker.check(); });
  worker.stop();
  logger.info("the expiry worker has stopped");
  turn->run.end_cleanly();
  return kExitDone;
}

}  // namespace

int pixledger::workers::expiry_main(int argc, char** argv) {
  block_stop_signals();
  CommandLine app("Records the expiry of pixledger's charges");
  eventstore::LedgerOptions options;
  add_common_options(app, options);
  return eventstore::run_on_ledger(app, options, argc, argv, ProgramKind::kService, [&] {
    return workers::run_worker(options, options.data.worker("expiry"), [&] { return serve(options); });
  });
}
