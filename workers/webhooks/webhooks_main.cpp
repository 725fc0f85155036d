#include <cmath>

#include "base/platform/process_limits.h"
#include "base/platform/signals.h"
#include "base/process/service_options.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/ledger_options.h"
#include "stores/databases/worker_databases.h"
#include "workers/common/mains.h"
#include "workers/common/resume_from.h"
#include "workers/common/worker_process.h"
#include "workers/webhooks/webhook_worker.h"

namespace {

using namespace pixledger;

struct Options {
  eventstore::LedgerOptions common;
  WebhooksOptions webhooks;
};

workers::WebhookWorkerOptions worker_options(const WebhooksOptions& given) {
  pixledger::refuse(check(given));
  workers::WebhookWorkerOptions worker;
  worker.targets.allow_http = given.allow_http;
  for (const auto& range : given.allowed_targets)
    worker.targets.allowed.push_back(Cidr::parse(range).value());
  worker.sender.ca_file = given.ca_file;
  worker.sender.attempt_timeout = std::chrono::milliseconds(std::lround(given.attempt_timeout_s * 1000));
  if (!given.retry_schedule.empty())
    worker.schedule = parse_option<workers::RetrySchedule>("--retry-schedule", given.retry_schedule);
  return worker;
}

int run(Options& options) {
  const auto worker_settings = worker_options(options.webhooks);
  SystemClock clock;
  SystemEntropy entropy;
  SystemResolver resolver;
  Logger logger(options.common.log_format, clock);
  auto ledger = eventstore::Ledger::open(options.common);

  const auto directory = options.common.data.worker("webhooks");
  const auto turn = workers::begin_worker(
      logger,
      {.program = "pixledger-webhooks", .data = options.common.data, .log = *ledger.log, .addresses = "none"},
      directory);
  if (!turn) return kExitDone;

  const auto databases = stores::WorkerDatabases::of(options.common.data);
  const auto opened = databases.deliveries(turn->right);
  auto& database = *opened;
  database.begin_work(workers::choose_start(
      database.cursor(), *ledger.log, options.webhooks.resume_from, workers::kWebhooksBegin,
      databases.are_shared() ? workers::ResumeTold::kEachMachine : workers::ResumeTold::kThisOne));
  options.webhooks.resume_from.clear();  // it applies to the first run only, not after a refusal
  const auto spans = SpanExporter::open(options.webhooks.otlp, "pixledger-webhooks", clock, entropy, logger);
  const stores::EventTraces traces(options.common.data.traces(), clock, entropy, spans.get(), logger);
  // This thread keeps its priority: it sometimes holds the ledger's exclusive write lock, and the server
  // would wait.
  eventstore::Executor executor(*ledger.log, clock, entropy);
  // Answering API requests has priority over sending webhooks, which go out while the server waits for its
  // disk.
  lower_priority(Priority::kAfterServer);
  // Not among the worker's parts: its snapshot would be held while the worker reads certificates, for seconds
  // on a busy machine.
  const auto ended_epochs = ledger.log->snapshot()->end().ended_epochs;
  workers::WebhookWorker worker({.log = *ledger.log,
                                 .keyring = ledger.keyring,
                                 .clock = clock,
                                 .entropy = entropy,
                                 .resolver = resolver,
                                 .logger = logger,
                                 .database = database,
                                 .executor = executor,
                                 .ended_epochs = ended_epochs,
                                 .traces = &traces},
                                worker_settings);
  logger.info("the webhook worker is at work");
  workers::serve_until_stopped([&worker] { worker.check(); });
  worker.stop();
  logger.info("the webhook worker has stopped");
  turn->run.end_cleanly();
  return kExitDone;
}

}  // namespace

int pixledger::workers::webhooks_main(int argc, char** argv) {
  block_stop_signals();
  CommandLine app("Sends pixledger's webhooks");
  Options options;
  add_common_options(app, options.common);
  add_webhooks_options(app, options.webhooks);
  return eventstore::run_on_ledger(app, options.common, argc, argv, ProgramKind::kService, [&] {
    return workers::run_worker(options.common, options.common.data.worker("webhooks"),
                               [&] { return run(options); });
  });
}
