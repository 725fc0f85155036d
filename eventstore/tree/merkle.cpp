#include "eventstore/tree/merkle.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <stdexcept>

#include "base/platform/sha256.h"

namespace pixledger::eventstore {
namespace {

// A run of leaves [begin, end), by index. Its begin is a multiple of the smallest power of two that is at
// least its length. All subtrees of RFC 6962 are such runs.
struct Run {
  std::uint64_t begin;
  std::uint64_t end;

  std::uint64_t length() const { return end - begin; }
  // Where the RFC divides it: after the largest power of two below its length. Requires a length above 1.
  std::uint64_t middle() const { return begin + std::bit_floor(length() - 1); }
};

Digest node(std::uint64_t level, std::uint64_t index, const TreeRecords& records) {
  const std::uint64_t position = (index + 1) << level;
  const std::string_view record = records.record(position);
  if (record.size() != tree_record_length(position)) {
    throw std::runtime_error("the tree record of position " + std::to_string(position) + " is " +
                             std::to_string(record.size()) + " bytes long, not " +
                             std::to_string(tree_record_length(position)));
  }
  return digest_from_bytes(record.substr(kDigestBytes * level, kDigestBytes));
}

Digest root_of_run(Run run, const TreeRecords& records) {
  if (std::has_single_bit(run.length())) {
    const auto level = static_cast<std::uint64_t>(std::countr_zero(run.length()));
    return node(level, run.begin >> level, records);
  }
  const std::uint64_t middle = run.middle();
  const Digest left = root_of_run({run.begin, middle}, records);
  return node_hash(left, root_of_run({middle, run.end}, records));
}

// The two roots that a consistency proof computes.
struct RootsOfProof {
  Digest older;
  Digest newer;
};

// fn, sn, fr and sr of RFC 9162, section 2.1.4.2.
std::optional<RootsOfProof> roots_of_proof(std::uint64_t old_size, std::uint64_t new_size,
                                           const Digest& first, std::span<const Digest> siblings) {
  std::uint64_t index = old_size - 1;
  std::uint64_t last = new_size - 1;
  while ((index & 1) != 0) {
    index >>= 1;
    last >>= 1;
  }
  RootsOfProof roots{.older = first, .newer = first};
  for (const Digest& sibling : siblings) {
    if (last == 0) return std::nullopt;
    if ((index & 1) != 0 || index == last) {
      roots.older = node_hash(sibling, roots.older);
      roots.newer = node_hash(sibling, roots.newer);
      while ((index & 1) == 0 && index != 0) {
        index >>= 1;
        last >>= 1;
      }
    } else {
      roots.newer = node_hash(roots.newer, sibling);
    }
    index >>= 1;
    last >>= 1;
  }
  return last == 0 ? std::optional(roots) : std::nullopt;
}

}  // namespace

Digest leaf_hash(std::string_view leaf) { return leaf_hash(leaf, {}); }

Digest leaf_hash(std::string_view first_part, std::string_view second_part) {
  return sha256({std::string_view("\x00", 1), first_part, second_part});
}

Digest node_hash(const Digest& left, const Digest& right) {
  return sha256({std::string_view("\x01", 1), bytes_of(left), bytes_of(right)});
}

Digest empty_root() { return sha256(std::string_view()); }

std::uint64_t tree_record_length(std::uint64_t position) {
  assert(position != 0);
  return kDigestBytes * (1 + static_cast<std::uint64_t>(std::countr_zero(position)));
}

Frontier::Frontier(std::uint64_t size, const TreeRecords& records) : size_(size) {
  for (std::uint64_t rest = size; rest != 0; rest &= rest - 1) {
    const auto level = static_cast<std::uint64_t>(std::countr_zero(rest));
    roots_[level] = node(level, (rest >> level) - 1, records);
  }
}

std::string Frontier::append(const Digest& leaf) {
  std::string record(bytes_of(leaf));
  Digest root = leaf;
  std::size_t level = 0;
  for (; (size_ >> level & 1) != 0; ++level) {
    root = node_hash(roots_[level], root);
    record += bytes_of(root);
  }
  roots_[level] = root;
  ++size_;
  return record;
}

Digest Frontier::root() const {
  if (size_ == 0) return empty_root();
  auto level = static_cast<std::size_t>(std::countr_zero(size_));
  Digest root = roots_[level];
  for (std::uint64_t rest = size_ & (size_ - 1); rest != 0; rest &= rest - 1) {
    level = static_cast<std::size_t>(std::countr_zero(rest));
    root = node_hash(roots_[level], root);
  }
  return root;
}

Digest tree_root(std::uint64_t size, const TreeRecords& records) { return Frontier(size, records).root(); }

std::vector<Digest> inclusion_proof(std::uint64_t position, std::uint64_t tree_size,
                                    const TreeRecords& records) {
  if (position == 0 || position > tree_size) {
    throw std::runtime_error("position " + std::to_string(position) + " is not in a tree of " +
                             std::to_string(tree_size) + " leaves");
  }
  std::vector<Digest> proof;
  Run run{0, tree_size};
  while (run.length() > 1) {
    const std::uint64_t middle = run.middle();
    const Run left{run.begin, middle};
    const Run right{middle, run.end};
    const bool in_left = position <= middle;
    proof.push_back(root_of_run(in_left ? right : left, records));
    run = in_left ? left : right;
  }
  std::reverse(proof.begin(), proof.end());
  return proof;
}

std::vector<Digest> consistency_proof(std::uint64_t old_size, std::uint64_t new_size,
                                      const TreeRecords& records) {
  if (old_size > new_size) {
    throw std::runtime_error("a tree of " + std::to_string(new_size) + " leaves continues none of " +
                             std::to_string(old_size));
  }
  if (old_size == 0) return {};
  std::vector<Digest> proof;
  Run run{0, new_size};
  while (run.end != old_size) {
    const std::uint64_t middle = run.middle();
    const Run left{run.begin, middle};
    const Run right{middle, run.end};
    const bool ends_in_left = old_size <= middle;
    proof.push_back(root_of_run(ends_in_left ? right : left, records));
    run = ends_in_left ? left : right;
  }
  // The verifier knows the root of the older tree; the root of any other run is part of the proof.
  if (run.begin != 0) proof.push_back(root_of_run(run, records));
  std::reverse(proof.begin(), proof.end());
  return proof;
}

bool verify_inclusion(const Digest& leaf, std::uint64_t position, std::uint64_t tree_size,
                      std::span<const Digest> proof, const Digest& root) {
  if (position == 0 || position > tree_size) return false;
  // fn, sn and r of the RFC.
  std::uint64_t index = position - 1;
  std::uint64_t last = tree_size - 1;
  Digest hash = leaf;
  for (const Digest& sibling : proof) {
    if (last == 0) return false;
    if ((index & 1) != 0 || index == last) {
      hash = node_hash(sibling, hash);
      while ((index & 1) == 0 && index != 0) {
        index >>= 1;
        last >>= 1;
      }
    } else {
      hash = node_hash(hash, sibling);
    }
    index >>= 1;
    last >>= 1;
  }
  return last == 0 && hash == root;
}

bool verify_consistency(std::uint64_t old_size, const Digest& old_root, std::uint64_t new_size,
                        const Digest& new_root, std::span<const Digest> proof) {
  if (old_size > new_size) return false;
  if (old_size == new_size)
    return proof.empty() && old_root == new_root && (old_size != 0 || old_root == empty_root());
  if (old_size == 0) return proof.empty() && old_root == empty_root();
  if (proof.empty()) return false;
  // If the older tree is complete, the proof starts with its root, which is omitted from the list.
  const bool old_is_complete = std::has_single_bit(old_size);
  const auto roots = roots_of_proof(old_size, new_size, old_is_complete ? old_root : proof.front(),
                                    old_is_complete ? proof : proof.subspan(1));
  return roots && roots->older == old_root && roots->newer == new_root;
}

std::optional<Digest> shown_older_root(std::uint64_t old_size, std::uint64_t new_size, const Digest& new_root,
                                       std::span<const Digest> proof) {
  if (old_size == 0 || old_size >= new_size || proof.empty() || std::has_single_bit(old_size))
    return std::nullopt;
  const auto roots = roots_of_proof(old_size, new_size, proof.front(), proof.subspan(1));
  return roots && roots->newer == new_root ? std::optional(roots->older) : std::nullopt;
}

}  // namespace pixledger::eventstore
