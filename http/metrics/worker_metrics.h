#pragma once

#include <filesystem>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "base/platform/clock.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "http/metrics/metric_faults.h"
#include "stores/databases/worker_stores.h"

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
  WorkerMetrics(stores::WorkerStores stores, const eventstore::Log& log, const Clock& clock,
                const eventstore::LmdbOptions& lmdb, MetricFaults& faults)
      : stores_(std::move(stores)),
        log_(log),
        clock_(clock),
        lmdb_(lmdb),
        faults_(faults),
        banks_(stores_.workers(), clock, faults) {}

  // What cannot be read has no sample, and `faults` are told.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const stores::WorkerStores stores_;
  const eventstore::Log& log_;
  const Clock& clock_;
  const eventstore::LmdbOptions lmdb_;
  MetricFaults& faults_;
  const BankMetrics banks_;
  // A process opens an LMDB environment once at a time, and a look is one thread's.
  mutable std::mutex mutex_;
};

}  // namespace pixledger::http
