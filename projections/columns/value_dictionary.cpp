#include "projections/columns/value_dictionary.h"

#include <algorithm>
#include <functional>

namespace pixledger::projections {
namespace {

constexpr std::size_t kEntriesPerBucket = 8;

}  // namespace

std::size_t ValueDictionary::bucket_of(std::string_view text) const {
  return std::hash<std::string_view>()(text) % buckets_.size();
}

std::optional<std::uint32_t> ValueDictionary::find(std::string_view text) const {
  if (buckets_.size() == 0) return std::nullopt;
  const Bucket& bucket = buckets_[bucket_of(text)];
  const auto found =
      std::find_if(bucket.begin(), bucket.end(), [&](const Entry& entry) { return entry.text == text; });
  if (found == bucket.end()) return std::nullopt;
  return found->code;
}

std::uint32_t ValueDictionary::code_of(std::string_view text, std::uint64_t epoch) {
  if (const auto code = find(text)) return *code;
  if (size_ >= buckets_.size() * kEntriesPerBucket) grow(epoch);
  buckets_.edit(bucket_of(text), epoch).push_back({std::string(text), size_});
  return size_++;
}

void ValueDictionary::grow(std::uint64_t epoch) {
  const auto known = texts();
  const std::size_t bucket_count = std::max<std::size_t>(1, buckets_.size() * 2);
  buckets_ = {};
  for (std::size_t i = 0; i < bucket_count; ++i) buckets_.push_back({}, epoch);
  for (std::uint32_t code = 0; code < size_; ++code)
    buckets_.edit(bucket_of(known[code]), epoch).push_back({known[code], code});
}

std::vector<std::string> ValueDictionary::texts() const {
  std::vector<std::string> texts(size_);
  for (std::size_t i = 0; i < buckets_.size(); ++i)
    for (const Entry& entry : buckets_[i]) texts[entry.code] = entry.text;
  return texts;
}

std::size_t ValueDictionary::memory_bytes() const {
  std::size_t bytes = buckets_.memory_bytes();
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    bytes += buckets_[i].capacity() * sizeof(Entry);
    for (const Entry& entry : buckets_[i]) bytes += entry.text.capacity();
  }
  return bytes;
}

}  // namespace pixledger::projections
