#pragma once

#include <condition_variable>
#include <filesystem>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "domain/aggregates/event.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/bank_agent.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/banks/callback_server.h"
#include "workers/banks/command_submitter.h"
#include "workers/banks/payment_intake.h"
#include "workers/banks/payment_poll.h"
#include "workers/banks/payment_readers.h"
#include "workers/banks/poll_rounds.h"
#include "workers/common/log_follower.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

struct ProviderWorkerOptions {
  PollPlan polls = PollPlan::usual();
  unsigned agents = 32;  // pieces of work at a time, of one connection at most kOfConnectionMax
};

// The worker's dependencies. All references outlive it.
struct ProviderWorkerParts {
  const eventstore::Log& log;
  const eventstore::Keyring& keyring;
  const Clock& clock;
  Entropy& entropy;
  Logger& logger;
  eventstore::Executor& executor;
  stores::ProviderRepository& database;
  BankTransports& network;
  std::filesystem::path directory;  // the worker's
  // Counts that an earlier worker of this process could not save.
  std::shared_ptr<UnsavedBankCounts> unsaved = std::make_shared<UnsavedBankCounts>();
  const stores::EventTraces* traces = nullptr;  // null: no trace is continued
};

// Sets where the worker goes on: at its cursor. If that is missing, of another log, or of events that this
// log has lost, the worker starts at the beginning and forgets what it knew. Work that was done already is
// not open then.
void choose_start(stores::ProviderRepository& database, const eventstore::Log& log, Logger& logger);

// Calls the banks of live charges. A reader turns events into work, agents carry out due work with a share
// for each connection, pollers read the accounts, and readers read single payments that a callback named.
// Work that a killed process had begun is checked at the bank before it is done again.
class ProviderWorker : private EventHandler {
 public:
  static constexpr std::size_t kOfConnectionMax = 8;

  // The database must have a cursor. Throws CursorMismatch if it is not one of this log.
  ProviderWorker(const ProviderWorkerParts& parts, ProviderWorkerOptions options);
  ~ProviderWorker() override;  // as stop()

  // Begins nothing more, and finishes what is under way.
  void stop();
  // Validates and stores callbacks. Lives as long as the worker.
  CallbackHandler& callbacks() { return callbacks_; }
  // Rethrows the exception that ended one of the worker's threads, if any; the worker does nothing then.
  void check() const { threads_.check(); }

 private:
  using Key = std::tuple<int, std::string, std::string>;  // of a piece of work

  void handle(const std::vector<domain::RecordedEvent>& events, const eventstore::LogCursor& after) override;
  void read();
  void act();
  void keep_counts();
  std::optional<stores::BankWork> take();
  bool refill();
  void finish(const stores::BankWork& work, std::optional<std::chrono::milliseconds> again);
  void request_stop();

  const ProviderWorkerParts parts_;
  const ProviderWorkerOptions options_;
  LogFollower follower_;
  BankMeters meters_;
  BankDirectory banks_;
  const CommandSubmitter ledger_;
  const PaymentReport report_;
  const PaymentIntake payments_;
  const BankAgent agent_;
  const PaymentReader payment_reader_;
  PaymentReaders payment_readers_;
  const PaymentPoll poll_;
  PollRounds rounds_;
  CallbackHandler callbacks_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::condition_variable stop_asked_;
  std::vector<stores::BankWork> queue_;  // the most urgent last
  std::set<Key> in_work_;
  std::unordered_map<std::string, std::size_t> of_connection_;  // in work
  bool look_again_ = true;                                      // events have changed the work
  bool one_looks_out_ = false;  // an idle agent waits for the next due work; the others sleep
  bool stopping_ = false;
  WorkerThreads threads_;
  std::thread reader_;
  std::thread keeper_;
  std::vector<std::thread> agents_;
};

// Returns the work at banks that an event adds or removes. Reads the charge as of the event if the event does
// not say whose bank it is about. Throws what the log throws.
std::vector<stores::BankChange> bank_changes_of(const domain::RecordedEvent& event,
                                                const eventstore::Log& log);

}  // namespace pixledger::workers
