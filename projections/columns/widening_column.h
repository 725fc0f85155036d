#pragma once

#include <cstddef>
#include <cstdint>

#include "projections/columns/growing_column.h"

namespace pixledger::projections {

// Whole numbers, 32 bits each until one comes that is negative or larger; from then on 64.
class WideningColumn {
 public:
  std::size_t size() const { return is_wide() ? wide_.size() : narrow_.size(); }
  bool is_wide() const { return wide_.size() != 0; }
  const GrowingColumn<std::uint32_t>& narrow() const { return narrow_; }
  const GrowingColumn<std::int64_t>& wide() const { return wide_; }
  std::int64_t operator[](std::size_t row) const { return is_wide() ? wide_[row] : narrow_[row]; }

  void push_back(std::int64_t value, std::size_t rows_max);
  static WideningColumn of(GrowingColumn<std::uint32_t> values);
  static WideningColumn of(GrowingColumn<std::int64_t> values);
  std::size_t memory_bytes() const { return narrow_.memory_bytes() + wide_.memory_bytes(); }

 private:
  GrowingColumn<std::uint32_t> narrow_;
  GrowingColumn<std::int64_t> wide_;
};

}  // namespace pixledger::projections
