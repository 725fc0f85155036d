#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

// Numbers and texts in sequence, in the machine's byte order: rows never leave the machine that wrote them.
#include "base/platform/faults.h"

namespace pixledger::projections {

class ByteWriter {
 public:
  // Reserves this many bytes.
  explicit ByteWriter(std::size_t room) { bytes_.reserve(room); }

  template <class T>
  void number(T value) {
    static_assert(std::is_trivially_copyable_v<T>);
    bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  void text(std::string_view value) {
    number(static_cast<std::uint32_t>(value.size()));
    bytes_.append(value);
  }
  // Writes one byte for presence, then the value by `write`.
  template <class T, class Write>
  void optional(const std::optional<T>& value, Write write) {
    number(static_cast<std::uint8_t>(value.has_value()));
    if (value) write(*value);
  }
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <class T>
  T number() {
    T value;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }
  std::string_view text() { return take(number<std::uint32_t>()); }
  template <class Read>
  auto optional(Read read) -> std::optional<decltype(read())> {
    if (number<std::uint8_t>() == 0) return std::nullopt;
    return read();
  }
  bool at_end() const { return bytes_.empty(); }

 private:
  std::string_view take(std::size_t count) {
    if (count > bytes_.size()) throw DataDamaged("a row of the read models ends too early");
    const auto taken = bytes_.substr(0, count);
    bytes_.remove_prefix(count);
    return taken;
  }

  std::string_view bytes_;
};

}  // namespace pixledger::projections
