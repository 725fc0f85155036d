#include "tests/support/memory_log.h"

#include <cassert>

namespace pixledger::eventstore {

std::uint32_t MemoryContents::version_of(const StreamName& stream) const {
  const auto found = streams.find(stream);
  return found == streams.end() ? 0 : static_cast<std::uint32_t>(found->second.size());
}

std::vector<StoredEvent> MemoryContents::read_after(Position after, std::size_t max) const {
  std::vector<StoredEvent> found;
  for (std::size_t i = after.value(); i < events.size() && found.size() < max; ++i)
    found.push_back(events[i]);
  return found;
}

StreamBatch MemoryContents::read_stream(const StreamName& stream, std::uint32_t after_version, Position up_to,
                                        ReadAllowance& allowance) const {
  StreamBatch found;
  const auto positions = streams.find(stream);
  if (positions == streams.end()) return found;
  for (std::size_t i = after_version; i < positions->second.size(); ++i) {
    const auto position = positions->second[i];
    if (position > up_to) break;
    if (allowance.is_used_up()) {
      found.more = true;
      break;
    }
    found.events.push_back(events[position.value() - 1]);
    allowance.use_for(found.events.back());
  }
  return found;
}

std::optional<StreamName> MemoryContents::claim_holder(const ClaimName& claim) const {
  const auto found = claims.find(claim.text());
  if (found == claims.end()) return std::nullopt;
  return found->second;
}

std::vector<std::pair<ClaimName, StreamName>> MemoryContents::claims_with_prefix(
    const std::string& prefix) const {
  std::vector<std::pair<ClaimName, StreamName>> found;
  for (auto claim = claims.lower_bound(prefix);
       claim != claims.end() && claim->first.compare(0, prefix.size(), prefix) == 0; ++claim)
    found.emplace_back(ClaimName(claim->first), claim->second);
  return found;
}

std::optional<std::string> MemoryContents::idempotency_record(const Digest& key) const {
  const auto found = idempotency.find(key);
  if (found == idempotency.end()) return std::nullopt;
  return found->second;
}

void MemoryContents::append(const StreamName& stream, StoredEvent event,
                            const std::vector<ClaimName>& stated) {
  head.position = head.position.next();
  event.position = head.position;
  tree_records.push_back(
      frontier.append(eventstore::leaf_hash(event.bytes, bytes_of(event.personal_digest))));
  events.push_back(std::move(event));
  streams[stream].push_back(head.position);
  for (const auto& claim : stated) {
    [[maybe_unused]] const bool is_new = claims.emplace(claim.text(), stream).second;
    assert(is_new);
  }
}

void MemoryContents::remember(const Batch& batch) {
  for (const auto& record : batch.idempotency) {
    if (record.replaces) idempotency_times.erase({*record.replaces, record.key});
    [[maybe_unused]] const bool is_new = idempotency.insert_or_assign(record.key, record.bytes).second;
    assert(is_new || record.replaces);
    idempotency_times.emplace(batch.time, record.key);
  }
  const Timestamp keep_from(batch.time.millis() - kIdempotencyKeptMs);
  while (!idempotency_times.empty() && idempotency_times.begin()->first < keep_from) {
    idempotency.erase(idempotency_times.begin()->second);
    idempotency_times.erase(idempotency_times.begin());
  }
}

// Only the writer changes the contents, so its reads need no lock.
class MemoryLog::Write final : public LogWrite {
 public:
  explicit Write(MemoryLog& log) : log_(log), turn_(log.write_mutex_) {}
  ~Write() override {
    if (is_committed_) log_.wake();
  }

  Head head() const override { return contents().head; }
  std::uint32_t id_counter() const override { return contents().id_counter; }
  std::uint32_t version_of(const StreamName& stream) const override { return contents().version_of(stream); }

  Loaded load(const LoadSet& set) const override {
    Loaded loaded;
    auto allowance = kLoad;
    for (const auto& stream : set.streams)
      loaded.streams.push_back(
          contents().read_stream(stream.name, stream.known_version, kNoLimit, allowance));
    for (const auto& claim : set.claims) loaded.claims.push_back(contents().claim_holder(claim));
    for (const auto& key : set.idempotency_keys)
      loaded.idempotency.push_back(contents().idempotency_record(key));
    return loaded;
  }

  std::vector<StoredEvent> read_after(Position after, std::size_t max) const override {
    return contents().read_after(after, max);
  }

  void append(const Batch& batch) override {
    assert(!batch_);
    batch_ = batch;
  }

  void commit() override {
    const std::lock_guard lock(log_.contents_mutex_);
    if (batch_) append_to(log_.contents_);
    is_committed_ = true;
  }

 private:
  const MemoryContents& contents() const { return log_.contents_; }

  void append_to(MemoryContents& to) const {
    assert(batch_->time >= to.head.time);
    for (const auto& record : batch_->records) {
      assert(record.version == to.version_of(record.stream) + 1);
      to.append(record.stream, {Position(), record.bytes, sha256(record.personal), record.personal},
                record.claims);
    }
    to.remember(*batch_);
    to.head.time = batch_->time;
    to.id_counter = batch_->id_counter;
  }

  MemoryLog& log_;
  std::unique_lock<std::mutex> turn_;
  std::optional<Batch> batch_;
  bool is_committed_ = false;
};

std::unique_ptr<LogWrite> MemoryLog::begin_write() { return std::make_unique<Write>(*this); }

Head MemoryLog::head() const {
  const std::lock_guard lock(contents_mutex_);
  return contents_.head;
}

std::uint32_t MemoryLog::version_of(const StreamName& stream) const {
  const std::lock_guard lock(contents_mutex_);
  return contents_.version_of(stream);
}

std::vector<StoredEvent> MemoryLog::read_after(Position after, std::size_t max) const {
  const std::lock_guard lock(contents_mutex_);
  return contents_.read_after(after, max);
}

StreamBatch MemoryLog::read_stream(const StreamName& stream, std::uint32_t after_version,
                                   Position up_to) const {
  const std::lock_guard lock(contents_mutex_);
  auto allowance = kStreamBatch;
  return contents_.read_stream(stream, after_version, up_to, allowance);
}

std::optional<StreamName> MemoryLog::claim_holder(const ClaimName& claim) const {
  const std::lock_guard lock(contents_mutex_);
  return contents_.claim_holder(claim);
}

std::vector<std::pair<ClaimName, StreamName>> MemoryLog::claims_with_prefix(const std::string& prefix) const {
  const std::lock_guard lock(contents_mutex_);
  return contents_.claims_with_prefix(prefix);
}

std::optional<Digest> MemoryLog::leaf_hash(Position position) const {
  const auto record = tree_record(position);
  if (!record) return std::nullopt;
  return digest_from_bytes(std::string_view(*record).substr(0, Digest().size()));
}

std::optional<std::string> MemoryLog::tree_record(Position position) const {
  const std::lock_guard lock(contents_mutex_);
  const auto& records = contents_.tree_records;
  if (position.value() == 0 || position.value() > records.size()) return std::nullopt;
  return records[position.value() - 1];
}

ClockAcceptance MemoryLog::clock_acceptance() const {
  const std::lock_guard lock(contents_mutex_);
  return contents_.clock_acceptance;
}

void MemoryLog::accept_clock(const ClockReading& clock) {
  const std::lock_guard turn(write_mutex_);
  const std::lock_guard lock(contents_mutex_);
  contents_.clock_acceptance = {contents_.clock_acceptance.count + 1, contents_.head.time, clock};
}

bool MemoryLog::wait_past_or(Position position, std::chrono::milliseconds timeout,
                             const WakeSignal::Condition& other) const {
  return committed_.wait(timeout, timeout, [&] { return other() || head().position > position; });
}

}  // namespace pixledger::eventstore
