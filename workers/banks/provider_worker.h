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

// What the worker works with. All that is referred to outlives it.
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
  // What a former worker of this process has counted and could not save.
  std::shared_ptr<UnsavedBankCounts> unsaved = std::make_shared<UnsavedBankCounts>();
};

// Where the worker goes on: at its cursor; where it has none, or one of another log or of events that this
// one has lost, at the beginning and with nothing of what it knew, since what was done already is not open.
void choose_start(stores::ProviderRepository& database, const eventstore::Log& log, Logger& logger);

// Speaks to the banks behind live charges. A reader turns events into work, agents carry out what is due,
// each connection with its share of them, pollers look at the accounts, and readers at single payments that a
// bank has called back about. What a process that dies was at is asked about before it is done again.
class ProviderWorker : private EventHandler {
 public:
  static constexpr std::size_t kOfConnectionMax = 8;

  // The database must have a cursor. Throws CursorMismatch when it is not one of this log.
  ProviderWorker(const ProviderWorkerParts& parts, ProviderWorkerOptions options);
  ~ProviderWorker() override;  // as stop()

  // Begins nothing more, and finishes what is under way.
  void stop();
  // Where callbacks are judged and kept, for as long as the worker is there.
  CallbackHandler& callbacks() { return callbacks_; }
  // Throws what ended one of the worker's threads, if anything did: the worker does nothing then.
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
  bool one_looks_out_ = false;  // an agent without work, for what becomes due; the others sleep
  bool stopping_ = false;
  WorkerThreads threads_;
  std::thread reader_;
  std::thread keeper_;
  std::vector<std::thread> agents_;
};

// What an event gives the banks to do, or takes off them. Reads the charge as of the event where that does
// not say whose bank it is about. Throws what the log throws.
std::vector<stores::BankChange> bank_changes_of(const domain::RecordedEvent& event,
                                                const eventstore::Log& log);

}  // namespace pixledger::workers
