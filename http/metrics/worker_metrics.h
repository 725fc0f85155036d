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

// How the banks behind live charges are spoken to, by connection, as the providers' worker keeps it in its
// database.
class BankMetrics final : public prometheus::Collectable {
 public:
  // Clock and faults outlive it. `workers`: the directory with one for each.
  BankMetrics(std::filesystem::path workers, const Clock& clock, MetricFaults& faults)
      : workers_(std::move(workers)), clock_(clock), faults_(faults) {}

  // What cannot be read has no sample, and `faults` are told.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::filesystem::path workers_;
  const Clock& clock_;
  MetricFaults& faults_;
};

// How far the workers of the data directory, or of the machines that share the ledger, are, what waits for
// them, and how the banks are spoken to, read from their databases.
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

  // What cannot be read has no sample, and `faults` are told.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const stores::WorkerDatabases databases_;
  const eventstore::Log& log_;
  const Clock& clock_;
  const eventstore::LmdbOptions lmdb_;
  MetricFaults& faults_;
  const BankMetrics banks_;
  // A process opens an LMDB environment once at a time, and a look is one thread's.
  mutable std::mutex mutex_;
};

// When the data directory was last backed up and verified, and what that came to.
class OperationsMetrics final : public prometheus::Collectable {
 public:
  explicit OperationsMetrics(DataDirectory data) : data_(std::move(data)) {}

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const DataDirectory data_;
};

// Metrics of something that may take long to tell, such as a database on another machine: it is asked on a
// thread of its own, and whoever asks here is told at once what was seen last. Nothing before the first look.
// The destructor waits for a look that is under way. Thread-safe.
class KeptMetrics final : public prometheus::Collectable {
 public:
  static constexpr std::chrono::seconds kLookEvery{5};

  // `source` outlives it. Not `slow`: it is asked by whoever asks here.
  KeptMetrics(const prometheus::Collectable& source, bool slow);

  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void look();

  const prometheus::Collectable& source_;
  mutable std::mutex mutex_;
  std::vector<prometheus::MetricFamily> kept_;
  std::optional<Periodic> thread_;  // of a slow source
};

}  // namespace pixledger::http
