#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "projections/columns/copy_on_write.h"

namespace pixledger::projections {

// Texts and their codes 0, 1, 2… in the order in which they came. A hash table in copy-on-write buckets, so
// that a copy stays exact and a new text costs one bucket.
class ValueDictionary {
 public:
  std::optional<std::uint32_t> find(std::string_view text) const;
  // The code of `text`, a new one if it has none yet. Epochs as in CopyOnWrite.
  std::uint32_t code_of(std::string_view text, std::uint64_t epoch);

  std::uint32_t size() const { return size_; }
  // Every text at the place of its code.
  std::vector<std::string> texts() const;
  std::size_t memory_bytes() const;

 private:
  struct Entry {
    std::string text;
    std::uint32_t code;
  };
  using Bucket = std::vector<Entry>;

  std::size_t bucket_of(std::string_view text) const;
  void grow(std::uint64_t epoch);

  CopyOnWrite<Bucket> buckets_;
  std::uint32_t size_ = 0;
};

}  // namespace pixledger::projections
