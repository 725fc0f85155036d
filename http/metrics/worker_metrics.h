#pragma once

#include <filesystem>
#include <mutex>
#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>
#include <vector>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"

namespace pixledger::http {

// How far the workers of the data directory are and what waits for them, read from their stores.
class WorkerMetrics final : public prometheus::Collectable {
 public:
  // Log and clock outlive it. `workers`: the directory with one for each; empty: none is looked for.
  WorkerMetrics(std::filesystem::path workers, const eventstore::Log& log, const eventstore::Clock& clock,
                const eventstore::LmdbOptions& lmdb)
      : workers_(std::move(workers)), log_(log), clock_(clock), lmdb_(lmdb) {}

  // What cannot be read has no sample.
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  const std::filesystem::path workers_;
  const eventstore::Log& log_;
  const eventstore::Clock& clock_;
  const eventstore::LmdbOptions lmdb_;
  mutable std::mutex mutex_;  // a process opens an LMDB environment once at a time
};

}  // namespace pixledger::http
