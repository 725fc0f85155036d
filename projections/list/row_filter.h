#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "projections/list/block_mask.h"
#include "projections/list/list_query.h"
#include "projections/list/list_version.h"

namespace pixledger::projections {

// The codes that a filter requires; an absent code matches every row.
using WantedCodes = PerCodedColumn<std::optional<std::uint32_t>>;

inline bool is_any_wanted(const WantedCodes& codes) {
  return std::any_of(codes.begin(), codes.end(), [](const auto& code) { return code.has_value(); });
}

// The conditions of a filter on a charge's own columns (status, environment, coded texts, amount), in one
// version's codes.
class RowFilter {
 public:
  // Nullopt if no charge can match.
  static std::optional<RowFilter> resolve(const ListVersion& version, const ListFilter& filter);

  // Whether every charge matches.
  bool matches_all() const { return bits_ == 0 && !statuses_ && !is_any_wanted(codes_) && !has_amount_; }
  bool matches(const ListVersion& version, std::uint32_t ordinal) const;

 private:
  friend class SegmentFilter;

  StateByte bits_ = 0;
  StateByte state_ = 0;
  std::optional<StatusSet> statuses_;  // more than one; a single status is in the bits
  WantedCodes codes_;
  bool has_amount_ = false;
  std::int64_t amount_min_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t amount_max_ = std::numeric_limits<std::int64_t>::max();
};

// The same conditions in one segment's codes. Must not outlive the version.
class SegmentFilter {
 public:
  SegmentFilter(const RowFilter& filter, const ListSegment& segment);

  // True if no row of the segment can match; keep() need not be called then.
  bool matches_none() const { return matches_none_; }
  bool matches_all() const { return bits_ == 0 && asks_only_bits(); }
  // Returns the number of matching rows of a block, if the block's counts suffice: they count rows by
  // environment.
  std::optional<std::size_t> known_matches(const StateBlock& states) const;

  // Prefetches the states that keep() will read.
  void prefetch(const StateBlock& states) const {
    states.prefetch(static_cast<StateByte>(bits_ | (statuses_ ? kStatusBits : 0)));
  }

  // Keeps the marked rows that match, and returns their number. Considers the first `count` rows of a block,
  // which begins at `row` of the segment. Do not call it if known_matches() returns 0.
  std::size_t keep(BlockMask& mask, const StateBlock& states, std::size_t row, std::size_t count) const;

 private:
  bool asks_only_bits() const {
    return !matches_none_ && !statuses_ && !is_any_wanted(places_) && !checks_amount_;
  }
  // Bits in which the block's rows may differ; the block has rows of the wanted environment.
  StateByte undecided_bits(const StateBlock& states) const;
  void keep_statuses(BlockMask& mask, const StateBlock& states, std::size_t count) const;
  void keep_amounts(BlockMask& mask, std::size_t row, std::size_t count) const;
  void keep_ranks(BlockMask& mask, std::size_t row, std::size_t count) const;
  void keep_amounts_of_few(BlockMask& mask, const BlockMask& few, std::size_t row, std::size_t count) const;

  const ListSegment& segment_;
  StateByte bits_;
  StateByte state_;
  std::optional<StatusSet> statuses_;
  WantedCodes places_;  // in the segment's columns
  bool checks_amount_ = false;
  std::int64_t amount_min_;
  std::int64_t amount_max_;
  AmountColumn::RankRange ranks_{};  // The same bounds, if the segment's amounts are ranked.
  bool matches_none_ = false;
};

}  // namespace pixledger::projections
