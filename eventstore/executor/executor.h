#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/trace/trace_context.h"
#include "base/values/boxed.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/command.h"
#include "domain/decisions/rejection.h"
#include "eventstore/log/log.h"

// The only way to write: load → decide → append → commit, many commands at a time, durable on return.
namespace pixledger::eventstore {

struct IdempotencyKey {
  Digest key;          // of project, environment, method, path and the caller's key
  Digest fingerprint;  // of the canonical body
};

// A user's role in a project.
struct Membership {
  domain::ProjectId project;
  domain::UserId user;
  domain::Role role;
};

struct Request {
  Boxed<domain::Command> command;
  std::string actor;                        // "key-<id>", "user-<id>", "operator-<user>", "worker-expiry"
  std::optional<domain::ApiKeyId> api_key;  // if set, it must still be usable in this write
  std::string request_id;
  std::optional<IdempotencyKey> idempotency;
  std::optional<Membership> membership{};       // if set, it must still hold in this write
  std::shared_ptr<const TraceContext> trace{};  // null: not traced
};

using RecordedEvents = std::shared_ptr<const std::vector<domain::RecordedEvent>>;

// The command was decided, and what it recorded is durable.
struct Completed {
  domain::Outcome outcome;
  Position position;             // the head after it: a read that has reached this sees it
  Position as_of;                // right after this command; later commands of its batch do not count
  Timestamp decided_at;          // the log's time when it was decided
  bool replayed = false;         // answered from the record of an earlier request with the same key; as_of
                                 // and decided_at are then that request's
  std::string first_request_id;  // of that earlier request

  // The command's own events, in order; may be none.
  std::span<const domain::RecordedEvent> events() const;

  RecordedEvents batch;  // the events of all the commands committed together
  std::size_t first = 0;
  std::size_t count = 0;
};
// The idempotency key was used before with another payload.
struct KeyReused {};
// A request with the same idempotency key is being executed now.
struct KeyInFlight {};
// Nothing was written; a retry is safe.
struct Unavailable {
  std::string reason;
};
// Unknown yet whether it was written. A repeat with the same idempotency key finds out.
struct OutcomeUnknown {
  std::string reason;
};
using Result = std::variant<Completed, KeyReused, KeyInFlight, Unavailable, OutcomeUnknown>;
// Returns why a command was not executed, or may not have been. Empty if it was, or its key forbade it.
std::string_view fault_of(const Result& result);
using Completion = std::function<void(Result)>;

// Notified of each committed batch, in order, on the committer's thread, before the completions run.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  // Called before the write ends, which wakes the log's followers.
  virtual void on_commit(const RecordedEvents& events) = 0;
};

// The outcome of one batch, for metrics.
struct BatchReport {
  std::span<const Result> results;      // one for each command; valid during the call, like `fault`
  std::size_t waiting = 0;              // commands left in the queue when the batch was taken
  std::size_t events = 0;               // recorded
  std::chrono::nanoseconds duration{};  // of all its work, including the wait for the exclusive write
  std::chrono::nanoseconds commit{};  // of its commit, fsync included; zero when there was nothing to commit
  std::string_view fault;             // why nothing was executed, or the outcome is unknown; empty on success
};

// Notified of the executor's work, for metrics. Must not block or throw.
class ExecutorObserver {
 public:
  virtual ~ExecutorObserver() = default;
  // Called for each batch, in order, on the committer's thread, before the completions run.
  virtual void on_batch(const BatchReport& report) = 0;
  // A full queue refused a command. Called on the thread that submitted it.
  virtual void on_queue_full() = 0;
};

// A command with a trace, of a batch that was committed.
struct TracedCommand {
  using Time = std::chrono::steady_clock::time_point;

  const TraceContext& trace;
  const Result& result;
  Time decide_began;
  Time decided;
};
struct TracedBatch {
  std::span<const TracedCommand> commands;
  TracedCommand::Time commit_began;
  TracedCommand::Time committed;
};

// Receives the traced commands of each batch that has some.
class TraceListener {
 public:
  virtual ~TraceListener() = default;
  // Called on the committer's thread before the write ends, which wakes the log's followers. Must not wait
  // for a disk or throw.
  virtual void on_traced(const TracedBatch& batch) = 0;
};

struct ExecutorOptions {
  std::size_t batch_commands_max = 256;
  std::size_t queue_commands_max = 4096;
  std::size_t cached_states_max = 262'144;
  TraceListener* traces = nullptr;  // outlives the executor
};

// Owns the committer's thread. Thread-safe. Log, clock, entropy, listener and observer must outlive it.
class Executor {
 public:
  Executor(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener = nullptr,
           ExecutorOptions options = {}, ExecutorObserver* observer = nullptr);
  ~Executor();  // finishes all submitted commands
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The completion runs exactly once, on the committer's thread (or at once if the queue is full). It must
  // not block.
  void submit(Request request, Completion completion);

  // Submits and waits.
  Result execute(Request request);

  // Commands in the queue right now.
  std::size_t waiting() const;

 private:
  class Committer;
  std::unique_ptr<Committer> committer_;
};

}  // namespace pixledger::eventstore
