#pragma once

#include <cstdint>
#include <cstring>
#include <flatbuffers/flatbuffers.h>
#include <memory>
#include <string>
#include <string_view>

// FlatBuffers that come from outside: aligned and verified before anything reads them. For the codec's
// sources only.
namespace pixledger::eventstore {

// Bytes at an address divisible by 8, as FlatBuffers want them: the given ones, which must outlive this, or
// a copy when they lie elsewhere.
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

// The root table when every offset in it stays inside the bytes, nullptr otherwise. Lives as long as
// `bytes`.
template <class Table>
const Table* verified_root(const AlignedBytes& bytes) {
  // Far above any event; keeps hostile bytes from costing time.
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

// Of a vector that is required, hence there.
inline std::string_view view_of(const flatbuffers::Vector<std::uint8_t>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// What the builder has finished.
inline std::string finished_bytes(const flatbuffers::FlatBufferBuilder& builder) {
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace pixledger::eventstore
