#include "eventstore/lmdb/journal_record.h"

#include "base/platform/big_endian.h"
#include "base/platform/crc32c.h"
#include "eventstore/lmdb/planted.h"

namespace pixledger::eventstore {
namespace {

constexpr std::string_view kRecordMagic = "PXLJ";
constexpr std::size_t kLedgerIdBytes = 32;
constexpr std::size_t kRecordCrcAt = kRecordHeadBytes - kBigEndian32Bytes;

std::uint32_t check_of(std::string_view record, const JournalPlace& place) {
  const auto at = crc32c(big_endian(place.segment) + big_endian(place.offset));
  return crc32c(record.substr(kRecordHeadBytes), crc32c(record.substr(0, kRecordCrcAt), at));
}

void put_time(std::string& out, Timestamp time) {
  out += big_endian(static_cast<std::uint64_t>(time.millis()));
}

void put_bytes(std::string& out, std::initializer_list<std::string_view> parts) {
  std::size_t size = 0;
  for (const auto part : parts) size += part.size();
  out += big_endian32(static_cast<std::uint32_t>(size));
  for (const auto part : parts) out += part;
}

void put_count(std::string& out, std::size_t count) {
  out += big_endian32(static_cast<std::uint32_t>(count));
}

class RecordReader {
 public:
  explicit RecordReader(std::string_view bytes) : rest_(bytes) {}

  std::string_view take(std::size_t size) {
    if (size > rest_.size()) throw LogCorrupt("a record of the journal ends early");
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }
  std::uint32_t number32() { return static_cast<std::uint32_t>(from_big_endian(take(kBigEndian32Bytes))); }
  Timestamp time() { return Timestamp(static_cast<std::int64_t>(from_big_endian(take(kBigEndianBytes)))); }
  Digest digest() { return digest_from_bytes(take(kDigestBytes)); }
  std::string bytes() { return std::string(take(number32())); }
  bool is_at_end() const { return rest_.empty(); }

 private:
  std::string_view rest_;
};

StreamName stream_of(const std::string& text) {
  auto name = StreamName::parse(text);
  if (!name) throw LogCorrupt("a record of the journal has an invalid stream");
  return *std::move(name);
}

}  // namespace

void seal_record(std::string& record, std::uint64_t number, const LogIdentity& ledger,
                 const JournalPlace& place) {
  const auto content_bytes = record.size() - kRecordHeadBytes;
  auto head = std::string(kRecordMagic) + big_endian32(static_cast<std::uint32_t>(content_bytes)) +
              big_endian(number) + ledger.ledger_id;
  head.resize(kRecordCrcAt - kBigEndian32Bytes);
  head += big_endian32(ledger.epoch);
  record.replace(0, kRecordCrcAt, head);
  record.replace(kRecordCrcAt, kBigEndian32Bytes, big_endian32(check_of(record, place)));
  record.resize(record_bytes(content_bytes));
}

std::optional<JournalRecord> read_record(std::string_view bytes, const JournalPlace& place) {
  if (bytes.size() < kRecordHeadBytes || !bytes.starts_with(kRecordMagic)) return std::nullopt;
  RecordReader head(bytes.substr(kRecordMagic.size()));
  const std::uint64_t content_bytes = head.number32();
  if (kRecordHeadBytes + content_bytes > bytes.size()) return std::nullopt;
  const auto number = from_big_endian(head.take(kBigEndianBytes));
  const auto ledger_id = head.take(kLedgerIdBytes);
  const auto epoch = head.number32();
  const auto record = bytes.substr(0, kRecordHeadBytes + content_bytes);
  if (head.number32() != check_of(record, place) && !is_planted(Planted::kCrcUnchecked)) return std::nullopt;
  return JournalRecord{
      number, {std::string(ledger_id), epoch}, record.substr(kRecordHeadBytes), record_bytes(content_bytes)};
}

void put_batch(std::string& record, const Batch& batch, const Digest& root) {
  put_time(record, batch.time);
  record += big_endian32(batch.id_counter);
  record += bytes_of(root);
  put_count(record, batch.records.size());
  for (const auto& event : batch.records) {
    put_bytes(record, {event.stream.text()});
    record += big_endian32(event.version);
    put_bytes(record, {event.bytes, bytes_of(sha256(event.personal))});
    put_bytes(record, {event.personal});
    put_count(record, event.claims.size());
    for (const auto& claim : event.claims) put_bytes(record, {claim.text()});
  }
  put_count(record, batch.idempotency.size());
  for (const auto& entry : batch.idempotency) {
    record += bytes_of(entry.key);
    put_bytes(record, {entry.bytes});
    record.push_back(entry.replaces ? '\1' : '\0');
    if (entry.replaces) put_time(record, *entry.replaces);
  }
}

DecidedBatch read_batch(std::string_view content) {
  RecordReader in(content);
  DecidedBatch batch;
  batch.time = in.time();
  batch.id_counter = in.number32();
  batch.root = in.digest();
  for (auto events = in.number32(); events > 0; --events) {
    auto stream = stream_of(in.bytes());
    const auto version = in.number32();
    auto leaf = in.bytes();
    auto personal = in.bytes();
    auto& event = batch.events.emplace_back(
        DecidedEvent{std::move(stream), version, std::move(leaf), std::move(personal), {}});
    for (auto claims = in.number32(); claims > 0; --claims) event.claims.emplace_back(in.bytes());
  }
  for (auto entries = in.number32(); entries > 0; --entries) {
    NewIdempotencyRecord entry{in.digest(), in.bytes(), {}};
    if (in.take(1) == std::string_view("\1", 1)) entry.replaces = in.time();
    batch.idempotency.push_back({batch.time, std::move(entry)});
  }
  if (!in.is_at_end()) throw LogCorrupt("a record of the journal is longer than its batch");
  return batch;
}

}  // namespace pixledger::eventstore
