#include "http/metrics/readiness.h"

#include <algorithm>
#include <utility>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::http {
namespace {

// Readiness probes come every few seconds; a view that lags this long is behind for good reason.
constexpr std::chrono::milliseconds kLagMax{1000};
constexpr std::size_t kCheckedAtOnce = 256;

}  // namespace

std::string Readiness::clock_fault(const Head& head) {
  // Of a ledger that machines share another clock gives the time, and how this one goes is nothing to it, as
  // long as both tell the same.
  const auto there = cluster_ ? cluster_->time_there() : std::nullopt;
  if (cluster_ && !there) return {};
  const std::lock_guard lock(mutex_);
  try {
    clock_guard_.time_after(head, there);
    return {};
  } catch (const eventstore::LogUnavailable& fault) {
    return fault.what();
  }
}

std::string Readiness::ledger_fault(const Head& head) {
  // Without PostgreSQL nobody can ask it what was accepted of its clock.
  auto fault = cluster_ ? cluster_->fault() : std::string();
  if (fault.empty()) fault = clock_fault(head);
  if (!fault.empty()) return fault;
  // Reads go on where an operator has to decide about writes, at all nodes alike.
  fault = commands_.recent_fault();
  return fault.starts_with(eventstore::kWritesStopped) ? std::string() : fault;
}

void Readiness::note(const std::exception& fault) {
  // Damage of pages may be that of the read models, which are built anew.
  const bool is_damage = dynamic_cast<const eventstore::LogCorrupt*>(&fault) != nullptr;
  const std::lock_guard lock(mutex_);
  if (is_damage && damage_.empty()) damage_ = fault.what();
}

std::string Readiness::damage() {
  try {
    check_some_events(log_.head());
  } catch (const eventstore::LogUnavailable&) {
    // Told elsewhere.
  } catch (const eventstore::LmdbDamaged& fault) {
    const std::lock_guard lock(mutex_);
    if (damage_.empty()) damage_ = fault.what();
  } catch (const std::exception& fault) {
    note(fault);
  }
  const std::lock_guard lock(mutex_);
  return damage_;
}

// The newest, and the next ones of a round through all.
void Readiness::check_some_events(const Head& head) {
  if (head.position == Position()) return;
  Position after;
  {
    const std::lock_guard lock(mutex_);
    if (checked_ >= head.position) checked_ = {};
    after = std::exchange(checked_, Position(checked_.value() + kCheckedAtOnce));
  }
  check_events(Position(head.position.value() - 1), 1);
  check_events(after, kCheckedAtOnce);
}

void Readiness::check_events(Position after, std::size_t count) {
  for (const auto& event : log_.read_after(after, count)) {
    const auto leaf = eventstore::leaf_hash(event.bytes, bytes_of(event.personal_digest));
    if (log_.leaf_hash(event.position) != leaf)
      throw eventstore::LogCorrupt("the event at position " + std::to_string(event.position.value()) +
                                   " is not the one whose leaf the tree has");
  }
}

Violations Readiness::reasons() {
  if (draining_) return {{"server", "is stopping"}};
  auto damaged = damage();
  if (!damaged.empty()) return {{"ledger", "is damaged: " + damaged + " (run pixledger verify)"}};
  Violations reasons;
  const auto head = log_.head();
  if (!projector_.wait_applied(head.position, kLagMax)) {
    // They may have come that far after all, once the wait was over.
    const auto applied = std::min(projector_.applied(), head.position);
    std::string reason = "are " + std::to_string(head.position.value() - applied.value()) + " events behind";
    const auto fault = projector_.fault();
    if (!fault.empty()) reason += ": " + fault;
    reasons.push_back({"views", std::move(reason)});
  }
  auto refusal = ledger_fault(head);
  if (!refusal.empty()) reasons.push_back({"ledger", "takes no commands: " + refusal});
  return reasons;
}

}  // namespace pixledger::http
