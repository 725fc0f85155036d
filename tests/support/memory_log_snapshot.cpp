#include <algorithm>
#include <functional>

#include "eventstore/log/log.h"
#include "tests/support/memory_log.h"

// Snapshots of a memory log for verify, backup and restore.
namespace pixledger::eventstore {
namespace {

// A cursor over entries listed beforehand. Their places are their indexes.
template <class Port, class Entry>
class Listed : public Port {
 public:
  explicit Listed(std::vector<Entry> entries) : entries_(std::move(entries)) {}

  bool seek(std::string_view place) override {
    at_ = place.empty() ? 0 : std::stoull(std::string(place));
    return at_ < entries_.size();
  }
  bool next() override { return ++at_ < entries_.size(); }
  const Entry& entry() const override { return entries_[at_]; }
  std::string place() const override { return std::to_string(at_); }

 protected:
  const std::vector<Entry> entries_;
  std::size_t at_ = 0;
};

class ListedStreams final : public Listed<StreamCursor, StreamEntry> {
 public:
  using Listed::Listed;
  std::optional<Position> find(const StreamName& stream, std::uint32_t version) override {
    for (const auto& entry : entries_) {
      if (entry.stream == stream.text() && entry.version == version) return entry.position;
    }
    return std::nullopt;
  }
};

// `value_at` returns the value at a position of the log.
class Positions final : public PositionCursor {
 public:
  using ValueAt = std::function<std::optional<std::string>(std::size_t index)>;
  Positions(std::size_t count, ValueAt value_at) : count_(count), value_at_(std::move(value_at)) {}

  bool seek(Position at_or_after) override {
    position_ = std::max<std::uint64_t>(1, at_or_after.value());
    return look();
  }
  bool next() override {
    ++position_;
    return look();
  }
  Position position() const override { return Position(position_); }
  std::string_view value() const override { return value_; }
  std::optional<std::string_view> find(Position position) override {
    if (!seek(position) || position_ != position.value()) return std::nullopt;
    return value_;
  }

 private:
  bool look() {
    for (; position_ <= count_; ++position_) {
      if (auto found = value_at_(position_ - 1)) {
        value_ = *std::move(found);
        return true;
      }
    }
    return false;
  }

  const std::size_t count_;
  const ValueAt value_at_;
  std::uint64_t position_ = 0;
  std::string value_;
};

class Snapshot final : public LogSnapshot {
 public:
  explicit Snapshot(MemoryContents contents) : contents_(std::move(contents)) {}

  LogEnd end() const override {
    return {contents_.head, contents_.id_counter, contents_.keyring, contents_.ended_epochs};
  }

  std::unique_ptr<PositionCursor> events() const override {
    return positions([this](std::size_t index) {
      const auto& event = contents_.events[index];
      return event.bytes + std::string(bytes_of(event.personal_digest));
    });
  }
  std::unique_ptr<PositionCursor> personal() const override {
    return positions([this](std::size_t index) -> std::optional<std::string> {
      const auto& personal = contents_.events[index].personal;
      return personal.empty() ? std::nullopt : std::optional(personal);
    });
  }
  std::unique_ptr<PositionCursor> tree() const override {
    return positions([this](std::size_t index) { return contents_.tree_records[index]; });
  }

  std::unique_ptr<StreamCursor> streams() const override {
    std::vector<StreamEntry> entries;
    for (const auto& [stream, positions] : contents_.streams) {
      std::uint32_t version = 0;
      for (const auto position : positions) entries.push_back({stream.text(), ++version, position});
    }
    return std::make_unique<ListedStreams>(std::move(entries));
  }
  std::unique_ptr<EntryCursor<ClaimEntry>> claims() const override {
    std::vector<ClaimEntry> entries;
    for (const auto& [name, holder] : contents_.claims) entries.push_back({name, holder.text()});
    return std::make_unique<Listed<EntryCursor<ClaimEntry>, ClaimEntry>>(std::move(entries));
  }
  std::uint64_t claim_count() const override { return contents_.claims.size(); }
  std::optional<std::string_view> claim_holder(const ClaimName& claim) const override {
    const auto found = contents_.claims.find(claim.text());
    return found == contents_.claims.end() ? std::nullopt
                                           : std::optional<std::string_view>(found->second.text());
  }

  std::unique_ptr<EntryCursor<IdempotencyEntry>> idempotency(Timestamp from) const override {
    std::vector<IdempotencyEntry> entries;
    for (const auto& [time, key] : contents_.idempotency_times) {
      if (time < from) continue;
      entries.push_back({.time = time,
                         .key = bytes_of(key),
                         .record = contents_.idempotency.at(key),
                         .is_as_written = true});
    }
    return std::make_unique<Listed<EntryCursor<IdempotencyEntry>, IdempotencyEntry>>(std::move(entries));
  }
  std::optional<std::string> problem_of_idempotency() const override { return std::nullopt; }
  std::optional<std::string> problem_of_meta() const override { return std::nullopt; }

 private:
  std::unique_ptr<PositionCursor> positions(Positions::ValueAt value_at) const {
    return std::make_unique<Positions>(contents_.events.size(), std::move(value_at));
  }

  const MemoryContents contents_;
};

}  // namespace

std::unique_ptr<LogSnapshot> MemoryLog::snapshot() const {
  const std::lock_guard lock(contents_mutex_);
  return std::make_unique<Snapshot>(contents_);
}

void MemoryLog::remove_personal(const std::vector<Position>& positions) {
  const std::lock_guard turn(write_mutex_);
  const std::lock_guard lock(contents_mutex_);
  for (const auto position : positions) contents_.events.at(position.value() - 1).personal.clear();
}

void MemoryLogImport::append(const AppendedEvent& event) {
  const auto is_taken = [this](const ClaimName& claim) { return contents_.claim_holder(claim).has_value(); };
  if (event.version != contents_.version_of(event.stream) + 1 ||
      std::any_of(event.claims.begin(), event.claims.end(), is_taken))
    throw ImportConflict("the event's version, or a name that it states, is there already");
  contents_.append(event.stream, to_stored_event(Position(), event.leaf, event.personal), event.claims);
}

void MemoryLogImport::add(const IdempotencyEntry& entry) {
  const auto key = digest_from_bytes(entry.key);
  contents_.idempotency.emplace(key, entry.record);
  contents_.idempotency_times.emplace(entry.time, key);
}

Digest MemoryLogImport::finish(const LogIdentity& identity, const LogEnd& end) {
  contents_.head = end.head;
  contents_.id_counter = end.id_counter;
  contents_.keyring = end.keyring;
  contents_.ended_epochs = end.ended_epochs;
  const auto root = contents_.frontier.root();
  log_ = std::make_unique<MemoryLog>(identity, std::move(contents_));
  return root;
}

}  // namespace pixledger::eventstore
