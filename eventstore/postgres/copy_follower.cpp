#include "eventstore/postgres/copy_follower.h"

#include "eventstore/platform/owner_lock.h"
#include "eventstore/postgres/batch_rows.h"

namespace pixledger::eventstore {
namespace {

constexpr std::chrono::milliseconds kLookEvery{5};
constexpr std::chrono::milliseconds kLookForLockEvery{500};
constexpr std::chrono::milliseconds kPauseAfterFault{200};
// Nobody waits longer for a look than until it is sure that there is no primary.
constexpr std::chrono::seconds kPatience{5};
constexpr const char* kFollowing = "following";

}  // namespace

void take_in_batches(PgSession& session, LmdbLog& copy) {
  while (true) {
    const auto copied = copy.copied();
    auto batches = read_batches(session, copied.batch, copied.last);
    if (batches.empty()) return;
    const auto write = copy.begin_copy_write();
    // Another process of the node may have been quicker.
    for (auto& batch : batches)
      if (batch.number > write->batch()) write->take_in(decided(std::move(batch)));
    write->commit();
  }
}

CopyFollower::CopyFollower(LmdbLog& copy, Connect connect, Astray astray)
    : copy_(copy), connect_(std::move(connect)), astray_(std::move(astray)) {
  thread_ = std::thread([this] { run(); });
}

CopyFollower::~CopyFollower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  asked_.notify_all();
  looked_.notify_all();
  thread_.join();
}

Head CopyFollower::catch_up() {
  std::unique_lock lock(mutex_);
  // One that is under way may have been sent before this was asked. While looks fail nobody waits for them.
  const auto wanted = begun_ + 1;
  wanted_ = std::max(wanted_, wanted);
  asked_.notify_one();
  const bool is_told =
      looked_.wait_for(lock, kPatience, [&] { return stopping_ || done_ >= wanted || !last_.fault.empty(); });
  if (!is_told) throw LogUnavailable("PostgreSQL does not tell in time what the ledger's head is");
  if (!last_.fault.empty()) throw LogUnavailable(last_.fault);
  if (stopping_) throw LogUnavailable("the program is about to end");
  return last_.head;
}

void CopyFollower::run() {
  std::unique_ptr<OwnerLock> follows;
  auto lock_looked_for = std::chrono::steady_clock::time_point::min();
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = std::chrono::steady_clock::now();
    if (!follows && now - kLookForLockEvery > lock_looked_for) {
      lock_looked_for = now;
      follows = OwnerLock::try_take(copy_.environment().directory() / kFollowing);
    }
    if (done_ >= wanted_ && last_.fault.empty()) {
      asked_.wait_for(lock, follows ? kLookEvery : kLookForLockEvery,
                      [&] { return stopping_ || done_ < wanted_; });
      if (stopping_) break;
      if (done_ >= wanted_ && !follows) continue;
    }
    ++begun_;
    lock.unlock();
    auto seen = look();
    lock.lock();
    const bool failed = !seen.fault.empty();
    last_ = std::move(seen);
    ++done_;
    looked_.notify_all();
    if (failed) asked_.wait_for(lock, kPauseAfterFault, [this] { return stopping_; });
  }
}

CopyFollower::Look CopyFollower::look() {
  try {
    return {pull(), {}};
  } catch (const CopyAstray& error) {
    session_.reset();
    astray_(error.what());
    return {{}, error.what()};
  } catch (const LogCorrupt& error) {
    session_.reset();
    astray_(error.what());
    return {{}, error.what()};
  } catch (const std::exception& error) {
    session_.reset();
    return {{}, error.what()};
  }
}

Head CopyFollower::pull() {
  if (!session_ || !session_->is_usable()) session_ = connect_();
  take_in_batches(*session_, copy_);
  return copy_.head();
}

}  // namespace pixledger::eventstore
