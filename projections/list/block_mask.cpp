#include "projections/list/block_mask.h"

#include "projections/columns/vector_clones.h"

// The hot loops of a filter, 64 rows at a time. Each loop is compiled for several processor generations; the
// loader picks the best (vector_clones.h).
namespace pixledger::projections {
namespace {

// Keeps the rows that match. `matches` has no branches.
template <class Matches>
[[gnu::always_inline]] inline void keep_where(std::uint64_t* mask, std::size_t rows, Matches matches) {
  std::size_t row = 0;
  for (; row + 64 <= rows; row += 64)
    mask[row / 64] &= bits_where([=](std::size_t i) { return matches(row + i); });
  if (row == rows) return;
  std::uint64_t last = 0;
  for (std::size_t i = 0; row + i < rows; ++i) last |= std::uint64_t{matches(row + i) != 0} << i;
  mask[row / 64] &= last;
}

}  // namespace

PIXLEDGER_VECTOR_CLONES
void keep_equal_8(std::uint64_t* mask, const std::uint8_t* values, std::size_t rows, std::uint8_t wanted) {
  keep_where(mask, rows, [=](std::size_t row) { return values[row] == wanted; });
}

PIXLEDGER_VECTOR_CLONES
void keep_between_8(std::uint64_t* mask, std::uint64_t* edges, const std::uint8_t* values, std::size_t rows,
                    std::uint8_t min, std::uint8_t max) {
  keep_where(mask, rows, [=](std::size_t row) {
    return static_cast<unsigned>(values[row] >= min) & static_cast<unsigned>(values[row] <= max);
  });
  for (std::size_t word = 0; word < words_of(rows); ++word) edges[word] = mask[word];
  keep_where(edges, rows, [=](std::size_t row) {
    return static_cast<unsigned>(values[row] == min) | static_cast<unsigned>(values[row] == max);
  });
}

PIXLEDGER_VECTOR_CLONES
void keep_between_8_8(std::uint64_t* mask, const std::uint8_t* high, const std::uint8_t* low,
                      std::size_t rows, std::uint16_t min, std::uint16_t max) {
  keep_where(mask, rows, [=](std::size_t row) {
    const auto value = static_cast<std::uint16_t>(high[row] << 8 | low[row]);
    return static_cast<unsigned>(value >= min) & static_cast<unsigned>(value <= max);
  });
}

PIXLEDGER_VECTOR_CLONES
void keep_plane(std::uint64_t* mask, const std::uint64_t* plane, std::size_t rows, bool wanted) {
  const std::uint64_t flip = wanted ? 0 : ~std::uint64_t{0};
  for (std::size_t i = 0; i < words_of(rows); ++i) mask[i] &= plane[i] ^ flip;
}

PIXLEDGER_VECTOR_CLONES
void keep_equal_16(std::uint64_t* mask, const std::uint16_t* values, std::size_t rows, std::uint16_t wanted) {
  keep_where(mask, rows, [=](std::size_t row) { return values[row] == wanted; });
}

PIXLEDGER_VECTOR_CLONES
void keep_equal_32(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows, std::uint32_t wanted) {
  keep_where(mask, rows, [=](std::size_t row) { return values[row] == wanted; });
}

PIXLEDGER_VECTOR_CLONES
void keep_between_32(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows, std::uint32_t min,
                     std::uint32_t max) {
  // One comparison instead of two: values below min wrap to above the width.
  const std::uint32_t width = max - min;
  keep_where(mask, rows, [=](std::size_t row) { return values[row] - min <= width; });
}

PIXLEDGER_VECTOR_CLONES
void keep_between_64(std::uint64_t* mask, const std::int64_t* values, std::size_t rows, std::int64_t min,
                     std::int64_t max) {
  keep_where(mask, rows, [=](std::size_t row) {
    return static_cast<unsigned>(values[row] >= min) & static_cast<unsigned>(values[row] <= max);
  });
}

PIXLEDGER_VECTOR_CLONES
void mark_members(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows,
                  const std::uint64_t* members) {
  for (std::size_t first = 0; first < rows; first += 64) {
    const std::size_t count = rows - first < 64 ? rows - first : 64;
    std::uint64_t word = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t value = values[first + i];
      word |= (members[value / 64] >> value % 64 & 1U) << i;
    }
    mask[first / 64] = word;
  }
}

PIXLEDGER_VECTOR_CLONES
std::size_t count_marked(const std::uint64_t* mask, std::size_t rows) {
  std::size_t total = 0;
  for (std::size_t i = 0; i < words_of(rows); ++i)
    total += static_cast<std::size_t>(__builtin_popcountll(mask[i]));
  return total;
}

}  // namespace pixledger::projections
