#include "eventstore/executor/executor.h"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "domain/decisions/dispatch.h"
#include "domain/decisions/rejection.h"
#include "eventstore/codec/codec.h"
#include "eventstore/codec/idempotency_record.h"
#include "eventstore/executor/clock_guard.h"
#include "eventstore/executor/state_cache.h"

namespace pixledger::eventstore {
namespace {

using Stopwatch = std::chrono::steady_clock;

// The streams of a batch may keep growing by more than one load reads. The last attempt then finishes in the
// write.
constexpr int kLoadAttemptsMax = 3;

// A command in the queue, and the receiver of its result.
struct PendingCommand {
  Request request;
  Completion completion;
};

// Moves waiting commands into an empty batch, up to its limit. Returns how many stay in the queue.
using TakeWaiting = std::function<std::size_t(std::vector<PendingCommand>&)>;

// Executes one batch of commands in one write of the log. Used only by the committer's thread.
class BatchRunner {
 public:
  BatchRunner(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
              ExecutorObserver* observer, const ExecutorOptions& options);

  // Takes a batch once its turn to write has come, so that it includes what arrived while others wrote.
  // Completes each command exactly once. Never throws.
  void run(const TakeWaiting& take);

 private:
  struct Progress;

  void decide_and_commit(const TakeWaiting& take, std::vector<Result>& results, BatchReport& report);
  // Loads the states that the commands need, in the given write or in a later one. Returns that write.
  std::unique_ptr<LogWrite> load(std::unique_ptr<LogWrite> write);
  void load_idempotency(const LogWrite& write, Progress& progress) const;
  Result decide_one(const LogWrite& write, const Request& request, Progress& progress);
  // Returns the result of a repeat, or nullopt if the command must be decided.
  std::optional<Result> replay(const LogWrite& write, const IdempotencyKey& key, Progress& progress) const;
  domain::Context context_of(const Progress& progress) const;
  // Returns why the caller is refused, or nullopt if the command must be decided.
  std::optional<domain::Rejection> refusal_of_caller(const Request& request, Timestamp now) const;
  void record_events(const Request& request, std::vector<domain::NewEvent> events, Progress& progress);
  void remember(const Request& request, const Completed& completed, Progress& progress) const;

  Log& log_;
  Entropy& entropy_;
  CommitListener* listener_;
  ExecutorObserver* observer_;
  TraceListener* traces_;
  ClockGuard clock_;
  StateCache states_;
  std::vector<PendingCommand> commands_;  // the batch's
};

struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t value = 0;
    for (std::size_t i = 0; i < sizeof value; ++i) value = value << 8 | digest[i];
    return value;
  }
};

// Returns the result of the command's first request.
Completed repeat_of(const IdempotencyRecord& record, const LogWrite& write) {
  Completed completed;
  completed.outcome = {record.rejection, record.flag};
  completed.as_of = record.as_of();
  completed.decided_at = record.recorded_at;
  completed.replayed = true;
  completed.first_request_id = record.request_id;
  auto events = std::make_shared<std::vector<domain::RecordedEvent>>();
  while (events->size() < record.event_count) {
    const Position before(record.first_position.value() + events->size() - 1);
    // A read may end early.
    const auto read = write.read_after(before, record.event_count - events->size());
    if (read.empty()) throw LogCorrupt("an idempotency record names events that the log does not have");
    for (const auto& stored : read) events->push_back(decode(stored));
  }
  completed.count = events->size();
  completed.batch = std::move(events);
  return completed;
}

// The state of one batch.
struct BatchRunner::Progress {
  Timestamp now;
  Batch batch;
  std::shared_ptr<std::vector<domain::RecordedEvent>> recorded =
      std::make_shared<std::vector<domain::RecordedEvent>>();
  Position next_position;
  std::vector<std::uint64_t> randoms;  // one for each command's ids
  std::size_t decided = 0;
  std::unordered_map<Digest, std::string, DigestHash> remembered;  // from earlier batches, as stored
  std::unordered_set<Digest, DigestHash> in_flight;                // keys first seen in this batch
  std::unordered_map<Digest, Timestamp, DigestHash> outdated;      // keys whose records no longer count
};

BatchRunner::BatchRunner(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
                         ExecutorObserver* observer, const ExecutorOptions& options)
    : log_(log),
      entropy_(entropy),
      listener_(listener),
      observer_(observer),
      traces_(options.traces),
      clock_(clock, log),
      states_(options.cached_states_max) {}

void BatchRunner::run(const TakeWaiting& take) {
  std::vector<Result> results;
  BatchReport report;
  std::string fault;
  const auto began = Stopwatch::now();
  try {
    decide_and_commit(take, results, report);
  } catch (const LogOutcomeUnknown& error) {
    states_.aborted();
    fault = error.what();
    results.assign(commands_.size(), OutcomeUnknown{fault});
  } catch (const std::exception& error) {
    // Nothing of the batch is in the log.
    states_.aborted();
    fault = error.what();
    if (commands_.empty()) report.waiting = take(commands_);
    results.assign(commands_.size(), Unavailable{fault});
  }
  report.duration = Stopwatch::now() - began;
  report.results = results;
  report.fault = fault;
  if (observer_) observer_->on_batch(report);
  for (std::size_t i = 0; i < commands_.size(); ++i) commands_[i].completion(std::move(results[i]));
  commands_.clear();
}

void BatchRunner::decide_and_commit(const TakeWaiting& take, std::vector<Result>& results,
                                    BatchReport& report) {
  auto turn = log_.begin_write();
  report.waiting = take(commands_);
  results.reserve(commands_.size());
  const auto write = load(std::move(turn));
  const auto head = write->head();
  Progress progress;
  progress.now = clock_.time_after(head, write->time_there());
  progress.next_position = head.position.next();
  // Ids count on within a millisecond and restart with the next, so they sort in the log's order.
  const auto ids_max = static_cast<std::uint32_t>(commands_.size()) * domain::kIdsPerDecisionMax;
  if (progress.now == head.time && write->id_counter() + ids_max > domain::kIdCounterValues)
    progress.now = progress.now.plus_millis(1);
  progress.batch.id_counter = progress.now > head.time ? 0 : write->id_counter();
  progress.batch.time = progress.now;
  progress.randoms.resize(commands_.size());
  entropy_.fill(std::as_writable_bytes(std::span(progress.randoms)));

  load_idempotency(*write, progress);
  std::vector<TracedCommand> traced;
  for (const auto& command : commands_) {
    const auto* const trace = traces_ ? command.request.trace.get() : nullptr;
    const auto began = trace ? Stopwatch::now() : Stopwatch::time_point();
    results.push_back(decide_one(*write, command.request, progress));
    ++progress.decided;
    // The results were reserved, so they do not move.
    if (trace) traced.push_back({*trace, results.back(), began, Stopwatch::now()});
  }
  Stopwatch::time_point commit_began;
  if (!progress.batch.records.empty() || !progress.batch.idempotency.empty()) {
    write->append(progress.batch);
    commit_began = Stopwatch::now();
    write->commit();
    report.commit = Stopwatch::now() - commit_began;
  } else {
    // A repeat, or an event that blocks a command, may have been written elsewhere a moment ago.
    write->confirm();
  }
  report.events = progress.recorded->size();
  const Position end(head.position.value() + progress.recorded->size());
  states_.committed(end);
  for (auto& result : results) {
    if (auto* completed = std::get_if<Completed>(&result)) completed->position = end;
  }
  if (listener_ && !progress.recorded->empty()) listener_->on_commit(progress.recorded);
  if (!traced.empty()) traces_->on_traced({traced, commit_began, commit_began + report.commit});
}

std::unique_ptr<LogWrite> BatchRunner::load(std::unique_ptr<LogWrite> write) {
  domain::ReadSet read_set;
  for (const auto& [request, completion] : commands_) {
    domain::add_to_read_set(*request.command, read_set);
    if (request.api_key) read_set.streams.push_back(domain::api_key_stream(*request.api_key));
    if (request.membership) read_set.streams.push_back(domain::team_stream(request.membership->project));
  }
  for (int attempt = 1; !states_.load(*write, read_set); ++attempt) {
    if (attempt == kLoadAttemptsMax) {
      states_.finish_load(*write);
      break;
    }
    // A long stream takes time to read; others can write meanwhile.
    write.reset();
    states_.read_ahead(log_);
    write = log_.begin_write();
  }
  return write;
}

void BatchRunner::load_idempotency(const LogWrite& write, Progress& progress) const {
  LoadSet keys;
  for (const auto& [request, completion] : commands_) {
    if (request.idempotency) keys.idempotency_keys.push_back(request.idempotency->key);
  }
  if (keys.idempotency_keys.empty()) return;
  auto loaded = write.load(keys);
  for (std::size_t i = 0; i < keys.idempotency_keys.size(); ++i) {
    if (!loaded.idempotency[i]) continue;
    // Parsed where it is used, so that a damaged record fails only its own command.
    progress.remembered.emplace(keys.idempotency_keys[i], *std::move(loaded.idempotency[i]));
  }
}

Result BatchRunner::decide_one(const LogWrite& write, const Request& request, Progress& progress) {
  domain::Decision decision;
  try {
    // The caller is checked again, even for a repeat: its first check used an older state.
    const auto refusal = refusal_of_caller(request, progress.now);
    if (!refusal && request.idempotency) {
      if (auto repeated = replay(write, *request.idempotency, progress)) return *std::move(repeated);
      if (!progress.in_flight.insert(request.idempotency->key).second) return KeyInFlight{};
    }
    decision =
        refusal ? domain::refuse(*refusal) : domain::decide(*request.command, states_, context_of(progress));
  } catch (const std::exception& fault) {
    // A faulty command has changed nothing yet, and the others are unaffected.
    return Unavailable{fault.what()};
  }
  progress.batch.id_counter += domain::kIdsPerDecisionMax;

  Completed completed;
  completed.outcome = decision.outcome;
  completed.decided_at = progress.now;
  completed.batch = progress.recorded;
  completed.first = progress.recorded->size();
  completed.count = decision.events.size();
  record_events(request, std::move(decision.events), progress);
  completed.as_of = Position(progress.next_position.value() - 1);
  if (request.idempotency) remember(request, completed, progress);
  return completed;
}

domain::Context BatchRunner::context_of(const Progress& progress) const {
  return {progress.now,
          {progress.now, progress.batch.id_counter, log_.identity().fingerprint(),
           progress.randoms[progress.decided]}};
}

std::optional<domain::Rejection> BatchRunner::refusal_of_caller(const Request& request, Timestamp now) const {
  if (request.api_key) {
    const auto* state = states_.find(domain::api_key_stream(*request.api_key));
    const auto* key = state ? std::get_if<domain::ApiKey>(state) : nullptr;
    if (!key || !domain::is_usable(*key, now)) return domain::Rejection::kApiKeyUnusable;
  }
  if (request.membership) {
    const auto* state = states_.find(domain::team_stream(request.membership->project));
    const auto* member =
        domain::find_member(state ? std::get_if<domain::Team>(state) : nullptr, request.membership->user);
    if (!member || member->role != request.membership->role) return domain::Rejection::kMembershipEnded;
  }
  return std::nullopt;
}

void BatchRunner::record_events(const Request& request, std::vector<domain::NewEvent> events,
                                Progress& progress) {
  for (auto& event : events) {
    auto claims = domain::claims_of(event);
    const auto version = states_.version_of(event.stream) + 1;
    domain::RecordedEvent recorded{progress.next_position, std::move(event.stream),  version,
                                   progress.now,           std::move(event.project), request.actor,
                                   request.request_id,     std::move(event.event)};
    auto encoded = encode(recorded, entropy_);
    states_.record(recorded, claims);
    progress.batch.records.push_back({.stream = recorded.stream,
                                      .version = version,
                                      .bytes = std::move(encoded.bytes),
                                      .personal = std::move(encoded.personal),
                                      .claims = std::move(claims)});
    progress.recorded->push_back(std::move(recorded));
    progress.next_position = progress.next_position.next();
  }
}

void BatchRunner::remember(const Request& request, const Completed& completed, Progress& progress) const {
  const auto rejection = completed.outcome.rejection;
  if (rejection && domain::row_of(*rejection).on_repeat == domain::OnRepeat::kDecideAnew) return;
  IdempotencyRecord record;
  record.fingerprint = request.idempotency->fingerprint;
  record.recorded_at = progress.now;
  record.rejection = rejection;
  record.flag = completed.outcome.flag;
  record.event_count = static_cast<std::uint32_t>(completed.count);
  record.first_position = Position(completed.as_of.value() + 1 - completed.count);
  record.request_id = request.request_id;
  const auto outdated = progress.outdated.find(request.idempotency->key);
  progress.batch.idempotency.push_back(
      {request.idempotency->key, encode(record),
       outdated == progress.outdated.end() ? std::nullopt : std::optional(outdated->second)});
}

std::optional<Result> BatchRunner::replay(const LogWrite& write, const IdempotencyKey& key,
                                          Progress& progress) const {
  const auto found = progress.remembered.find(key.key);
  if (found == progress.remembered.end()) return std::nullopt;
  const auto record = decode_idempotency_record(found->second);
  if (progress.now.millis() - record.recorded_at.millis() > kIdempotencyKeptMs) {
    progress.outdated.emplace(key.key, record.recorded_at);
    return std::nullopt;
  }
  if (record.fingerprint != key.fingerprint) return KeyReused{};
  return repeat_of(record, write);
}

}  // namespace

std::span<const domain::RecordedEvent> Completed::events() const {
  if (!batch) return {};
  return std::span(*batch).subspan(first, count);
}

std::string_view fault_of(const Result& result) {
  if (const auto* unavailable = std::get_if<Unavailable>(&result)) return unavailable->reason;
  if (const auto* unknown = std::get_if<OutcomeUnknown>(&result)) return unknown->reason;
  return {};
}

// The queue and the one thread that empties it, batch by batch.
class Executor::Committer {
 public:
  Committer(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
            const ExecutorOptions& options, ExecutorObserver* observer)
      : options_(options), observer_(observer), runner_(log, clock, entropy, listener, observer, options) {
    thread_ = std::thread([this] { run(); });
  }

  ~Committer() {
    {
      const std::lock_guard lock(mutex_);
      stopping_ = true;
    }
    arrived_.notify_one();
    thread_.join();
  }

  void submit(Request&& request, Completion&& completion) {
    bool accepted = false;
    bool wake = false;
    {
      const std::lock_guard lock(mutex_);
      if (queue_.size() < options_.queue_commands_max) {
        queue_.push_back({std::move(request), std::move(completion)});
        accepted = true;
        // The committer checks the queue again before it sleeps, so only a sleeping one must be woken.
        wake = std::exchange(sleeping_, false);
      }
    }
    if (wake) arrived_.notify_one();
    if (accepted) return;
    if (observer_) observer_->on_queue_full();
    completion(Unavailable{"too many commands are waiting"});
  }

  std::size_t waiting() const {
    const std::lock_guard lock(mutex_);
    return queue_.size();
  }

 private:
  void run() {
    const TakeWaiting take_waiting = [this](std::vector<PendingCommand>& batch) { return take(batch); };
    while (wait_for_commands()) runner_.run(take_waiting);
  }

  // Returns false if nothing is left to do and the executor ends.
  bool wait_for_commands() {
    std::unique_lock lock(mutex_);
    while (queue_.empty() && !stopping_) {
      sleeping_ = true;
      arrived_.wait(lock);
    }
    sleeping_ = false;
    return !queue_.empty();
  }

  std::size_t take(std::vector<PendingCommand>& batch) {
    const std::lock_guard lock(mutex_);
    while (!queue_.empty() && batch.size() < options_.batch_commands_max) {
      batch.push_back(std::move(queue_.front()));
      queue_.pop_front();
    }
    return queue_.size();
  }

  const ExecutorOptions options_;
  ExecutorObserver* const observer_;
  BatchRunner runner_;
  mutable std::mutex mutex_;
  std::condition_variable arrived_;
  std::deque<PendingCommand> queue_;
  bool sleeping_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

Executor::Executor(Log& log, const Clock& clock, Entropy& entropy, CommitListener* listener,
                   ExecutorOptions options, ExecutorObserver* observer)
    : committer_(std::make_unique<Committer>(log, clock, entropy, listener, options, observer)) {}

Executor::~Executor() = default;

void Executor::submit(Request request, Completion completion) {
  committer_->submit(std::move(request), std::move(completion));
}

Result Executor::execute(Request request) {
  std::promise<Result> promise;
  auto future = promise.get_future();
  submit(std::move(request), [&promise](Result result) { promise.set_value(std::move(result)); });
  return future.get();
}

std::size_t Executor::waiting() const { return committer_->waiting(); }

}  // namespace pixledger::eventstore
