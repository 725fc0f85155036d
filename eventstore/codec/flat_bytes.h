#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <flatbuffers/base.h>
#include <flatbuffers/flatbuffers.h>
#include <memory>
#include <string>
#include <string_view>

#include "domain/aggregates/field.h"

// FlatBuffers from outside: aligned and verified before they are read. For the codec's sources only.
namespace pixledger::eventstore {

// Bytes at an address divisible by 8, as FlatBuffers require: the given ones, which must outlive this, or a
// copy if they are not aligned.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::string_view bytes)
      : data_(reinterpret_cast<const std::uint8_t*>(bytes.data())), size_(bytes.size()) {
    if (reinterpret_cast<std::uintptr_t>(data_) % 8 == 0 || size_ == 0) return;
    copy_ = std::make_unique<std::uint64_t[]>((size_ + 7) / 8);
    std::memcpy(copy_.get(), data_, size_);
    data_ = reinterpret_cast<const std::uint8_t*>(copy_.get());
  }
  AlignedBytes(const AlignedBytes&) = delete;
  AlignedBytes& operator=(const AlignedBytes&) = delete;

  const std::uint8_t* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::unique_ptr<std::uint64_t[]> copy_;
};

// Returns the root table if every offset in it stays inside the bytes, else nullptr. Valid while `bytes`
// lives.
template <class Table>
const Table* verified_root(const AlignedBytes& bytes) {
  // Far above any event; limits the time for hostile bytes.
  constexpr flatbuffers::uoffset_t kDepthMax = 16;
  constexpr flatbuffers::uoffset_t kTablesMax = 256;
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return nullptr;
  flatbuffers::Verifier verifier(bytes.data(), bytes.size(), kDepthMax, kTablesMax);
  if (!verifier.VerifyBuffer<Table>(nullptr)) return nullptr;
  return flatbuffers::GetRoot<Table>(bytes.data());
}

// "" for nullptr.
inline std::string_view view_of(const flatbuffers::String* text) {
  return text ? std::string_view(text->c_str(), text->size()) : std::string_view();
}

// The vector is required, so it is present.
inline std::string_view view_of(const flatbuffers::Vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The bytes of a finished builder.
inline std::string finished_bytes(const flatbuffers::FlatBufferBuilder& builder) {
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

// The places and names of a described struct's fields in its FlatBuffers table. For the codec's sources only.

// Returns each field's place in the vtable: in order, counting only fields that are stored with the facts; 0
// for the others.
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

// A field's name in events.fbs, composed only on request.
class StoredName {
 public:
  // `stored`: the name as in events.fbs.
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
