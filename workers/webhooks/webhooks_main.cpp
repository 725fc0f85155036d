#include <CLI/CLI.hpp>
#include <cmath>

#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/platform/lower_priority.h"
#include "eventstore/platform/signals.h"
#include "eventstore/process/option_rules.h"
#include "eventstore/process/options.h"
#include "projections/deliveries/delivery_reader.h"
#include "projections/deliveries/delivery_store.h"
#include "workers/common/initial_cursor.h"
#include "workers/common/resume_from.h"
#include "workers/common/worker_process.h"
#include "workers/webhooks/webhook_worker.h"

namespace {

using namespace pixledger;
using eventstore::UsageError;

constexpr double kAttemptTimeoutMaxSeconds = 300;

struct Options {
  eventstore::CommonOptions common;
  std::vector<std::string> allowed_targets;
  bool allow_http = false;
  std::string ca_file;
  std::string retry_schedule;
  double attempt_timeout_seconds = 15;
  std::string resume_from;
};

void add_options(CLI::App& app, Options& options) {
  eventstore::add_common_options(app, options.common);
  eventstore::add_list_option(
      app, "--allow-target", options.allowed_targets,
      "Range of addresses that may be targets although not public, such as 127.0.0.0/8");
  app.add_flag("--allow-http", options.allow_http, "Allow targets without TLS");
  app.add_option("--ca-file", options.ca_file, "Certificates to trust beyond the system's, PEM")
      ->check(eventstore::must_not_be_a_directory);
  app.add_option("--retry-schedule", options.retry_schedule,
                 "Delays before the attempts, such as 0,5s,2min; replaces those of live and sandbox");
  app.add_option("--attempt-timeout", options.attempt_timeout_seconds, "Seconds for a whole attempt")
      ->capture_default_str()
      ->check(CLI::Range(0.001, kAttemptTimeoutMaxSeconds));
  app.add_option(
      "--resume-from", options.resume_from,
      "Where to begin without state: beginning (all webhooks there ever were, again), head (only what "
      "comes), or the first position to handle. After a restore also restored: where the state ends");
}

workers::WebhookWorkerOptions worker_options(const Options& options) {
  workers::WebhookWorkerOptions worker;
  worker.targets.allow_http = options.allow_http;
  for (const auto& range : options.allowed_targets)
    worker.targets.allowed.push_back(eventstore::parse_option<domain::Cidr>("--allow-target", range));
  worker.sender.ca_file = options.ca_file;
  worker.sender.attempt_timeout =
      std::chrono::milliseconds(std::lround(options.attempt_timeout_seconds * 1000));
  if (!options.retry_schedule.empty())
    worker.schedule =
        eventstore::parse_option<workers::RetrySchedule>("--retry-schedule", options.retry_schedule);
  return worker;
}

int run(const Options& options) {
  const auto worker_settings = worker_options(options);
  eventstore::SystemClock clock;
  eventstore::SystemEntropy entropy;
  eventstore::SystemResolver resolver;
  eventstore::Logger logger(options.common.log_format, clock);
  auto ledger = eventstore::Ledger::open(options.common.data, options.common.lmdb());

  const auto directory = options.common.data.worker("webhooks");
  const auto lock = workers::stand_by(directory / "lock", logger);
  if (!lock) return eventstore::kExitDone;

  projections::DeliveryStore store(directory / projections::kDeliveriesFile);
  if (const auto start = workers::choose_start(store.cursor(), *ledger.log, options.resume_from,
                                               &workers::start_without_channels))
    store.add({}, *start);
  // Its thread does not give way: now and then it has the ledger's exclusive write, and the server would
  // wait.
  eventstore::Executor executor(*ledger.log, clock, entropy);
  // To answer goes before to tell about it: what there is to send goes out while the server waits for its
  // disk.
  eventstore::lower_priority(eventstore::Priority::kAfterServer);
  workers::WebhookWorker worker(
      {*ledger.log, ledger.keyring, clock, entropy, resolver, logger, store, executor}, worker_settings);
  logger.info("the webhook worker is at work");
  workers::serve_until_stopped([&worker] { worker.check(); });
  worker.stop();
  logger.info("the webhook worker has stopped");
  return eventstore::kExitDone;
}

}  // namespace

int main(int argc, char** argv) {
  eventstore::block_stop_signals();
  CLI::App app("Sends pixledger's webhooks");
  Options options;
  add_options(app, options);
  return eventstore::run_main(app, options.common, argc, argv, eventstore::ProgramKind::kService,
                              [&] { return workers::with_poco_texts([&] { return run(options); }); });
}
