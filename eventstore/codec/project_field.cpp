#include "eventstore/codec/events_generated.h"
#include "eventstore/codec/facts.h"

namespace pixledger::eventstore {

void throw_damaged(Position position, const char* table, const char* field) {
  throw LogCorrupt("the event at position " + std::to_string(position.value()) + " is damaged: " + table +
                   "." + field + " has no valid value");
}

const char* table_name(stored::EventType type) { return stored::EnumNameEventType(type); }

Timestamp FieldReader::time(std::int64_t millis, const char* field) const {
  const Timestamp moment(millis);
  if (moment < Timestamp() || moment > domain::kLastTimestamp) throw_damaged(position_, table_, field);
  return moment;
}

std::optional<Timestamp> FieldReader::time(std::optional<std::int64_t> millis, const char* field) const {
  if (!millis) return std::nullopt;
  return time(*millis, field);
}

domain::Cents FieldReader::amount(std::int64_t cents, const char* field) const {
  if (cents < 0) throw_damaged(position_, table_, field);
  return domain::Cents(cents);
}

std::optional<domain::Cents> FieldReader::amount(std::optional<std::int64_t> cents, const char* field) const {
  if (!cents) return std::nullopt;
  return amount(*cents, field);
}

Digest FieldReader::digest(const flatbuffers::Vector<std::uint8_t>& bytes, const char* field) const {
  if (bytes.size() != Digest().size()) throw_damaged(position_, table_, field);
  return digest_from_bytes(view_of(bytes));
}

}  // namespace pixledger::eventstore
