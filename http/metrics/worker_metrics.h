#pragma once

#include <chrono>
#include <filesystem>
#include <mutex>
#include <optional>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/data_directory.h"
#include "base/platform/periodic.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "http/metrics/metrics_page.h"
#include "stores/databases/worker_databases.h"

namespace pixledger::http {

// The connections to banks of live charges, as the worker for banks records them in its database.
class BankMetrics final : public prometheus::Collectable {
 public:
  // Clock and faults outlive it. `workers`: the directory with a subdirectory a worker.
  BankMetrics(std::filesystem::path workers, const Clock& clock, MetricFaults& faults)
      : workers_(std::move(workers)), clock_(clock), faults_(faults) {}

  // Leaves out what cannot be read and reports it to `faults`.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::filesystem::path workers_;
  const Clock& clock_;
  MetricFaults& faults_;
};

// The workers' progress and backlog, and the connections to banks, read from the workers' databases. Covers
// the data directory's workers, or those of all machines that share the ledger.
class WorkerMetrics final : public prometheus::Collectable {
 public:
  // Log, clock and faults outlive it.
  WorkerMetrics(stores::WorkerDatabases databases, const eventstore::Log& log, const Clock& clock,
                const eventstore::LmdbOptions& lmdb, MetricFaults& faults)
      : databases_(std::move(databases)),
        log_(log),
        clock_(clock),
        lmdb_(lmdb),
        faults_(faults),
        banks_(databases_.workers(), clock, faults) {}

  // Leaves out what cannot be read and reports it to `faults`.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const stores::WorkerDatabases databases_;
  const eventstore::Log& log_;
  const Clock& clock_;
  const eventstore::LmdbOptions lmdb_;
  MetricFaults& faults_;
  const BankMetrics banks_;
  // A process may open an LMDB environment only once at a time, so scrapes take turns.
  mutable std::mutex mutex_;
};

// When the data directory was last backed up and verified, and the results.
class OperationsMetrics final : public prometheus::Collectable {
 public:
  explicit OperationsMetrics(DataDirectory data) : data_(std::move(data)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const DataDirectory data_;
};

// Caches metrics of a source that may be slow, such as a database on another machine. Its own thread reads
// the source; Collect() returns the last values at once, none before the first read. The destructor waits for
// a read in progress. Thread-safe.
class KeptMetrics final : public prometheus::Collectable {
 public:
  static constexpr std::chrono::seconds kLookEvery{5};

  // `source` outlives it. If not `slow`, Collect() reads the source itself.
  KeptMetrics(const prometheus::Collectable& source, bool slow);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void look();

  const prometheus::Collectable& source_;
  mutable std::mutex mutex_;
  std::vector<prometheus::MetricFamily> kept_;
  std::optional<Periodic> thread_;  // for a slow source
};

}  // namespace pixledger::http
