#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pixledger::projections {

// A copy-on-write vector of chunks. A copy costs one pointer per 64 chunks and stays exact: the original
// replaces shared chunks instead of changing them.
//
// The owner increments its epoch after handing out a copy. A chunk made in the current epoch is not shared
// and is changed in place. So it does not matter whether readers still hold copies.
template <class Chunk>
class CopyOnWrite {
 public:
  std::size_t size() const { return size_; }

  const Chunk& operator[](std::size_t index) const {
    return branches_[index / kFanOut]->leaves[index % kFanOut]->chunk;
  }

  void push_back(Chunk chunk, std::uint64_t epoch) {
    if (size_ % kFanOut == 0) {
      branches_.push_back(std::make_shared<Branch>());
      branches_.back()->epoch = epoch;
    }
    editable_branch(size_ / kFanOut, epoch).leaves.push_back(std::make_shared<Leaf>(epoch, std::move(chunk)));
    ++size_;
  }

  // The chunk to change, valid until the next call of any member.
  Chunk& edit(std::size_t index, std::uint64_t epoch) {
    auto& leaf = editable_branch(index / kFanOut, epoch).leaves[index % kFanOut];
    if (leaf->epoch != epoch) leaf = std::make_shared<Leaf>(epoch, leaf->chunk);
    return leaf->chunk;
  }

  // Excludes what the chunks allocate.
  std::size_t memory_bytes() const {
    return branches_.capacity() * sizeof(branches_[0]) + branches_.size() * sizeof(Branch) +
           size_ * (sizeof(std::shared_ptr<Leaf>) + sizeof(Leaf));
  }

 private:
  static constexpr std::size_t kFanOut = 64;

  struct Leaf {
    Leaf(std::uint64_t made_in, Chunk content) : epoch(made_in), chunk(std::move(content)) {}
    std::uint64_t epoch;
    Chunk chunk;
  };

  struct Branch {
    std::uint64_t epoch = 0;
    std::vector<std::shared_ptr<Leaf>> leaves;
  };

  Branch& editable_branch(std::size_t index, std::uint64_t epoch) {
    auto& branch = branches_[index];
    if (branch->epoch != epoch) {
      branch = std::make_shared<Branch>(*branch);
      branch->epoch = epoch;
    }
    return *branch;
  }

  std::vector<std::shared_ptr<Branch>> branches_;
  std::size_t size_ = 0;
};

// Texts and their codes 0, 1, 2… in order of insertion. A hash table with copy-on-write buckets: a copy stays
// exact, and a new text costs one bucket.
class ValueDictionary {
 public:
  std::optional<std::uint32_t> find(std::string_view text) const;
  // Returns the code of `text`, a new one for a new text. Epochs as in CopyOnWrite.
  std::uint32_t code_of(std::string_view text, std::uint64_t epoch);

  std::uint32_t size() const { return size_; }
  // Every text at its code's index.
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
