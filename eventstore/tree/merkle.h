#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/platform/sha256.h"
#include "eventstore/log/log.h"

// The Merkle tree of the log (RFC 6962 section 2.1, the same tree as RFC 9162 section 2.1), as functions that
// do not depend on its storage.
//
// Leaf index i of the RFC is position i + 1 of the log. Each position has one record: the hash of its leaf,
// followed, bottom up, by the roots of the complete subtrees that this leaf completes. So the record of
// position p is 32 x (1 + trailing zero bits of p) bytes long, and never changes. The node of `level` and
// `index` is the root of the leaves index << level up to (index + 1) << level. It is at byte 32 x level of
// the record of position (index + 1) << level.

namespace pixledger::eventstore {

// Reads the records of a tree. No function here keeps a view for longer than until its next call.
class TreeRecords {
 public:
  virtual ~TreeRecords() = default;
  // Returns the record of `position` (1, 2, 3...), valid until the next call. Throws if it is missing.
  virtual std::string_view record(std::uint64_t position) const = 0;
};

// Section 2.1.1: the hash of a leaf is SHA-256(0x00 || leaf), of a node SHA-256(0x01 || left || right).
Digest leaf_hash(std::string_view leaf);
// The same for a leaf in two parts, joined.
Digest leaf_hash(std::string_view first_part, std::string_view second_part);
Digest node_hash(const Digest& left, const Digest& right);

// The root of the tree without leaves: SHA-256 of nothing.
Digest empty_root();

// The length in bytes of the record of `position`, which is at least 1.
std::uint64_t tree_record_length(std::uint64_t position);

// The state for appending to a tree: the roots of its largest complete subtrees, one for each one bit of its
// size. A plain value; not thread-safe.
class Frontier {
 public:
  // The empty tree.
  Frontier() = default;
  // The tree of `size` leaves; reads at most 64 records. Throws std::runtime_error if one has the wrong
  // length.
  Frontier(std::uint64_t size, const TreeRecords& records);

  std::uint64_t size() const { return size_; }

  // Appends a leaf. Returns the record to store for its position, which is the new size().
  std::string append(const Digest& leaf);

  Digest root() const;

 private:
  std::uint64_t size_ = 0;
  // roots_[level] is valid if size_ has that bit.
  std::array<Digest, 64> roots_{};
};

// Each of these reads a number of records that grows with the logarithm of the size. Throws
// std::runtime_error if a record has the wrong length, or for invalid arguments: a position of 0 or beyond
// the size, an older size above the newer one.
Digest tree_root(std::uint64_t size, const TreeRecords& records);
// PATH(position - 1, D[tree_size]) of RFC 6962 section 2.1.1, from the leaf up.
std::vector<Digest> inclusion_proof(std::uint64_t position, std::uint64_t tree_size,
                                    const TreeRecords& records);
// PROOF(old_size, D[new_size]) of RFC 6962 section 2.1.2; empty for equal sizes and for an old size of 0.
std::vector<Digest> consistency_proof(std::uint64_t old_size, std::uint64_t new_size,
                                      const TreeRecords& records);

// Whether the leaf is at `position` in the tree of that size and root (RFC 9162 section 2.1.3.2). Any input
// is safe.
bool verify_inclusion(const Digest& leaf, std::uint64_t position, std::uint64_t tree_size,
                      std::span<const Digest> proof, const Digest& root);

// Whether the older tree is a prefix of the newer one (RFC 9162 section 2.1.4.2). Every tree continues the
// empty one, and a tree continues itself; both need an empty proof. Any input is safe.
bool verify_consistency(std::uint64_t old_size, const Digest& old_root, std::uint64_t new_size,
                        const Digest& new_root, std::span<const Digest> proof);

// Returns the root of the first `old_size` leaves of the newer tree, as far as a consistency proof contains
// it. Returns nullopt if the proof does not fit the newer tree, or if it does not contain that root, which is
// so for 0 leaves and for powers of two. Any input is safe.
std::optional<Digest> shown_older_root(std::uint64_t old_size, std::uint64_t new_size, const Digest& new_root,
                                       std::span<const Digest> proof);

// The Merkle tree's records in a log. Not thread-safe. The log must outlive it.
class TreeOfLog final : public TreeRecords {
 public:
  explicit TreeOfLog(const Log& log) : log_(log) {}

  std::string_view record(std::uint64_t position) const override {
    auto found = log_.tree_record(Position(position));
    if (!found) throw LogCorrupt("the Merkle tree has no record of position " + std::to_string(position));
    last_ = *std::move(found);
    return last_;
  }

 private:
  const Log& log_;
  mutable std::string last_;
};

}  // namespace pixledger::eventstore
