#include "projections/columns/widening_column.h"

#include <limits>
#include <utility>

namespace pixledger::projections {

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

}  // namespace pixledger::projections
