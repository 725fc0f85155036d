#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <random>
#include <utility>
#include <vector>

#include "projections/list/block_mask.h"

namespace {

using namespace pixledger;
using namespace pixledger::projections;

template <class T>
std::vector<T> random_values(std::mt19937_64& random, std::size_t rows, std::uint64_t below) {
  std::vector<T> values(rows);
  for (T& value : values) value = static_cast<T>(random() % below);
  return values;
}

// Starts from every third row, and checks the rows that are left and their number.
template <class Keep, class Matches>
void require_kept(std::size_t rows, Keep keep, Matches matches) {
  BlockMask mask;
  mark_all(mask, rows);
  REQUIRE(count_marked(mask.data(), rows) == rows);
  mark_none(mask, rows);
  for (std::size_t row = 0; row < rows; row += 3) mark(mask, row);
  keep(mask.data());
  std::size_t left = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    const bool expected = row % 3 == 0 && matches(row);
    REQUIRE(is_marked(mask, row) == expected);
    left += expected ? 1 : 0;
  }
  REQUIRE(count_marked(mask.data(), rows) == left);
  std::size_t visited = 0;
  for_each_marked(mask, rows, [&](std::size_t row) {
    REQUIRE(is_marked(mask, row));
    ++visited;
  });
  REQUIRE(visited == left);
}

void require_right_for_bytes(std::mt19937_64& random, std::size_t rows) {
  const auto bytes = random_values<std::uint8_t>(random, rows, 256);
  const auto few = random_values<std::uint8_t>(random, rows, 8);
  require_kept(
      rows, [&](auto* mask) { keep_equal_8(mask, few.data(), rows, 3); },
      [&](std::size_t row) { return few[row] == 3; });
  for (const auto& [min, max] : {std::pair{3, 6}, std::pair{0, 4}, std::pair{5, 5}, std::pair{200, 255}}) {
    const auto low = static_cast<std::uint8_t>(min);
    const auto high = static_cast<std::uint8_t>(max);
    BlockMask edges;
    require_kept(
        rows, [&](auto* mask) { keep_between_8(mask, edges.data(), few.data(), rows, low, high); },
        [&](std::size_t row) { return few[row] >= low && few[row] <= high; });
    for (std::size_t row = 0; row < rows; ++row)
      REQUIRE(is_marked(edges, row) == (row % 3 == 0 && (few[row] == min || few[row] == max)));
  }
  for (const auto& [min, max] :
       {std::pair{0x0380, 0x0620}, std::pair{0, 0xffff}, std::pair{0x0410, 0x04f0}}) {
    const auto low = static_cast<std::uint16_t>(min);
    const auto high = static_cast<std::uint16_t>(max);
    const auto value = [&](std::size_t row) { return few[row] << 8 | bytes[row]; };
    require_kept(
        rows, [&](auto* mask) { keep_between_8_8(mask, few.data(), bytes.data(), rows, low, high); },
        [&](std::size_t row) { return value(row) >= low && value(row) <= high; });
  }
}

void require_right(std::mt19937_64& random, std::size_t rows) {
  const auto words = random_values<std::uint16_t>(random, rows, 5);
  const auto numbers = random_values<std::uint32_t>(random, rows, 10);
  auto wide = random_values<std::int64_t>(random, rows, 10);
  for (auto& value : wide) value += 8'000'000'000 * (value % 3 - 1);
  require_kept(
      rows, [&](auto* mask) { keep_equal_16(mask, words.data(), rows, 3); },
      [&](std::size_t row) { return words[row] == 3; });
  std::vector<std::uint64_t> members(5);
  for (auto& word : members) word = random();
  const auto values = random_values<std::uint32_t>(random, rows, members.size() * 64);
  BlockMask of_members;
  mark_members(of_members.data(), values.data(), rows, members.data());
  for (std::size_t row = 0; row < rows; ++row)
    REQUIRE(is_marked(of_members, row) == ((members[values[row] / 64] >> values[row] % 64 & 1U) != 0));
  REQUIRE((rows % 64 == 0 || of_members[rows / 64] >> rows % 64 == 0));
  require_kept(
      rows, [&](auto* mask) { keep_equal_32(mask, numbers.data(), rows, 9); },
      [&](std::size_t row) { return numbers[row] == 9; });
  constexpr auto kMost = std::numeric_limits<std::uint32_t>::max();
  require_kept(
      rows, [&](auto* mask) { keep_between_32(mask, numbers.data(), rows, 4, kMost); },
      [&](std::size_t row) { return numbers[row] >= 4; });
  require_kept(
      rows, [&](auto* mask) { keep_between_64(mask, wide.data(), rows, -7'999'999'999, 7'000'000'000); },
      [&](std::size_t row) { return wide[row] >= -7'999'999'999 && wide[row] <= 7'000'000'000; });
}

}  // namespace

TEST_CASE("the loops over a block's columns keep the rows that match", "[list]") {
  constexpr std::uint64_t kSeed = 61;
  CAPTURE(kSeed);
  std::mt19937_64 random(kSeed);
  const auto require_all = [&](std::size_t rows) {
    require_right(random, rows);
    require_right_for_bytes(random, rows);
  };
  for (std::size_t rows = 0; rows <= 200; ++rows) require_all(rows);
  require_all(kBlockRowsMax);
}
