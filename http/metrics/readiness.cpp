#include "http/metrics/readiness.h"

#include <algorithm>

namespace pixledger::http {
namespace {

// Readiness probes come every few seconds; a view that lags this long is behind for good reason.
constexpr std::chrono::milliseconds kLagMax{1000};

}  // namespace

std::string Readiness::clock_fault(const eventstore::Head& head) {
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

std::string Readiness::ledger_fault(const eventstore::Head& head) {
  // Without PostgreSQL nobody can ask it what was accepted of its clock.
  auto fault = cluster_ ? cluster_->fault() : std::string();
  if (fault.empty()) fault = clock_fault(head);
  if (!fault.empty()) return fault;
  // Reads go on where an operator has to decide about writes, at all nodes alike.
  fault = commands_.recent_fault();
  return fault.starts_with(eventstore::kWritesStopped) ? std::string() : fault;
}

Violations Readiness::reasons() {
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
