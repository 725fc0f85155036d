#include "projections/generations/erasure_follower.h"

#include <algorithm>

#include "base/platform/owner_lock.h"
#include "eventstore/reading/log_scan.h"
#include "projections/generations/erased_views.h"

namespace pixledger::projections {
namespace {

// So far a node that starts may have to read the log again.
constexpr std::uint64_t kNoteEveryEvents = 10'000;

}  // namespace

std::vector<Position> erasures_between(const eventstore::Log& log, Position after, Position last) {
  std::vector<Position> found;
  eventstore::for_each_event(log, after, last, [&](const domain::RecordedEvent& event) {
    const auto* const change = std::get_if<domain::CustomerEvent>(&event.event);
    if (change && std::holds_alternative<domain::CustomerErased>(*change)) found.push_back(event.position);
  });
  return found;
}

PendingErasures pending_erasures(const eventstore::Log& log, const eventstore::Cluster& cluster) {
  PendingErasures pending{.erasures = {}, .up_to = log.head().position};
  for (const auto position : erasures_between(log, cluster.erased(), pending.up_to))
    pending.erasures.push_back(eventstore::erasure_at(log, position));
  return pending;
}

ErasureFollower::ErasureFollower(DataDirectory data, eventstore::LedgerLog& log, eventstore::Cluster& cluster,
                                 std::function<void(const std::string&)> on_fault,
                                 ErasureFollowerOptions options)
    : data_(std::move(data)),
      log_(log),
      cluster_(cluster),
      on_fault_(std::move(on_fault)),
      options_(options) {
  thread_ = std::thread([this] { run(); });
}

ErasureFollower::~ErasureFollower() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void ErasureFollower::run() {
  std::unique_lock lock(mutex_);
  auto pause = std::chrono::milliseconds(0);
  while (!stop_.wait_for(lock, pause, [this] { return stopping_; })) {
    lock.unlock();
    pause = look();
    lock.lock();
  }
}

std::chrono::milliseconds ErasureFollower::look() {
  try {
    const auto head = log_.head().position;
    if (!has_looked_ || is_note_lost() || !erasures_between(log_, looked_at_, head).empty() ||
        head.value() >= looked_at_.value() + kNoteEveryEvents)
      do_part();
    else
      looked_at_ = std::max(looked_at_, head);
    return options_.look_every;
  } catch (const eventstore::LogUnavailable&) {
    // The log says it, and whoever asks for an erasure is told which nodes have not done their part.
    return options_.look_every;
  } catch (const std::exception& fault) {
    on_fault_(fault.what());
    return options_.retry_every;
  }
}

bool ErasureFollower::is_note_lost() const {
  const auto seen = cluster_.seen_erased();
  return seen && seen->looked_at > noted_at_ && seen->position < noted_;
}

void ErasureFollower::do_part() {
  // A command on this node may have done it already, or is at it.
  const auto turn = OwnerLock::take_within(data_.erasing_lock(), options_.patience);
  const auto pending = pending_erasures(log_, cluster_);
  if (!pending.erasures.empty()) {
    log_.remove_personal(eventstore::records_erased_by(log_, pending.erasures).positions);
    erase_from_views(data_.views(), pending.erasures.back().erased, options_.patience);
    log_.scrub(options_.patience);
  }
  cluster_.note_erased(pending.up_to);
  noted_ = pending.up_to;
  noted_at_ = std::chrono::steady_clock::now();
  has_looked_ = true;
  looked_at_ = pending.up_to;
}

}  // namespace pixledger::projections
