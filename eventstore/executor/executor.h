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
#include "domain/aggregates/event.h"
#include "domain/decisions/command.h"
#include "domain/decisions/rejection.h"
#include "eventstore/log/log.h"

// The one write door: load → decide → append → commit, many commands at a time, durable on return.
namespace pixledger::eventstore {

struct IdempotencyKey {
  Digest key;          // of project, environment, method, path and the caller's key
  Digest fingerprint;  // of the canonical body
};

// What a user may do in a project.
struct Membership {
  domain::ProjectId project;
  domain::UserId user;
  domain::Role role;
};

struct Request {
  domain::Command command;
  std::string actor;                        // "key-<id>", "user-<id>", "operator-<user>", "worker-expiry"
  std::optional<domain::ApiKeyId> api_key;  // when set, it must still be usable in this very write
  std::string request_id;
  std::optional<IdempotencyKey> idempotency;
  std::optional<Membership> membership{};  // when set, it must still be so in this very write
};

using RecordedEvents = std::shared_ptr<const std::vector<domain::RecordedEvent>>;

// The command was decided, and what it recorded is durable.
struct Completed {
  domain::Outcome outcome;
  Position position;             // the head after it: a read that has reached this sees it
  Position as_of;                // right after this very command, whatever its batch went on to do
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
// The same idempotency key came with another payload.
struct KeyReused {};
// A request with the same idempotency key is being executed right now.
struct KeyInFlight {};
// Nothing was written; trying again is safe.
struct Unavailable {
  std::string reason;
};
// It may have been written or not, which cannot be told now. A repeat with the same idempotency key learns
// it.
struct OutcomeUnknown {
  std::string reason;
};
using Result = std::variant<Completed, KeyReused, KeyInFlight, Unavailable, OutcomeUnknown>;
// Why a command was not carried out, or may not have been; empty where it was, or its key forbade it.
std::string_view fault_of(const Result& result);
using Completion = std::function<void(Result)>;

// Told of each committed batch, in order, on the committer's thread, before the completions run.
class CommitListener {
 public:
  virtual ~CommitListener() = default;
  // Before the write ends, which wakes who follows the log.
  virtual void on_commit(const RecordedEvents& events) = 0;
};

// How one batch went.
struct BatchReport {
  std::span<const Result> results;      // one a command; valid during the call, as the fault is
  std::size_t waiting = 0;              // commands left in the queue when the batch was taken
  std::size_t events = 0;               // recorded
  std::chrono::nanoseconds duration{};  // of all its work, waiting for the exclusive write included
  std::chrono::nanoseconds commit{};  // of its commit, fsync included; zero when there was nothing to commit
  std::string_view fault;  // why nothing of it was done, or nobody knows; empty when it was carried out
};

// Told what the executor does, for metrics. Must not block or throw.
class ExecutorObserver {
 public:
  virtual ~ExecutorObserver() = default;
  // Of each batch, in order, on the committer's thread, before the completions run.
  virtual void on_batch(const BatchReport& report) = 0;
  // A command was refused without being looked at. On the thread that submitted it.
  virtual void on_queue_full() = 0;
};

struct ExecutorOptions {
  std::size_t batch_commands_max = 256;
  std::size_t queue_commands_max = 4096;
  std::size_t cached_states_max = 262'144;
};

// Owns the committer's thread. Thread-safe. Log, clock, entropy, listener and observer outlive it.
class Executor {
 public:
  Executor(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener = nullptr,
           ExecutorOptions options = {}, ExecutorObserver* observer = nullptr);
  ~Executor();  // finishes what was submitted
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // The completion runs exactly once, on the committer's thread (or at once, when the queue is full), and
  // must not block.
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
