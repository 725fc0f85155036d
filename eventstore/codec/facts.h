#pragma once

#include <cstdint>
#include <flatbuffers/flatbuffers.h>
#include <optional>
#include <string_view>
#include <utility>

#include "domain/aggregates/event.h"
#include "eventstore/codec/flat_bytes.h"
#include "eventstore/log/log.h"

namespace pixledger::stored {
struct Personal;
}  // namespace pixledger::stored

// The second half of decode: converts stored facts to the domain's events. For the codec's sources only.
namespace pixledger::eventstore {

// Converts verified values of one table to the domain's types. Throws LogCorrupt with the position and the
// field, but never the value: it may be personal data.
class FieldReader {
 public:
  FieldReader(Position position, std::string_view table) : position_(position), table_(table) {}

  // Returns a reader for the table in that field. The name must outlive it.
  FieldReader within(const StoredName& field) const {
    auto inner = *this;
    inner.outer_ = &field;
    return inner;
  }

  [[noreturn]] void refuse(const StoredName& field) const;

  template <class T>
  T known(std::optional<T>&& value, const StoredName& field) const {
    if (!value) refuse(field);
    return std::move(*value);
  }
  template <class T>
  T parse(const flatbuffers::String* text, const StoredName& field) const {
    // Values recorded under an earlier, wider rule are still read.
    if constexpr (requires { T::parse_stored(view_of(text)); })
      return known(T::parse_stored(view_of(text)), field);
    else
      return known(T::parse(view_of(text)), field);
  }
  // Absent stays absent.
  template <class T>
  std::optional<T> parse_optional(const flatbuffers::String* text, const StoredName& field) const {
    if (!text) return std::nullopt;
    return parse<T>(text, field);
  }
  // Accepts the years 1970 to 9999: other times have no text.
  Timestamp time(std::int64_t millis, const StoredName& field) const;
  // Rejects negative amounts.
  domain::Cents amount(std::int64_t cents, const StoredName& field) const;

 private:
  Position position_;
  std::string_view table_;
  const StoredName* outer_ = nullptr;
};

struct StoredFacts {
  Position position;
  std::uint16_t type;
  const domain::ProjectId& project;  // of the envelope
  const AlignedBytes& bytes;
  const stored::Personal* personal;  // nullptr if the event has none, or it was erased
};

// Throws LogCorrupt and WrittenByNewerRelease.
domain::Event decode_facts(const StoredFacts& facts);

}  // namespace pixledger::eventstore
