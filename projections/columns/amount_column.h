#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "projections/columns/growing_column.h"
#include "projections/columns/widening_column.h"

namespace pixledger::projections {

// The amounts of a segment, in cents. While the segment grows they are kept as they are; once it is full, as
// ranks among the amounts that occur, so that any range of amounts, however far apart, is a range of at most
// 16 bits. A rank's two bytes are columns of their own: most rows are decided by the high one.
class AmountColumn {
 public:
  using Rank = std::uint16_t;
  // So many values need no high bytes.
  static constexpr std::size_t kLowMax = 256;
  // Inclusive.
  struct RankRange {
    Rank min;
    Rank max;
  };

  std::size_t size() const { return is_ranked() ? low_.size() : plain_.size(); }
  std::int64_t operator[](std::size_t row) const { return is_ranked() ? values_[rank_at(row)] : plain_[row]; }

  // Not once the amounts are ranked.
  void push_back(std::int64_t amount, std::size_t rows_max);
  // For a segment that is full, once; of 1 to 65,536 rows.
  void rank();

  bool is_ranked() const { return values_.size() != 0; }
  // Where the amounts are not ranked.
  const WideningColumn& plain() const { return plain_; }
  // The amounts that occur, ascending, and the bytes of each row's rank among them; no high bytes where
  // there are at most kLowMax.
  const WideningColumn& values() const { return values_; }
  const GrowingColumn<std::uint8_t>& low() const { return low_; }
  const GrowingColumn<std::uint8_t>& high() const { return high_; }

  Rank rank_at(std::size_t row) const {
    const unsigned high = high_.size() == 0 ? 0U : high_[row];
    return static_cast<Rank>(high << 8U | low_[row]);
  }
  // The ranks of the amounts from `min` to `max`; nothing if none occurs.
  std::optional<RankRange> ranks_between(std::int64_t min, std::int64_t max) const;

  // Whether every rank is less than that, which is at least 1.
  bool has_ranks_below(std::size_t end) const;
  static AmountColumn of(WideningColumn plain);
  static AmountColumn of(WideningColumn values, GrowingColumn<std::uint8_t> low,
                         GrowingColumn<std::uint8_t> high);
  std::size_t memory_bytes() const {
    return plain_.memory_bytes() + values_.memory_bytes() + low_.memory_bytes() + high_.memory_bytes();
  }

 private:
  WideningColumn plain_;
  WideningColumn values_;
  GrowingColumn<std::uint8_t> low_;
  GrowingColumn<std::uint8_t> high_;
};

}  // namespace pixledger::projections
