#include "projections/columns/amount_column.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <limits>
#include <utility>
#include <vector>

namespace pixledger::projections {
namespace {

constexpr std::size_t kRowsMax = 65'536;

struct PlacedAmount {
  std::uint64_t above_least;
  std::uint32_t row;
};

// One pass of a radix sort: by the bits from `shift` on; stable.
void sort_by_digit(const std::vector<PlacedAmount>& from, std::vector<PlacedAmount>& to, int shift,
                   int digit_bits) {
  const std::uint64_t digit_max = (std::uint64_t{1} << digit_bits) - 1;
  std::vector<std::uint32_t> next(digit_max + 1);
  for (const auto& amount : from) ++next[amount.above_least >> shift & digit_max];
  std::uint32_t sum = 0;
  for (auto& place : next) sum += std::exchange(place, sum);
  for (const auto& amount : from) to[next[amount.above_least >> shift & digit_max]++] = amount;
}

// Ascending. The projector waits for this, so it is not a comparison sort.
std::vector<PlacedAmount> placed_in_order(const WideningColumn& amounts, std::int64_t least) {
  constexpr int kDigitBits = 11;
  std::vector<PlacedAmount> placed(amounts.size());
  std::uint64_t most = 0;
  for (std::size_t row = 0; row < placed.size(); ++row) {
    const auto above = static_cast<std::uint64_t>(amounts[row]) - static_cast<std::uint64_t>(least);
    placed[row] = {above, static_cast<std::uint32_t>(row)};
    most = std::max(most, above);
  }
  std::vector<PlacedAmount> other(placed.size());
  for (int shift = 0; shift < static_cast<int>(std::bit_width(most)); shift += kDigitBits) {
    sort_by_digit(placed, other, shift, kDigitBits);
    placed.swap(other);
  }
  return placed;
}

// The number of leading values for which `before` is true.
template <class Value, class Before>
std::size_t count_before(const GrowingColumn<Value>& values, Before before) {
  const auto span = values.span();
  return static_cast<std::size_t>(std::partition_point(span.begin(), span.end(), before) - span.begin());
}

template <class Value>
std::optional<AmountColumn::RankRange> ranks_in(const GrowingColumn<Value>& values, std::int64_t min,
                                                std::int64_t max) {
  const std::size_t first = count_before(values, [min](std::int64_t value) { return value < min; });
  const std::size_t end = count_before(values, [max](std::int64_t value) { return value <= max; });
  if (first >= end) return std::nullopt;
  return AmountColumn::RankRange{static_cast<AmountColumn::Rank>(first),
                                 static_cast<AmountColumn::Rank>(end - 1)};
}

}  // namespace

void WideningColumn::push_back(std::int64_t value, std::size_t rows_max) {
  const bool fits = value >= 0 && value <= std::numeric_limits<std::uint32_t>::max();
  if (!is_wide() && fits) {
    narrow_.push_back(static_cast<std::uint32_t>(value), rows_max);
    return;
  }
  if (!is_wide()) {
    for (const std::uint32_t earlier : narrow_.span()) wide_.push_back(earlier, rows_max);
    narrow_ = {};
  }
  wide_.push_back(value, rows_max);
}

WideningColumn WideningColumn::of(GrowingColumn<std::uint32_t> values) {
  WideningColumn column;
  column.narrow_ = std::move(values);
  return column;
}

WideningColumn WideningColumn::of(GrowingColumn<std::int64_t> values) {
  WideningColumn column;
  column.wide_ = std::move(values);
  return column;
}

// A full segment stores the rank of each row's amount among the segment's distinct amounts. A radix sort of
// the amounts above the least one finds the ranks. They are split into a column of low bytes and, above 256
// distinct amounts, one of high bytes. A binary search turns a range of amounts into a range of ranks; the
// high byte alone then decides most rows.

void AmountColumn::push_back(std::int64_t amount, std::size_t rows_max) {
  assert(!is_ranked());
  plain_.push_back(amount, rows_max);
}

void AmountColumn::rank() {
  const std::size_t rows = plain_.size();
  assert(!is_ranked() && rows >= 1 && rows <= kRowsMax);
  std::int64_t least = plain_[0];
  for (std::size_t row = 1; row < rows; ++row) least = std::min(least, plain_[row]);
  const auto placed = placed_in_order(plain_, least);

  const auto differs = [](const PlacedAmount& left, const PlacedAmount& right) {
    return left.above_least != right.above_least;
  };
  std::size_t distinct = 1;
  for (std::size_t i = 1; i < rows; ++i) distinct += differs(placed[i - 1], placed[i]) ? 1 : 0;

  std::uint8_t* const low = low_.extend(rows);
  std::uint8_t* const high = distinct > kLowMax ? high_.extend(rows) : nullptr;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i == 0 || differs(placed[i - 1], placed[i])) values_.push_back(plain_[placed[i].row], distinct);
    const std::size_t rank = values_.size() - 1;
    low[placed[i].row] = static_cast<std::uint8_t>(rank);
    if (high != nullptr) high[placed[i].row] = static_cast<std::uint8_t>(rank >> 8U);
  }
  plain_ = {};
}

std::optional<AmountColumn::RankRange> AmountColumn::ranks_between(std::int64_t min, std::int64_t max) const {
  return values_.is_wide() ? ranks_in(values_.wide(), min, max) : ranks_in(values_.narrow(), min, max);
}

bool AmountColumn::has_ranks_below(std::size_t end) const {
  unsigned most = 0;
  for (std::size_t row = 0; row < low_.size(); ++row) most = std::max<unsigned>(most, rank_at(row));
  return most < end;
}

AmountColumn AmountColumn::of(WideningColumn plain) {
  AmountColumn column;
  column.plain_ = std::move(plain);
  return column;
}

AmountColumn AmountColumn::of(WideningColumn values, GrowingColumn<std::uint8_t> low,
                              GrowingColumn<std::uint8_t> high) {
  AmountColumn column;
  column.values_ = std::move(values);
  column.low_ = std::move(low);
  column.high_ = std::move(high);
  return column;
}

}  // namespace pixledger::projections
