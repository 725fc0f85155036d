#include "projections/list/row_filter.h"

#include <algorithm>

namespace pixledger::projections {
namespace {

// Up to this many remaining rows, checking single amounts is cheaper than a pass over the whole block.
constexpr std::size_t kFewRows = 6;

void keep_place(BlockMask& mask, const CodeColumn& column, std::size_t row, std::size_t count,
                std::uint32_t place) {
  if (column.is_wide()) {
    keep_equal_16(mask.data(), column.wide().data() + row, count, static_cast<std::uint16_t>(place));
  } else {
    keep_equal_8(mask.data(), column.narrow().data() + row, count, static_cast<std::uint8_t>(place));
  }
}

}  // namespace

std::optional<RowFilter> RowFilter::resolve(const ListVersion& version, const ListFilter& filter) {
  RowFilter resolved;
  const auto status = filter.status ? filter.status->single() : std::nullopt;
  if (status) {
    resolved.bits_ = kStatusBits;
    resolved.state_ = static_cast<StateByte>(*status);
  } else {
    resolved.statuses_ = filter.status;
  }
  if (filter.environment) {
    const std::uint32_t charges = version.charges_in(*filter.environment);
    if (charges == 0) return std::nullopt;
    if (charges != version.charge_count()) {
      resolved.bits_ |= kSandboxBit;
      if (*filter.environment == domain::Environment::kSandbox) resolved.state_ |= kSandboxBit;
    }
  }
  const auto texts = filter.coded_texts();
  for (std::size_t i = 0; i < kCodedColumns; ++i) {
    if (!texts[i]) continue;
    resolved.codes_[i] = version.dictionaries[i].find(*texts[i]);
    if (!resolved.codes_[i]) return std::nullopt;
  }
  resolved.has_amount_ = filter.amount_min || filter.amount_max;
  if (filter.amount_min) resolved.amount_min_ = filter.amount_min->value();
  if (filter.amount_max) resolved.amount_max_ = filter.amount_max->value();
  if (resolved.amount_min_ > resolved.amount_max_) return std::nullopt;
  return resolved;
}

bool RowFilter::matches(const ListVersion& version, std::uint32_t ordinal) const {
  if (bits_ != 0 && (version.state(ordinal) & bits_) != state_) return false;
  if (statuses_ &&
      !statuses_->contains(static_cast<domain::ChargeStatus>(version.state(ordinal) & kStatusBits)))
    return false;
  const auto [segment, row] = version.locate(ordinal);
  for (std::size_t i = 0; i < kCodedColumns; ++i)
    if (codes_[i] && segment.coded[i].code_at(row) != *codes_[i]) return false;
  if (!has_amount_) return true;
  const std::int64_t amount = segment.amount[row];
  return amount >= amount_min_ && amount <= amount_max_;
}

SegmentFilter::SegmentFilter(const RowFilter& filter, const ListSegment& segment)
    : segment_(segment),
      bits_(filter.bits_),
      state_(filter.state_),
      statuses_(filter.statuses_),
      checks_amount_(segment.amount_min < filter.amount_min_ || segment.amount_max > filter.amount_max_),
      amount_min_(filter.amount_min_),
      amount_max_(filter.amount_max_) {
  matches_none_ = segment.amount_max < amount_min_ || segment.amount_min > amount_max_;
  if (matches_none_) return;
  for (std::size_t i = 0; i < kCodedColumns; ++i) {
    if (!filter.codes_[i] || matches_none_) continue;
    places_[i] = segment.coded[i].place_of(*filter.codes_[i]);
    matches_none_ = !places_[i];
  }
  if (checks_amount_ && !matches_none_ && segment.amount.is_ranked()) {
    const auto ranks = segment.amount.ranks_between(amount_min_, amount_max_);
    matches_none_ = !ranks;
    if (ranks) ranks_ = *ranks;
  }
  // If only one code occurs, every row has it.
  for (std::size_t i = 0; i < kCodedColumns; ++i)
    if (segment.coded[i].codes().size() == 1) places_[i].reset();
}

std::optional<std::size_t> SegmentFilter::known_matches(const StateBlock& states) const {
  std::size_t rows = states.size();
  if ((bits_ & kSandboxBit) != 0) {
    rows = (state_ & kSandboxBit) != 0 ? states.sandbox_rows() : states.size() - states.sandbox_rows();
    if (rows == 0) return 0;
  }
  if ((bits_ & ~kSandboxBit) != 0 || !asks_only_bits()) return std::nullopt;
  return rows;
}

StateByte SegmentFilter::undecided_bits(const StateBlock& states) const {
  const bool is_mixed = states.sandbox_rows() != 0 && states.sandbox_rows() != states.size();
  return is_mixed ? bits_ : static_cast<StateByte>(bits_ & ~kSandboxBit);
}

std::size_t SegmentFilter::keep(BlockMask& mask, const StateBlock& states, std::size_t row,
                                std::size_t count) const {
  const StateByte bits = undecided_bits(states);
  for (std::size_t bit = 0; bit < kStateBits; ++bit)
    if ((bits >> bit & 1U) != 0)
      keep_plane(mask.data(), states.plane(bit).data(), count, (state_ >> bit & 1U) != 0);
  if (statuses_) keep_statuses(mask, states, count);
  for (std::size_t i = 0; i < kCodedColumns; ++i)
    if (places_[i]) keep_place(mask, segment_.coded[i], row, count, *places_[i]);
  const std::size_t left = count_marked(mask.data(), count);
  if (!checks_amount_ || left == 0) return left;
  if (left <= kFewRows) {
    keep_amounts_of_few(mask, BlockMask(mask), row, count);
  } else {
    keep_amounts(mask, row, count);
  }
  return count_marked(mask.data(), count);
}

void SegmentFilter::keep_statuses(BlockMask& mask, const StateBlock& states, std::size_t count) const {
  constexpr std::size_t kPlanes = std::bit_width(kStatusBits);
  BlockMask kept;
  mark_none(kept, count);
  for (unsigned status = 0; status <= kStatusBits; ++status) {
    if (!statuses_->contains(static_cast<domain::ChargeStatus>(status))) continue;
    BlockMask of_status;
    std::copy_n(mask.data(), words_of(count), of_status.data());
    for (std::size_t bit = 0; bit < kPlanes; ++bit)
      keep_plane(of_status.data(), states.plane(bit).data(), count, (status >> bit & 1U) != 0);
    for (std::size_t word = 0; word < words_of(count); ++word) kept[word] |= of_status[word];
  }
  std::copy_n(kept.data(), words_of(count), mask.data());
}

void SegmentFilter::keep_amounts(BlockMask& mask, std::size_t row, std::size_t count) const {
  if (segment_.amount.is_ranked()) {
    keep_ranks(mask, row, count);
  } else if (segment_.amount.plain().is_wide()) {
    keep_between_64(mask.data(), segment_.amount.plain().wide().data() + row, count, amount_min_,
                    amount_max_);
  } else {
    // Both bounds fit afterwards, since some amount of the segment may be between them.
    const std::int64_t min = std::max(amount_min_, segment_.amount_min);
    const std::int64_t max = std::min(amount_max_, segment_.amount_max);
    keep_between_32(mask.data(), segment_.amount.plain().narrow().data() + row, count,
                    static_cast<std::uint32_t>(min), static_cast<std::uint32_t>(max));
  }
}

void SegmentFilter::keep_ranks(BlockMask& mask, std::size_t row, std::size_t count) const {
  const AmountColumn& amounts = segment_.amount;
  const std::uint8_t* const low = amounts.low().data() + row;
  BlockMask edges;
  if (amounts.high().size() == 0) {
    keep_between_8(mask.data(), edges.data(), low, count, static_cast<std::uint8_t>(ranks_.min),
                   static_cast<std::uint8_t>(ranks_.max));
    return;
  }
  const std::uint8_t* const high = amounts.high().data() + row;
  keep_between_8(mask.data(), edges.data(), high, count, static_cast<std::uint8_t>(ranks_.min >> 8),
                 static_cast<std::uint8_t>(ranks_.max >> 8));
  // The low byte matters only at the edges.
  if (count_marked(edges.data(), count) <= kFewRows) {
    keep_amounts_of_few(mask, edges, row, count);
  } else {
    keep_between_8_8(mask.data(), high, low, count, ranks_.min, ranks_.max);
  }
}

void SegmentFilter::keep_amounts_of_few(BlockMask& mask, const BlockMask& few, std::size_t row,
                                        std::size_t count) const {
  const AmountColumn& amounts = segment_.amount;
  for_each_marked(few, count, [&](std::size_t i) {
    bool matches = false;
    if (amounts.is_ranked()) {
      const AmountColumn::Rank rank = amounts.rank_at(row + i);
      matches = rank >= ranks_.min && rank <= ranks_.max;
    } else {
      const std::int64_t amount = amounts[row + i];
      matches = amount >= amount_min_ && amount <= amount_max_;
    }
    if (!matches) unmark(mask, i);
  });
}

}  // namespace pixledger::projections
