#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "eventstore/codec/idempotency_record.h"
#include "eventstore/executor/clock_guard.h"
#include "eventstore/executor/executor.h"
#include "eventstore/executor/state_cache.h"

namespace pixledger::eventstore {

struct PendingCommand {
  Request request;
  Completion completion;
};

// Moves commands that wait into an empty batch, as many as one may have; returns how many stay in the queue.
using TakeWaiting = std::function<std::size_t(std::vector<PendingCommand>&)>;

// Carries out one batch of commands in one write of the log. Used by the committer's thread alone.
class BatchRunner {
 public:
  BatchRunner(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
              ExecutorObserver* observer, std::size_t states_max);

  // Takes a batch when its turn to write has come, so that what arrives while others write belongs to it, and
  // completes every command of it exactly once. Never throws.
  void run(const TakeWaiting& take);

 private:
  struct Progress;

  void decide_and_commit(const TakeWaiting& take, std::vector<Result>& results, BatchReport& report);
  // Loads the states that the commands need: within the write, or within another one after it.
  std::unique_ptr<LogWrite> load(std::unique_ptr<LogWrite> write);
  void load_idempotency(const LogWrite& write, Progress& progress) const;
  Result decide_one(const LogWrite& write, const Request& request, Progress& progress);
  // The answer to a repeat; nullopt when the key's command has to be decided.
  std::optional<Result> replay(const LogWrite& write, const IdempotencyKey& key, Progress& progress) const;
  domain::Context context_of(const Progress& progress) const;
  // Why nothing is done for whoever asks; nullopt where it is decided.
  std::optional<domain::Rejection> refusal_of_caller(const Request& request, Timestamp now) const;
  void record_events(const Request& request, std::vector<domain::NewEvent> events, Progress& progress);
  void remember(const Request& request, const Completed& completed, Progress& progress) const;

  Log& log_;
  Entropy& entropy_;
  CommitListener* listener_;
  ExecutorObserver* observer_;
  ClockGuard clock_;
  StateCache states_;
  std::vector<PendingCommand> commands_;  // the batch's
};

}  // namespace pixledger::eventstore
