#include "projections/list/row_filter.h"

#include <algorithm>

namespace pixledger::projections {
namespace {

/// With no more rows than this left in a block, looking at their amounts one by one is less work than reading
/// all of the block's.
constexpr std::size_t kFewRows = 48;

void keep_place(BlockMask& mask, const CodeColumn& column, std::size_t row, std::size_t count,
                std::uint32_t place) {
  if (column.is_wide()) {
    mask_kernels().keep_equal_16(mask.data(), column.wide().data() + row, count,
                                 static_cast<std::uint16_t>(place));
  } else {
    constexpr std::uint8_t kAllBits = 0xff;
    mask_kernels().keep_bits(mask.data(), column.narrow().data() + row, count, kAllBits,
                             static_cast<std::uint8_t>(place));
  }
}

}  // namespace

std::optional<RowFilter> RowFilter::resolve(const ListVersion& version, const ListFilter& filter) {
  RowFilter resolved;
  if (filter.status) {
    resolved.bits_ = kStatusBits;
    resolved.state_ = static_cast<StateByte>(*filter.status);
  }
  if (filter.environment) {
    resolved.bits_ |= kSandboxBit;
    if (*filter.environment == domain::Environment::kSandbox) resolved.state_ |= kSandboxBit;
  }
  if (filter.connection) {
    resolved.connection_ = version.connections.find(filter.connection->text());
    if (!resolved.connection_) return std::nullopt;
  }
  if (filter.origin_host) {
    resolved.origin_host_ = version.origin_hosts.find(filter.origin_host->text());
    if (!resolved.origin_host_) return std::nullopt;
  }
  resolved.has_amount_ = filter.amount_min || filter.amount_max;
  if (filter.amount_min) resolved.amount_min_ = filter.amount_min->value();
  if (filter.amount_max) resolved.amount_max_ = filter.amount_max->value();
  if (resolved.amount_min_ > resolved.amount_max_) return std::nullopt;
  return resolved;
}

bool RowFilter::matches(const ListVersion& version, std::uint32_t ordinal) const {
  if (bits_ != 0 && (version.state(ordinal) & bits_) != state_) return false;
  const auto [segment, row] = version.locate(ordinal);
  if (connection_ && segment.connection.code_at(row) != *connection_) return false;
  if (origin_host_ && segment.origin_host.code_at(row) != *origin_host_) return false;
  if (!has_amount_) return true;
  const std::int64_t amount = segment.amount[row];
  return amount >= amount_min_ && amount <= amount_max_;
}

SegmentFilter::SegmentFilter(const RowFilter& filter, const ListSegment& segment)
    : segment_(segment),
      bits_(filter.bits_),
      state_(filter.state_),
      checks_amount_(segment.amount_min < filter.amount_min_ || segment.amount_max > filter.amount_max_),
      amount_min_(filter.amount_min_),
      amount_max_(filter.amount_max_) {
  matches_none_ = segment.amount_max < amount_min_ || segment.amount_min > amount_max_;
  if (matches_none_) return;
  if (filter.connection_) {
    connection_place_ = segment.connection.place_of(*filter.connection_);
    matches_none_ = !connection_place_;
  }
  if (filter.origin_host_ && !matches_none_) {
    origin_host_place_ = segment.origin_host.place_of(*filter.origin_host_);
    matches_none_ = !origin_host_place_;
  }
  // Where one code is all that occurs, every row has it.
  if (connection_place_ && segment.connection.codes().size() == 1) connection_place_.reset();
  if (origin_host_place_ && segment.origin_host.codes().size() == 1) origin_host_place_.reset();
}

std::size_t SegmentFilter::keep(BlockMask& mask, const StateByte* states, std::size_t row,
                                std::size_t count) const {
  if (bits_ != 0) mask_kernels().keep_bits(mask.data(), states, count, bits_, state_);
  if (connection_place_) keep_place(mask, segment_.connection, row, count, *connection_place_);
  if (origin_host_place_) keep_place(mask, segment_.origin_host, row, count, *origin_host_place_);
  const std::size_t left = mask_kernels().count(mask.data(), count);
  if (!checks_amount_ || left == 0) return left;
  return left <= kFewRows ? keep_amounts_of_few(mask, row, count) : keep_amounts(mask, row, count);
}

std::size_t SegmentFilter::keep_amounts(BlockMask& mask, std::size_t row, std::size_t count) const {
  if (segment_.amount.is_wide()) {
    mask_kernels().keep_between_64(mask.data(), segment_.amount.wide().data() + row, count, amount_min_,
                                   amount_max_);
  } else {
    // Both bounds fit after this, since some amount of the segment lies between them.
    const std::int64_t min = std::max(amount_min_, segment_.amount_min);
    const std::int64_t max = std::min(amount_max_, segment_.amount_max);
    mask_kernels().keep_between_32(mask.data(), segment_.amount.narrow().data() + row, count,
                                   static_cast<std::uint32_t>(min), static_cast<std::uint32_t>(max));
  }
  return mask_kernels().count(mask.data(), count);
}

std::size_t SegmentFilter::keep_amounts_of_few(BlockMask& mask, std::size_t row, std::size_t count) const {
  std::size_t left = 0;
  for_each_marked(mask, count, [&](std::size_t i) {
    const std::int64_t amount = segment_.amount[row + i];
    if (amount >= amount_min_ && amount <= amount_max_) {
      ++left;
    } else {
      unmark(mask, i);
    }
  });
  return left;
}

}  // namespace pixledger::projections
