#pragma once

#include <array>
#include <cstddef>
#include <flatbuffers/base.h>
#include <string>
#include <string_view>

#include "domain/aggregates/field.h"

// Where the fields of a described struct stand in its FlatBuffers table, and under which names. For the
// codec's sources only.
namespace pixledger::eventstore {

// Each field's place in the vtable: in their order, those alone that are stored with the facts. 0 for the
// others.
template <class... Fields>
constexpr auto places_of() {
  std::array<flatbuffers::voffset_t, sizeof...(Fields)> places{};
  [[maybe_unused]] std::size_t field = 0;
  // The vtable begins with its own size and the table's.
  [[maybe_unused]] std::size_t next = 2;
  [[maybe_unused]] const auto add = [&](domain::FieldKind kind) {
    if (domain::is_stored_with_facts(kind))
      places[field] = static_cast<flatbuffers::voffset_t>(next++ * sizeof(flatbuffers::voffset_t));
    ++field;
  };
  (add(Fields::kKind), ...);
  return places;
}

// A field's name in events.fbs, put together only when it is asked for.
class StoredName {
 public:
  // As events.fbs has it.
  constexpr StoredName(const char* stored) : stored_(stored) {}
  template <class Field>
  static constexpr StoredName of(const Field& field) {
    return field.stored_name ? StoredName(field.stored_name) : StoredName(nullptr, field.name);
  }

  std::string text() const {
    if (stored_) return stored_;
    std::string snake;
    for (const char c : std::string_view(camel_)) {
      const bool is_upper = c >= 'A' && c <= 'Z';
      if (is_upper) snake += '_';
      snake += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    }
    return snake;
  }

 private:
  constexpr StoredName(const char* stored, const char* camel) : stored_(stored), camel_(camel) {}

  const char* stored_;
  const char* camel_ = nullptr;
};

}  // namespace pixledger::eventstore
