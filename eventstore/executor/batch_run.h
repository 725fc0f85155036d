#pragma once

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

// Carries out one batch of commands in one write of the log. Used by the committer's thread alone.
class BatchRunner {
 public:
  BatchRunner(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
              ExecutorObserver* observer, std::size_t states_max);

  // Completes every command exactly once. Never throws. `left_waiting`: how many stayed in the queue.
  void run(std::vector<PendingCommand>& commands, std::size_t left_waiting);

 private:
  struct Progress;

  void decide_and_commit(const std::vector<PendingCommand>& commands, std::vector<Result>& results,
                         BatchReport& report);
  // A write in which the states that the commands need have been loaded.
  std::unique_ptr<LogWrite> begin_loaded(const std::vector<PendingCommand>& commands);
  void load_idempotency(const LogWrite& write, const std::vector<PendingCommand>& commands,
                        Progress& progress) const;
  Result decide_one(const Request& request, Progress& progress);
  // The answer to a repeat; nullopt when the key's command has to be decided.
  std::optional<Result> replay(const IdempotencyKey& key, Progress& progress) const;
  Completed replay(const IdempotencyRecord& record) const;
  domain::Context context_of(const Progress& progress) const;
  domain::Decision decide(const Request& request, const domain::Context& context) const;
  void record_events(const Request& request, std::vector<domain::NewEvent> events, Progress& progress);
  void remember(const Request& request, const Completed& completed, Progress& progress) const;

  Log& log_;
  Entropy& entropy_;
  CommitListener* listener_;
  ExecutorObserver* observer_;
  ClockGuard clock_;
  StateCache states_;
};

}  // namespace pixledger::eventstore
