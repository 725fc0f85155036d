#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/periodic.h"
#include "base/trace/trace_context.h"
#include "base/values/position.h"
#include "stores/sql/sql_database.h"

// The traces of the requests that caused events, by the events' positions. Kept beside the ledger in an
// SQLite file for kTracesKept, so that other systems' texts do not enter the ledger. In no receipt and no
// backup; losing the file loses traces only.
namespace pixledger::stores {

inline constexpr std::chrono::milliseconds kTracesKept = std::chrono::hours(7 * 24);

// Receives why traces could not be kept or read, which fails nothing else.
using TraceFault = std::function<void(const std::string&)>;

struct EventTrace {
  Position position;
  Timestamp recorded_at;
  const TraceContext* context;
};

// Keeps traces, and removes old ones once a minute. The first trace creates the file. Thread-safe.
class TraceKeeper {
 public:
  // The clock outlives it.
  TraceKeeper(std::filesystem::path file, const Clock& clock, TraceFault on_fault);

  // Readers find them when this returns. Waits for no disk.
  void keep(const std::vector<EventTrace>& traces);
  // Removes old traces, at most a few hundred; returns whether there may be more.
  bool remove_old();

 private:
  Periodic::Wait look_after();

  const std::filesystem::path file_;
  const Clock& clock_;
  const TraceFault on_fault_;
  std::mutex mutex_;
  std::unique_ptr<SqlDatabase> database_;  // null until the first trace
  Periodic upkeep_;
};

// Finds traces that another process may be keeping. Thread-safe.
class TraceReader {
 public:
  // The clock outlives it.
  TraceReader(std::filesystem::path file, const Clock& clock, TraceFault on_fault)
      : file_(std::move(file)), clock_(clock), on_fault_(std::move(on_fault)) {}

  // Nullopt also if the trace is older than kTracesKept.
  std::optional<TraceContext> find(Position position) const;

 private:
  const std::filesystem::path file_;
  const Clock& clock_;
  const TraceFault on_fault_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<SqlDatabase> database_;  // null until the file exists
};

}  // namespace pixledger::stores
