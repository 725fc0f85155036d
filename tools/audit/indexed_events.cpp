#include "tools/audit/indexed_events.h"

#include <chrono>
#include <memory>
#include <utility>

#include "eventstore/codec/codec.h"
#include "eventstore/log/stored_leaf.h"
#include "eventstore/reading/short_snapshots.h"

namespace pixledger::tools {
namespace {

using eventstore::PositionCursor;
using eventstore::StreamEntry;

constexpr std::size_t kEntriesPerBatch = 128;
constexpr std::size_t kBytesPerBatch = std::size_t{256} << 10;
constexpr eventstore::AheadLimits kAhead{.events = 2 * kEntriesPerBatch, .bytes = 4 * kBytesPerBatch};

class IndexReader {
 public:
  IndexReader(const eventstore::LedgerLog& log, Position end) : log_(log), end_(end) {}

  std::optional<IndexedBatch> operator()() {
    if (at_end_) return std::nullopt;
    const auto deadline = std::chrono::steady_clock::now() + eventstore::kSnapshotMax;
    const auto snapshot = log_.snapshot();
    // Streams of charges lie in the order of their events, so the next one is near.
    const Rows rows{snapshot->end().head.position, snapshot->events(), snapshot->personal()};
    const auto index = snapshot->streams();
    IndexedBatch batch;
    batch.entries.reserve(kEntriesPerBatch);
    bool more = index->seek(next_);
    while (more && batch.entries.size() < kEntriesPerBatch && batch.stored_bytes < kBytesPerBatch) {
      add(index->entry(), rows, batch);
      more = index->next();
      if (std::chrono::steady_clock::now() > deadline) break;
    }
    if (more)
      next_ = index->place();
    else
      at_end_ = true;
    return batch;
  }

 private:
  // Of one snapshot.
  struct Rows {
    Position head;
    std::unique_ptr<PositionCursor> events;
    std::unique_ptr<PositionCursor> personal;
  };

  void add(const StreamEntry& entry, const Rows& rows, IndexedBatch& batch) {
    if (entry.stream.empty()) {
      name_.clear();
      batch.entries.push_back({.problem = "the index of streams has a key that is none"});
      return;
    }
    if (entry.stream != name_) {
      name_ = entry.stream;
      stream_ = domain::StreamName::parse(name_);
      is_first_ = true;
      if (!stream_) batch.entries.push_back({.problem = "the index of streams has a name that is none"});
    }
    // Recorded after the pass began, unless the log has no such position.
    if (entry.position > end_ && entry.position <= rows.head) return;
    auto& read = batch.entries.emplace_back();
    read.version = entry.version;
    read.position = entry.position;
    read.is_first = std::exchange(is_first_, false);
    if (read.is_first) read.stream = stream_;
    if (stream_) read_event(rows, read, batch);
  }

  static void read_event(const Rows& rows, IndexedEvent& read, IndexedBatch& batch) {
    const auto leaf = read.position <= rows.head ? rows.events->find(read.position) : std::nullopt;
    if (!leaf) return;
    read.is_in_log = true;
    try {
      const auto personal = rows.personal->find(read.position).value_or("");
      const auto stored = eventstore::to_stored_event(read.position, *leaf, personal);
      read.personal = {stored.personal_digest, !stored.personal.empty()};
      batch.stored_bytes += leaf->size() + personal.size();
      read.event = eventstore::decode(stored);
    } catch (const std::runtime_error& unreadable) {
      read.unreadable = unreadable.what();
    }
  }

  const eventstore::LedgerLog& log_;
  const Position end_;
  std::string next_;  // where the next snapshot goes on
  bool at_end_ = false;

  // Of the stream that is being read.
  std::string name_;
  std::optional<domain::StreamName> stream_;
  bool is_first_ = false;
};

}  // namespace

eventstore::ReadAhead<IndexedBatch> read_index_ahead(const eventstore::LedgerLog& log, Position end) {
  return {kAhead, IndexReader(log, end)};
}

}  // namespace pixledger::tools
