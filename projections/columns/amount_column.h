#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>

namespace pixledger::projections {

// An append-only vector. A copy is a few words and shares the storage. It stays unchanged while the original
// grows: the original writes only after the copies' ends, or into new storage. Only the original may grow: a
// copy kept for reading must be const.
template <class T>
class GrowingColumn {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  const T* data() const { return storage_.get(); }
  const T& operator[](std::size_t index) const { return storage_.get()[index]; }
  std::span<const T> span() const { return {storage_.get(), size_}; }
  std::size_t memory_bytes() const { return capacity_ * sizeof(T); }

  // Capacity doubles up to `size_max`, so a column that ends there wastes nothing.
  void push_back(T value, std::size_t size_max) {
    if (size_ == capacity_)
      reserve(std::min(std::max(size_ * 2, kCapacityMin), std::max(size_max, size_ + 1)));
    storage_.get()[size_++] = value;
  }

  void append(const T* values, std::size_t count) {
    if (count == 0) return;
    if (size_ + count > capacity_) reserve(std::max(size_ * 2, size_ + count));
    std::copy_n(values, count, storage_.get() + size_);
    size_ += count;
  }

  // Appends `count` values for the caller to fill. No copies of the column may exist.
  T* extend(std::size_t count) {
    if (size_ + count > capacity_) reserve(size_ + count);
    size_ += count;
    return storage_.get() + (size_ - count);
  }

  void shrink_to_fit() {
    if (capacity_ != size_) reserve(size_);
  }

 private:
  static constexpr std::size_t kCapacityMin = 4;

  void reserve(std::size_t capacity) {
    std::shared_ptr<T[]> larger(new T[capacity]);
    std::copy_n(storage_.get(), size_, larger.get());
    storage_ = std::move(larger);
    capacity_ = capacity;
  }

  std::shared_ptr<T[]> storage_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;
};

// Integers of 32 bits each, or 64 bits once one is negative or larger.
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

// The amounts of a segment, in cents. They are stored as they are while the segment grows. Once it is full,
// they are stored as ranks among the distinct amounts. So any range of amounts is a range of at most 16 bits.
// A rank's two bytes are separate columns: the high byte decides most rows.
class AmountColumn {
 public:
  using Rank = std::uint16_t;
  // Up to this many distinct amounts need no high bytes.
  static constexpr std::size_t kLowMax = 256;
  // Inclusive.
  struct RankRange {
    Rank min;
    Rank max;
  };

  std::size_t size() const { return is_ranked() ? low_.size() : plain_.size(); }
  std::int64_t operator[](std::size_t row) const { return is_ranked() ? values_[rank_at(row)] : plain_[row]; }

  // Not allowed once the amounts are ranked.
  void push_back(std::int64_t amount, std::size_t rows_max);
  // Call once, on a full segment of 1 to 65,536 rows.
  void rank();

  bool is_ranked() const { return values_.size() != 0; }
  // Only if not ranked.
  const WideningColumn& plain() const { return plain_; }
  // The distinct amounts, ascending, and the bytes of each row's rank. No high bytes if there are at most
  // kLowMax amounts.
  const WideningColumn& values() const { return values_; }
  const GrowingColumn<std::uint8_t>& low() const { return low_; }
  const GrowingColumn<std::uint8_t>& high() const { return high_; }

  Rank rank_at(std::size_t row) const {
    const unsigned high = high_.size() == 0 ? 0U : high_[row];
    return static_cast<Rank>(high << 8U | low_[row]);
  }
  // The ranks of the amounts from `min` to `max`; nullopt if none occurs.
  std::optional<RankRange> ranks_between(std::int64_t min, std::int64_t max) const;

  // True if every rank is below `end`, which is at least 1.
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
