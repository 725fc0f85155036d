#include "eventstore/codec/idempotency_record.h"

#include "domain/decisions/rejection.h"
#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/flat_bytes.h"
#include "eventstore/codec/numbers.h"

namespace pixledger::eventstore {
namespace {

constexpr std::uint8_t kAbsent = 0;

template <class Enum>
std::uint8_t number_of(const std::optional<Enum>& value) {
  return value ? static_cast<std::uint8_t>(*value) : kAbsent;
}

[[noreturn]] void throw_damaged(const char* field) {
  throw LogCorrupt(std::string("an idempotency record is damaged: ") + field + " has no valid value");
}

template <class Enum>
std::optional<Enum> or_damaged(std::uint8_t number, std::optional<Enum> value, const char* field) {
  if (number != kAbsent && !value) throw_damaged(field);
  return value;
}

}  // namespace

Position IdempotencyRecord::as_of() const {
  if (first_position == Position()) return Position();
  return Position(first_position.value() - 1 + event_count);
}

std::string encode(const IdempotencyRecord& record) {
  thread_local flatbuffers::FlatBufferBuilder builder;
  builder.Clear();
  const auto fingerprint = builder.CreateVector(record.fingerprint.data(), record.fingerprint.size());
  flatbuffers::Offset<flatbuffers::String> request_id;
  if (!record.request_id.empty()) request_id = builder.CreateString(record.request_id);
  builder.Finish(stored::CreateIdempotencyRecord(
      builder, fingerprint, record.recorded_at.millis(), number_of(record.rejection), number_of(record.flag),
      record.first_position.value(), record.event_count, request_id));
  return finished_bytes(builder);
}

IdempotencyRecord decode_idempotency_record(std::string_view bytes) {
  const AlignedBytes aligned(bytes);
  const auto* stored = verified_root<stored::IdempotencyRecord>(aligned);
  if (!stored) throw_damaged("bytes");
  if (stored->fingerprint()->size() != Digest().size()) throw_damaged("fingerprint");
  IdempotencyRecord record;
  record.fingerprint = digest_from_bytes(view_of(*stored->fingerprint()));
  record.recorded_at = Timestamp(stored->recorded_at());
  if (record.recorded_at < Timestamp() || record.recorded_at > kLastTimestamp) throw_damaged("recorded_at");
  record.rejection = or_damaged(stored->rejection(), domain::rejection_of(stored->rejection()), "rejection");
  record.flag = or_damaged(stored->flag(), known<domain::PaymentFlag>(stored->flag()), "flag");
  record.first_position = Position(stored->first_position());
  record.event_count = stored->event_count();
  // A record without events may lack the position; one with events may not, nor end past the last position.
  if (record.first_position == Position() && record.event_count > 0) throw_damaged("first_position");
  if (record.first_position.value() > UINT64_MAX - record.event_count) throw_damaged("first_position");
  record.request_id = view_of(stored->request_id());
  return record;
}

}  // namespace pixledger::eventstore
