#include "workers/follow/target_follower.h"

#include <algorithm>
#include <filesystem>

#include "base/platform/durable_files.h"
#include "base/platform/owner_lock.h"
#include "base/targets/open_target.h"
#include "stores/databases/account_database.h"
#include "stores/sql/refusal.h"
#include "stores/status/worker_state.h"

namespace pixledger::workers {
namespace {

namespace fs = std::filesystem;
using eventstore::KeptState;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;

constexpr seconds kStateEvery{60};
// A state may take at most one part in so many of the time: large ones are taken less often.
constexpr int kStateShare = 20;
// An erasure waits for a part of its time, and is then done with all that came meanwhile.
constexpr int kErasuresWithin = 4;
constexpr seconds kLookEvery{10};
constexpr seconds kPauseMin{1};
constexpr seconds kPauseMax{30};
constexpr milliseconds kRestStep{200};
constexpr const char* kSpool = "spool";
// Has the URI of the target, once that had a backup.
constexpr const char* kHadBackup = "target";

bool is_hopeless_fault(TargetFault fault) {
  return fault == TargetFault::kForeign || fault == TargetFault::kNewer || fault == TargetFault::kFenced;
}

}  // namespace

TargetFollower::TargetFollower(const TargetFollowerParts& parts, const TargetFollowerOptions& options)
    : parts_(parts),
      options_(options),
      target_(open_target(options.uri, options.s3_credentials)),
      target_of_states_(open_target(options.uri, options.s3_credentials)) {
  status_.name = options_.name;
  status_.uri = target_->uri();
  status_.is_encrypted = options_.copy.encryption.is_on();
  create_durably(fs::absolute(directory()));
  options_.copy.had_backup = read_if_there(directory() / kHadBackup) == target_->uri();
}

TargetFollower::~TargetFollower() { stop(); }

void TargetFollower::start() {
  events_ = threads_.start([this] { run_events(); });
  states_ = threads_.start([this] { run_states(); });
}

void TargetFollower::stop() {
  stopping_ = true;
  parts_.log.wake();
  for (auto* thread : {&events_, &states_})
    if (thread->joinable()) thread->join();
}

// False if the threads have to stop.
bool TargetFollower::rest(milliseconds time) {
  const auto until = steady_clock::now() + time;
  while (!stopping_ && steady_clock::now() < until)
    std::this_thread::sleep_for(std::min<steady_clock::duration>(kRestStep, until - steady_clock::now()));
  return !stopping_;
}

void TargetFollower::round(bool at_once) {
  if (!copy_) {
    copy_.emplace(parts_.log, *target_, parts_.clock, options_.copy);
    write_durably(directory() / kHadBackup, target_->uri());
    options_.copy.had_backup = true;
    options_.copy.take_over = false;
    is_open_ = true;
  }
  copy_->copy();
  {
    const std::lock_guard lock(mutex_);
    if (new_state_) copy_->add_state(*std::move(new_state_));
    new_state_.reset();
  }
  // Several erasures cost little more than one.
  if (!erased_at_ || steady_clock::now() - *erased_at_ >= options_.erase_within / kErasuresWithin) {
    copy_->erase(!is_locked(parts_.data.erasing_lock()));
    if (copy_->wants_state()) erased_at_ = steady_clock::now();
  }
  copy_->finish(at_once);
}

void TargetFollower::succeeded() {
  const std::lock_guard lock(mutex_);
  if (!status_.is_up)
    parts_.logger.info("a target is followed", {{"target", options_.name}, {"uri", status_.uri}});
  status_.is_up = true;
  status_.problem.clear();
  status_.reason.clear();
  status_.position = copy_->last();
  status_.erasures_pending = copy_->erasures_pending();
  status_.locked_until = copy_->locked_until();
  wants_state_ = copy_->wants_state();
}

void TargetFollower::failed(const TargetError& error) {
  const std::lock_guard lock(mutex_);
  const std::string reason(to_string(error.fault()));
  ++status_.failures[reason];
  if (status_.is_up || status_.reason != reason || telling_.due())
    parts_.logger.warning("a target cannot be written",
                          {{"target", options_.name}, {"reason", reason}, {"problem", error.what()}});
  status_.is_up = false;
  status_.problem = error.what();
  status_.reason = reason;
}

void TargetFollower::run_events() {
  milliseconds pause = kPauseMin;
  while (!stopping_) {
    const auto started = steady_clock::now();
    try {
      round(false);
      succeeded();
      pause = kPauseMin;
      parts_.log.wait_past_or(copy_->last(), kLookEvery, [this] { return stopping_.load(); });
      // Copying takes a part of the interval itself.
      const auto next = started + options_.interval * 3 / 4;
      if (next > steady_clock::now())
        rest(std::chrono::duration_cast<milliseconds>(next - steady_clock::now()));
    } catch (const TargetError& error) {
      failed(error);
      if (is_hopeless_fault(error.fault())) copy_.reset();
      rest(pause);
      pause = std::min<milliseconds>(2 * pause, kPauseMax);
    }
  }
}

// Exports the state of workers and accounts, then what the ledger remembers of keys: the ledger is never
// behind them.
KeptState TargetFollower::take_state() {
  const auto made_at = parts_.clock.now();
  const auto spool = directory() / kSpool;
  fs::remove_all(spool);
  eventstore::BackupManifest manifest;
  manifest.directory_of_state = "new";
  fs::create_directories(spool / manifest.state_directory());
  const auto add = [&](const std::string& file) {
    const auto name = manifest.state_directory() + '/' + file;
    manifest.files.push_back({name, eventstore::facts_of_file(spool / name)});
  };
  const auto databases = stores::WorkerDatabases::of(parts_.data);
  for (const auto& database : stores::kWorkerDatabases) {
    const auto file = std::string(database.worker) + ".sqlite";
    if (stores::export_worker(databases, database, spool / manifest.state_directory() / file)) add(file);
  }
  if (stores::export_accounts(parts_.data, spool / manifest.state_directory() / stores::kAccountsInBackup))
    add(stores::kAccountsInBackup);
  const auto head = parts_.log.head();
  eventstore::copy_idempotency(parts_.log, head.position, head.time, spool, manifest);

  KeptState state;
  state.position = head.position;
  state.made_at = made_at;
  state.files = std::move(manifest.files);
  return state;
}

std::optional<KeptState> TargetFollower::take_changed_state() {
  auto state = take_state();
  std::vector<eventstore::FileFacts> facts;
  for (const auto& file : state.files) facts.push_back(file.facts);
  const std::unique_lock lock(mutex_);
  if (!wants_state_ && state.position.value() == last_position_ && facts == last_facts_) return std::nullopt;
  last_position_ = state.position.value();
  last_facts_ = std::move(facts);
  return state;
}

// Stores the state at the target. nullopt: nothing has changed since the last one.
std::optional<KeptState> TargetFollower::store_state() {
  auto state = take_changed_state();
  if (state) {
    const auto name = eventstore::state_name(parts_.log.identity().epoch, state->position, state->made_at);
    eventstore::TargetCopy::write_state(*target_of_states_, options_.copy.encryption, name,
                                        directory() / kSpool, *state);
  }
  fs::remove_all(directory() / kSpool);
  return state;
}

bool TargetFollower::copy_once() {
  try {
    round(false);
    if (auto state = store_state()) copy_->add_state(*std::move(state));
    copy_->copy();
    copy_->finish(true);
    copy_->finish(true);  // tells what the first has erased
    succeeded();
    return true;
  } catch (const TargetError& error) {
    failed(error);
    return false;
  }
}

stores::FollowedTarget TargetFollower::status() const {
  const std::lock_guard lock(mutex_);
  return status_;
}

bool TargetFollower::is_hopeless() const {
  const auto fault = kTargetFaults.parse(status().reason);
  return fault && is_hopeless_fault(*fault);
}

void TargetFollower::run_states() {
  while (!stopping_) {
    const auto started = steady_clock::now();
    std::optional<KeptState> state;
    if (is_open_) {
      try {
        state = store_state();
      } catch (const TargetError&) {
        // The events' thread reports it.
        last_facts_.clear();
      } catch (const std::exception& error) {
        if (!stores::refusal_of(error)) throw;
        last_facts_.clear();
        if (telling_.due())
          parts_.logger.warning("a state cannot be copied",
                                {{"target", options_.name}, {"problem", stores::text_of(error)}});
      }
    }
    const auto took = steady_clock::now() - started;
    {
      const std::lock_guard lock(mutex_);
      if (state) new_state_ = std::move(state);
    }
    const auto next = started + std::max<steady_clock::duration>(kStateEvery, kStateShare * took);
    const auto is_wanted = [this] {
      const std::lock_guard lock(mutex_);
      return !is_open_.load() || (wants_state_ && !new_state_);
    };
    while (steady_clock::now() < next && rest(kRestStep) && !is_wanted()) {
    }
  }
}

}  // namespace pixledger::workers
