#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

namespace pixledger::projections {

// Values that are only ever added. A copy is a few words, shares the storage and stays as it is while the
// original grows, since the original writes only behind what any copy can see, or into storage of its own.
// Only the original may grow: a copy that is kept to be read must be const.
template <class T>
class GrowingColumn {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  std::size_t size() const { return size_; }
  const T* data() const { return storage_.get(); }
  const T& operator[](std::size_t index) const { return storage_.get()[index]; }
  std::span<const T> span() const { return {storage_.get(), size_}; }
  std::size_t memory_bytes() const { return capacity_ * sizeof(T); }

  // Capacity doubles up to `size_max`, so that a column which ends there wastes nothing.
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

  // Room for `count` more values, to be filled by the caller, who must be the only one to know this column.
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

}  // namespace pixledger::projections
