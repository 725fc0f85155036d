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

// The codes that a filter asks for; absent, every code will do.
using WantedCodes = PerCodedColumn<std::optional<std::uint32_t>>;

inline bool is_any_wanted(const WantedCodes& codes) {
  return std::any_of(codes.begin(), codes.end(), [](const auto& code) { return code.has_value(); });
}

// What a filter asks of a charge's own columns (status, environment, coded texts, amount), in the codes of
// one version.
class RowFilter {
 public:
  // Nothing when no charge can match.
  static std::optional<RowFilter> resolve(const ListVersion& version, const ListFilter& filter);

  // Whether every charge matches.
  bool matches_all() const { return bits_ == 0 && !statuses_ && !is_any_wanted(codes_) && !has_amount_; }
  bool matches(const ListVersion& version, std::uint32_t ordinal) const;

 private:
  friend class SegmentFilter;

  StateByte bits_ = 0;
  StateByte state_ = 0;
  std::optional<StatusSet> statuses_;  // several; one alone is among the bits
  WantedCodes codes_;
  bool has_amount_ = false;
  std::int64_t amount_min_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t amount_max_ = std::numeric_limits<std::int64_t>::max();
};

// The same in the codes of one segment. Lives no longer than the version.
class SegmentFilter {
 public:
  SegmentFilter(const RowFilter& filter, const ListSegment& segment);

  // Whether no row of the segment can match; then there is nothing to keep().
  bool matches_none() const { return matches_none_; }
  bool matches_all() const { return bits_ == 0 && asks_only_bits(); }
  // How many rows of a block of the segment match, where the block's counts alone tell: they know how many
  // are of each environment, often all.
  std::optional<std::size_t> known_matches(const StateBlock& states) const;

  // Has the processor fetch what keep() will read of a block's states.
  void prefetch(const StateBlock& states) const {
    states.prefetch(static_cast<StateByte>(bits_ | (statuses_ ? kStatusBits : 0)));
  }

  // Of the marked rows of a block of which known_matches() does not say 0, keeps those that match and says
  // how many: the first `count` rows of a block, which begins at `row` of the segment.
  std::size_t keep(BlockMask& mask, const StateBlock& states, std::size_t row, std::size_t count) const;

 private:
  bool asks_only_bits() const {
    return !matches_none_ && !statuses_ && !is_any_wanted(places_) && !checks_amount_;
  }
  // Of a block that has rows of the wanted environment: the bits that its rows may differ in.
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
  AmountColumn::RankRange ranks_{};  // Where the segment's amounts are ranked, the same bounds.
  bool matches_none_ = false;
};

}  // namespace pixledger::projections
