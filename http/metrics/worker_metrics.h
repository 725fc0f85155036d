#pragma once

#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "base/platform/clock.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "http/metrics/bank_metrics.h"
#include "http/metrics/metric_faults.h"
#include "stores/databases/worker_stores.h"

namespace pixledger::http {

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
