#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <string>
#include <vector>

#include "base/http/json/error_reply.h"
#include "eventstore/executor/clock_guard.h"
#include "eventstore/log/cluster.h"
#include "http/metrics/command_metrics.h"
#include "projections/generations/projector.h"

namespace pixledger::http {

// Whether the server can do all its work. Thread-safe; the constructor's arguments outlive it.
class Readiness {
 public:
  Readiness(const eventstore::Log& log, const Clock& clock, projections::Projector& projector,
            const CommandMetrics& commands, const eventstore::Cluster* cluster = nullptr)
      : log_(log), projector_(projector), commands_(commands), cluster_(cluster), clock_guard_(clock, log) {}

  // Why the server is not ready, by part: "server", "views" or "ledger". Empty if it is ready. Waits a moment
  // for views that are behind. Each call also verifies a few events against the Merkle tree.
  Violations reasons();
  // Why writes are refused while reads are answered; empty if writes are accepted.
  std::string write_stop() const { return cluster_ ? cluster_->write_stop() : std::string(); }

  // From now on the server is not ready, since it is stopping.
  void begin_draining() { draining_ = true; }
  // Notes an exception of a request; it may mean a damaged ledger.
  void note(const std::exception& fault);

 private:
  // The first damage found in the log; never cleared.
  std::string damage();
  void check_some_events(const Head& head);
  void check_events(Position after, std::size_t count);
  // Why the ledger takes no commands; empty when it does.
  std::string ledger_fault(const Head& head);
  std::string clock_fault(const Head& head);

  const eventstore::Log& log_;
  projections::Projector& projector_;
  const CommandMetrics& commands_;
  const eventstore::Cluster* const cluster_;  // null: the ledger is of this machine alone
  std::atomic<bool> draining_{false};
  std::mutex mutex_;
  std::string damage_;
  Position checked_;  // verified up to here in this round
  // A guard of its own: the executor's reports the clock only when there are commands.
  eventstore::ClockGuard clock_guard_;
};

// Readiness, and the resources that the process and the data directory's file system have left.
class HealthMetrics final : public prometheus::Collectable {
 public:
  // Both outlive it. `directory`: any in the data directory.
  HealthMetrics(Readiness& readiness, const projections::Projector& projector,
                std::filesystem::path directory)
      : readiness_(readiness), projector_(projector), directory_(std::move(directory)) {}

  // Waits for read models that are behind, as /readyz does.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  Readiness& readiness_;
  const projections::Projector& projector_;
  const std::filesystem::path directory_;
};

}  // namespace pixledger::http
