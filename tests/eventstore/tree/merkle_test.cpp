#include "eventstore/tree/merkle.h"

#include <catch2/catch.hpp>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

constexpr std::uint64_t kSizeMax = 70;

class RecordsInMemory final : public TreeRecords {
 public:
  std::string_view record(std::uint64_t position) const override {
    if (position == 0 || position > records.size()) throw std::runtime_error("no such record");
    return records[position - 1];
  }

  std::vector<std::string> records;
};

RecordsInMemory tree_of(const std::vector<std::string>& leaves) {
  RecordsInMemory tree;
  Frontier frontier;
  for (const std::string& leaf : leaves) tree.records.push_back(frontier.append(leaf_hash(leaf)));
  return tree;
}

std::vector<std::string> numbered_leaves(std::uint64_t count) {
  std::vector<std::string> leaves;
  for (std::uint64_t i = 0; i < count; ++i) leaves.push_back("leaf " + std::to_string(i));
  return leaves;
}

// The literal definitions of RFC 6962 section 2.1, over the leaves [begin, end).
struct Definition {
  std::vector<std::string> leaves;

  static std::uint64_t largest_power_of_two_below(std::uint64_t n) {
    std::uint64_t k = 1;
    while (2 * k < n) k *= 2;
    return k;
  }

  Digest mth(std::uint64_t begin, std::uint64_t end) const {
    if (begin == end) return sha256("");
    if (end - begin == 1) return sha256({std::string_view("\x00", 1), leaves[begin]});
    const std::uint64_t k = largest_power_of_two_below(end - begin);
    const Digest left = mth(begin, begin + k);
    const Digest right = mth(begin + k, end);
    return sha256({"\x01", bytes_of(left), bytes_of(right)});
  }

  std::vector<Digest> path(std::uint64_t m, std::uint64_t begin, std::uint64_t end) const {
    if (end - begin == 1) return {};
    const std::uint64_t k = largest_power_of_two_below(end - begin);
    const bool left = m < k;
    std::vector<Digest> proof = left ? path(m, begin, begin + k) : path(m - k, begin + k, end);
    proof.push_back(left ? mth(begin + k, end) : mth(begin, begin + k));
    return proof;
  }

  std::vector<Digest> subproof(std::uint64_t m, std::uint64_t begin, std::uint64_t end, bool b) const {
    const std::uint64_t n = end - begin;
    if (m == n) return b ? std::vector<Digest>{} : std::vector<Digest>{mth(begin, end)};
    const std::uint64_t k = largest_power_of_two_below(n);
    const bool left = m <= k;
    std::vector<Digest> proof =
        left ? subproof(m, begin, begin + k, b) : subproof(m - k, begin + k, end, false);
    proof.push_back(left ? mth(begin + k, end) : mth(begin, begin + k));
    return proof;
  }
};

std::vector<std::string> hex_of(const std::vector<Digest>& digests) {
  std::vector<std::string> hex;
  for (const Digest& digest : digests) hex.push_back(to_hex(digest));
  return hex;
}

// Calls `check` with each copy of the proof that differs in one byte, lacks a hash, or has one more.
template <typename Check>
void for_each_forgery(const std::vector<Digest>& proof, const Check& check) {
  for (std::size_t i = 0; i < proof.size(); ++i) {
    for (std::size_t byte = 0; byte < Digest().size(); ++byte) {
      std::vector<Digest> forged = proof;
      forged[i][byte] ^= 1;
      check(forged);
    }
    std::vector<Digest> shorter = proof;
    shorter.erase(shorter.begin() + static_cast<std::ptrdiff_t>(i));
    check(shorter);
  }
  std::vector<Digest> longer = proof;
  longer.push_back(sha256("one more"));
  check(longer);
  longer = proof;
  longer.insert(longer.begin(), sha256("one more"));
  check(longer);
}

// The leaves and results of the reference implementation of Certificate Transparency (merkle_tree_test.cc).
const std::vector<std::string> kReferenceLeaves = {
    "",
    std::string("\x00", 1),
    "\x10",
    "\x20\x21",
    "\x30\x31",
    "\x40\x41\x42\x43",
    "\x50\x51\x52\x53\x54\x55\x56\x57",
    "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
};
const std::vector<std::string> kReferenceRoots = {
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
};

}  // namespace

TEST_CASE("the tree has the roots of the reference implementation of RFC 6962") {
  const RecordsInMemory tree = tree_of(kReferenceLeaves);
  for (std::size_t size = 0; size < kReferenceRoots.size(); ++size) {
    CHECK(to_hex(tree_root(size, tree)) == kReferenceRoots[size]);
  }
}

TEST_CASE("inclusion proofs are those of the reference implementation of RFC 6962") {
  const RecordsInMemory tree = tree_of(kReferenceLeaves);
  CHECK(inclusion_proof(1, 1, tree).empty());
  CHECK(hex_of(inclusion_proof(1, 8, tree)) ==
        std::vector<std::string>{"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                                 "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                                 "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"});
  CHECK(hex_of(inclusion_proof(6, 8, tree)) ==
        std::vector<std::string>{"bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b",
                                 "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                                 "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"});
  CHECK(hex_of(inclusion_proof(3, 3, tree)) ==
        std::vector<std::string>{"fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125"});
  CHECK(hex_of(inclusion_proof(2, 5, tree)) ==
        std::vector<std::string>{"6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
                                 "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                                 "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"});
}

TEST_CASE("consistency proofs are those of the reference implementation of RFC 6962") {
  const RecordsInMemory tree = tree_of(kReferenceLeaves);
  CHECK(consistency_proof(1, 1, tree).empty());
  CHECK(hex_of(consistency_proof(1, 8, tree)) ==
        std::vector<std::string>{"96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
                                 "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                                 "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"});
  CHECK(hex_of(consistency_proof(6, 8, tree)) ==
        std::vector<std::string>{"0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
                                 "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
                                 "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7"});
  CHECK(hex_of(consistency_proof(2, 5, tree)) ==
        std::vector<std::string>{"5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
                                 "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"});
}

TEST_CASE("roots and proofs of every size are as RFC 6962 defines them, and verify") {
  const Definition definition{numbered_leaves(kSizeMax)};
  const RecordsInMemory tree = tree_of(definition.leaves);
  for (std::uint64_t size = 0; size <= kSizeMax; ++size) {
    const Digest root = definition.mth(0, size);
    REQUIRE(tree_root(size, tree) == root);
    for (std::uint64_t position = 1; position <= size; ++position) {
      const std::vector<Digest> proof = inclusion_proof(position, size, tree);
      REQUIRE(proof == definition.path(position - 1, 0, size));
      REQUIRE(verify_inclusion(leaf_hash(definition.leaves[position - 1]), position, size, proof, root));
    }
    for (std::uint64_t old_size = 0; old_size <= size; ++old_size) {
      const std::vector<Digest> proof = consistency_proof(old_size, size, tree);
      if (old_size != 0) REQUIRE(proof == definition.subproof(old_size, 0, size, true));
      REQUIRE(verify_consistency(old_size, definition.mth(0, old_size), size, root, proof));
    }
  }
}

TEST_CASE("the record of a position is the hash of its leaf and the roots that the leaf completes") {
  const Definition definition{numbered_leaves(kSizeMax)};
  const RecordsInMemory tree = tree_of(definition.leaves);
  for (std::uint64_t position = 1; position <= kSizeMax; ++position) {
    std::string expected;
    for (std::uint64_t length = 1; position % length == 0; length *= 2) {
      expected += bytes_of(definition.mth(position - length, position));
    }
    REQUIRE(tree.records[position - 1] == expected);
    REQUIRE(tree_record_length(position) == expected.size());
  }
}

TEST_CASE("a frontier that is stored and read back continues correctly") {
  const std::vector<std::string> leaves = numbered_leaves(kSizeMax);
  const RecordsInMemory tree = tree_of(leaves);
  for (std::uint64_t size = 0; size < kSizeMax; ++size) {
    Frontier frontier(size, tree);
    REQUIRE(frontier.append(leaf_hash(leaves[size])) == tree.records[size]);
    REQUIRE(frontier.size() == size + 1);
    REQUIRE(frontier.root() == tree_root(size + 1, tree));
  }
}

TEST_CASE("a leaf in two parts hashes as the parts joined") {
  CHECK(leaf_hash("event", "personal") == leaf_hash("eventpersonal"));
  CHECK(leaf_hash("event", "") == leaf_hash("event"));
}

TEST_CASE("an inclusion proof is refused when a byte of it, its leaf, its root or its numbers is changed") {
  const std::vector<std::string> leaves = numbered_leaves(kSizeMax);
  const RecordsInMemory tree = tree_of(leaves);
  for (const std::uint64_t size : {1U, 2U, 3U, 7U, 8U, 13U}) {
    const Digest root = tree_root(size, tree);
    for (std::uint64_t position = 1; position <= size; ++position) {
      const Digest leaf = leaf_hash(leaves[position - 1]);
      const std::vector<Digest> proof = inclusion_proof(position, size, tree);
      for_each_forgery(proof, [&](const std::vector<Digest>& forged) {
        REQUIRE_FALSE(verify_inclusion(leaf, position, size, forged, root));
      });
      for (std::size_t byte = 0; byte < leaf.size(); ++byte) {
        Digest other = leaf;
        other[byte] ^= 1;
        REQUIRE_FALSE(verify_inclusion(other, position, size, proof, root));
        other = root;
        other[byte] ^= 1;
        REQUIRE_FALSE(verify_inclusion(leaf, position, size, proof, other));
      }
      for (std::uint64_t elsewhere = 0; elsewhere <= size + 1; ++elsewhere) {
        if (elsewhere != position) REQUIRE_FALSE(verify_inclusion(leaf, elsewhere, size, proof, root));
      }
    }
  }
}

TEST_CASE("a consistency proof is refused when a byte of it or of a root is changed") {
  const RecordsInMemory tree = tree_of(numbered_leaves(kSizeMax));
  for (const std::uint64_t new_size : {1U, 2U, 3U, 7U, 8U, 13U}) {
    const Digest new_root = tree_root(new_size, tree);
    for (std::uint64_t old_size = 0; old_size <= new_size; ++old_size) {
      const Digest old_root = tree_root(old_size, tree);
      const std::vector<Digest> proof = consistency_proof(old_size, new_size, tree);
      for_each_forgery(proof, [&](const std::vector<Digest>& forged) {
        REQUIRE_FALSE(verify_consistency(old_size, old_root, new_size, new_root, forged));
      });
      for (std::size_t byte = 0; byte < old_root.size(); ++byte) {
        Digest other = old_root;
        other[byte] ^= 1;
        REQUIRE_FALSE(verify_consistency(old_size, other, new_size, new_root, proof));
        // An empty tree proves nothing, so any newer root continues it.
        if (old_size == 0 && new_size != 0) continue;
        other = new_root;
        other[byte] ^= 1;
        REQUIRE_FALSE(verify_consistency(old_size, old_root, new_size, other, proof));
      }
    }
  }
}

TEST_CASE("a proof between trees that differ in the past is refused") {
  std::vector<std::string> leaves = numbered_leaves(kSizeMax);
  const RecordsInMemory tree = tree_of(leaves);
  leaves[2] = "rewritten";
  const RecordsInMemory rewritten = tree_of(leaves);
  for (std::uint64_t old_size = 3; old_size <= 20; ++old_size) {
    for (std::uint64_t new_size = old_size; new_size <= 20; ++new_size) {
      REQUIRE_FALSE(verify_consistency(old_size, tree_root(old_size, tree), new_size,
                                       tree_root(new_size, rewritten),
                                       consistency_proof(old_size, new_size, rewritten)));
    }
  }
}

TEST_CASE("verifiers survive any numbers and any proof") {
  const std::uint64_t seed = 20260131;
  CAPTURE(seed);
  std::mt19937_64 random(seed);
  const std::vector<Digest> proof(80, sha256("x"));
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t small = random() >> (random() % 64);
    const std::uint64_t large = random() >> (random() % 64);
    const std::span<const Digest> some = std::span(proof).first(random() % proof.size());
    REQUIRE_FALSE(verify_inclusion(sha256("x"), small, large, some, sha256("y")));
    REQUIRE_FALSE(verify_consistency(small, sha256("x"), large, sha256("y"), some));
  }
}

TEST_CASE("positions and sizes beyond the tree are refused") {
  const RecordsInMemory tree = tree_of(numbered_leaves(5));
  CHECK_THROWS_AS(inclusion_proof(0, 5, tree), std::runtime_error);
  CHECK_THROWS_AS(inclusion_proof(6, 5, tree), std::runtime_error);
  CHECK_THROWS_AS(inclusion_proof(1, 0, tree), std::runtime_error);
  CHECK_THROWS_AS(consistency_proof(5, 4, tree), std::runtime_error);
}

TEST_CASE("a record of the wrong length is refused with its position") {
  RecordsInMemory tree = tree_of(numbered_leaves(5));
  tree.records[3].pop_back();
  CHECK_THROWS_WITH(Frontier(5, tree), "the tree record of position 4 is 95 bytes long, not 96");
}
