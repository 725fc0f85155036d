#pragma once

#include <cstdint>
#include <flatbuffers/flatbuffers.h>
#include <optional>
#include <string>
#include <utility>

#include "domain/aggregates/event.h"
#include "eventstore/codec/flat_bytes.h"
#include "eventstore/log/log.h"

namespace pixledger::stored {
enum class EventType : std::uint16_t;
struct Personal;
}  // namespace pixledger::stored

// The second half of decode: stored facts as the domain's events. For the codec's sources only.
namespace pixledger::eventstore {

// Throws LogCorrupt, which names the position and never the value: it may be personal data.
[[noreturn]] void throw_damaged(Position position, const char* table, const char* field);

// Turns verified fields of one table into the domain's types, or throws LogCorrupt that names the field.
class FieldReader {
 public:
  FieldReader(Position position, const char* table) : position_(position), table_(table) {}

  template <class T>
  T known(std::optional<T>&& value, const char* field) const {
    if (!value) throw_damaged(position_, table_, field);
    return std::move(*value);
  }
  template <class T>
  T parse(const flatbuffers::String* text, const char* field) const {
    // What was recorded under an earlier, wider rule is read all the same.
    if constexpr (requires { T::parse_stored(view_of(text)); })
      return known(T::parse_stored(view_of(text)), field);
    else
      return known(T::parse(view_of(text)), field);
  }
  // Absent stays absent.
  template <class T>
  std::optional<T> parse_optional(const flatbuffers::String* text, const char* field) const {
    if (!text) return std::nullopt;
    return parse<T>(text, field);
  }
  // A moment of the years 1970 to 9999: others have no text.
  Timestamp time(std::int64_t millis, const char* field) const;
  std::optional<Timestamp> time(std::optional<std::int64_t> millis, const char* field) const;
  // Never negative.
  domain::Cents amount(std::int64_t cents, const char* field) const;
  std::optional<domain::Cents> amount(std::optional<std::int64_t> cents, const char* field) const;
  Digest digest(const flatbuffers::Vector<std::uint8_t>& bytes, const char* field) const;

 private:
  Position position_;
  const char* table_;
};

struct StoredFacts {
  Position position;
  stored::EventType type;
  const domain::ProjectId& project;  // of the envelope
  const AlignedBytes& bytes;
  const stored::Personal* personal;  // nullptr when there is none, or it has been erased
};

// The table's name in events.fbs.
const char* table_name(stored::EventType type);

// The facts as the table that their type names. Throws LogCorrupt.
template <class Table>
const Table& table_of(const StoredFacts& facts) {
  const auto* table = verified_root<Table>(facts.bytes);
  if (!table) throw_damaged(facts.position, table_name(facts.type), "facts");
  return *table;
}

inline FieldReader reader_of(const StoredFacts& facts) { return {facts.position, table_name(facts.type)}; }

// Throws LogCorrupt.
domain::Event decode_facts(const StoredFacts& facts);

}  // namespace pixledger::eventstore
