#include "eventstore/postgres/copy_follower.h"

#include <future>

#include "base/platform/owner_lock.h"
#include "eventstore/postgres/batch_rows.h"
#include "eventstore/postgres/client_start.h"

namespace pixledger::eventstore {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};
constexpr std::chrono::milliseconds kLookForLockEvery{500};
constexpr std::chrono::milliseconds kPauseAfterFault{200};
// This process's own commit is in its copy a moment later, which is quicker than fetching it.
constexpr std::chrono::milliseconds kOwnCommitMax{50};
constexpr const char* kFollowing = "following";
// If a read has more, much is missing: the next part is fetched while this one is taken in.
constexpr std::uint64_t kMany = 1'000;

// Consecutive commits.
struct Fetched {
  std::vector<DecidedBatch> batches;
  Position last;  // of their events
};

Fetched fetch(PgClient& client, Position after, std::vector<ReadBatch> batches) {
  Fetched fetched{.batches = {}, .last = after};
  if (batches.empty()) return fetched;
  read_events(client, after, batches);
  fetched.last = batches.back().last;
  for (auto& batch : batches) fetched.batches.push_back(decided(std::move(batch)));
  return fetched;
}

void take_in(LmdbLog& copy, const std::vector<DecidedBatch>& batches) {
  const auto write = copy.begin_copy_write();
  // Another process of the node may have taken it in first.
  for (const auto& batch : batches)
    if (batch.number > write->batch()) write->take_in(batch);
  write->commit();
}

void take_in_all(PgClient& client, LmdbLog& copy, const std::atomic<std::uint64_t>* own_commit) {
  while (true) {
    const auto copied = copy.copied();
    auto batches = find_batches(client, copied.batch, copied.last);
    if (batches.empty()) return;
    const auto newest = batches.back().number;
    if (own_commit)
      copy.wait_past_or(copied.last, kOwnCommitMax, [&] { return own_commit->load() != newest; });
    if (newest <= copy.copied().batch) continue;
    auto fetched = fetch(client, copied.last, std::move(batches));
    auto after = copied.last;
    while (fetched.last.value() - after.value() >= kMany) {
      auto next = std::async(std::launch::async, [&, number = fetched.batches.back().number] {
        return fetch(client, fetched.last, find_batches(client, number, fetched.last));
      });
      take_in(copy, fetched.batches);
      after = fetched.last;
      fetched = next.get();
    }
    if (!fetched.batches.empty()) take_in(copy, fetched.batches);
  }
}

}  // namespace

void take_in_batches(PgClient& client, LmdbLog& copy, const std::atomic<std::uint64_t>* own_commit) {
  try {
    take_in_all(client, copy, own_commit);
  } catch (const WrongRoot& error) {
    // If the copy's tree agrees with PostgreSQL's, PostgreSQL's later commits are not as written: another
    // copy would not help.
    check_copy(client, copy);
    throw SharedLedgerDamaged(error.what());
  }
}

CopyFollower::CopyFollower(LmdbLog& copy, const CopyGuard& guard,
                           const std::atomic<std::uint64_t>& own_commit, Clients clients)
    : copy_(copy), guard_(guard), own_commit_(own_commit), clients_(std::move(clients)) {
  thread_ = std::thread([this] { run(); });
}

CopyFollower::~CopyFollower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_.notify_all();
  thread_.join();
  for (const auto& told : asking_) told({{}, "the program is about to end"});
}

void CopyFollower::ask(TellHead told) {
  std::unique_lock lock(mutex_);
  if (!fault_.empty()) {
    const CaughtUp failed{{}, fault_};
    lock.unlock();
    return told(failed);
  }
  asking_.push_back(std::move(told));
  if (asking_.size() == 1) asked_.notify_one();
}

std::string CopyFollower::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void CopyFollower::run() {
  std::unique_ptr<OwnerLock> follows;
  auto lock_looked_for = std::chrono::steady_clock::time_point::min();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = std::chrono::steady_clock::now();
    if (!follows && now - kLookForLockEvery > lock_looked_for) {
      lock_looked_for = now;
      try {
        follows = OwnerLock::try_take(copy_.environment().directory() / kFollowing);
      } catch (const std::exception&) {
        // No descriptor or room is left; callers are answered all the same.
      }
    }
    const auto pause = !fault_.empty() ? kPauseAfterFault : follows ? kLookEvery : kLookForLockEvery;
    asked_.wait_for(lock, pause, [&] { return stopping_ || !asking_.empty(); });
    if (stopping_) break;
    if (asking_.empty() && !follows && fault_.empty()) continue;
    auto asking = std::exchange(asking_, {});
    lock.unlock();
    const auto seen = look();
    lock.lock();
    fault_ = seen.fault;
    // While looks fail, callers do not wait for them.
    if (!fault_.empty())
      for (auto& told : std::exchange(asking_, {})) asking.push_back(std::move(told));
    lock.unlock();
    for (const auto& told : asking) told(seen);
    lock.lock();
  }
}

CaughtUp CopyFollower::look() {
  try {
    return {guard_.watch([this] { return pull(); }), {}};
  } catch (const std::exception& error) {
    client_.reset();
    return {{}, error.what()};
  }
}

Head CopyFollower::pull() {
  do {
    if (!client_ || !client_->is_usable() || !clients_.is_current(*client_)) client_ = clients_.connect();
    take_in_batches(*client_, copy_, &own_commit_);
    // The query was sent while the client was trusted, and may have been answered later.
  } while (!clients_.is_current(*client_));
  return copy_.head();
}

}  // namespace pixledger::eventstore
