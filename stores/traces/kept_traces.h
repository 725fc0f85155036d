#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/periodic.h"
#include "base/trace/span_exporter.h"
#include "base/values/position.h"
#include "stores/sql/sql_database.h"

// The traces of the requests that caused events, by the events' positions. Kept beside the ledger in an
// SQLite file for kTracesKept, so that other systems' texts do not enter the ledger. In no receipt and no
// backup. Faults are logged, and cost traces only.
namespace pixledger::stores {

inline constexpr std::chrono::milliseconds kTracesKept = std::chrono::hours(7 * 24);

struct EventTrace {
  Position position;
  Timestamp recorded_at;
  const TraceContext* context;
};

// Keeps traces, and removes old ones once a minute. The first trace creates the file. Thread-safe.
class TraceKeeper {
 public:
  // Clock and logger outlive it.
  TraceKeeper(std::filesystem::path file, const Clock& clock, Logger& logger);

  // Other processes find them when this returns. Waits for no disk, and hardly for other writers: it keeps
  // none of these traces then.
  void keep(const std::vector<EventTrace>& traces);
  // Removes old traces, at most a few hundred; returns whether there may be more.
  bool remove_old();

 private:
  Periodic::Wait look_after();
  void log(const std::exception& fault);

  const std::filesystem::path file_;
  const Clock& clock_;
  Logger& logger_;
  AtMostEvery fault_due_{std::chrono::minutes(10)};
  std::mutex mutex_;
  std::unique_ptr<SqlDatabase> database_;  // null until the first trace
  Periodic upkeep_;
};

// The span of one attempt to tell another system of an event.
struct AttemptSpan {
  TraceContext cause;
  std::string id;
  Span::Time began;

  // Continue the trace there; none if it is not a caller's.
  std::vector<std::pair<std::string, std::string>> headers() const;
};

// Finds what a TraceKeeper of another process keeps, and continues these traces in what workers do about the
// events. Thread-safe.
class EventTraces {
 public:
  // All outlive it. Without `spans` traces are passed on, and not exported.
  EventTraces(std::filesystem::path file, const Clock& clock, Entropy& entropy, SpanExporter* spans,
              Logger& logger)
      : file_(std::move(file)), clock_(clock), entropy_(entropy), spans_(spans), logger_(logger) {}

  // False before the first trace of all.
  bool are_any() const { return std::filesystem::exists(file_); }
  // Nullopt if the request of this event was not traced, or the event is older than kTracesKept, or this
  // process cannot read what the keeper writes. After a restore a position may have another event's trace,
  // which has another time.
  std::optional<TraceContext> find(Position position, Timestamp recorded_at) const;
  AttemptSpan begin(TraceContext cause) const;
  // `error`: its kind; empty: none.
  void end(const AttemptSpan& attempt, std::string name, std::vector<SpanAttribute> attributes,
           std::string_view error) const;

 private:
  const std::filesystem::path file_;
  const Clock& clock_;
  Entropy& entropy_;
  SpanExporter* const spans_;
  Logger& logger_;
  mutable AtMostEvery fault_due_{std::chrono::minutes(10)};
  mutable std::mutex mutex_;
  mutable std::unique_ptr<SqlDatabase> database_;  // null until the file exists
};

}  // namespace pixledger::stores
