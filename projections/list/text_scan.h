#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace pixledger::projections {

/// A text to look for, by blocks: a place is compared only where two bytes of the needle, those that are
/// rarest in names and ids, stand at their distance.
class Needle {
 public:
  static constexpr std::size_t kNotFound = std::string_view::npos;

  /// `text` must not be empty; asserted.
  explicit Needle(std::string text);

  /// The first occurrence that begins at `from` or later.
  std::size_t find(std::string_view haystack, std::size_t from) const;

 private:
  std::string text_;
  std::size_t first_at_ = 0;   ///< Of the two rare bytes.
  std::size_t second_at_ = 0;  ///< Not before the first; the same for a needle of one byte.
};

/// Calls `visit` with the index of every record that has the needle, in ascending order. Record i ends at
/// ends[i], which is where record i + 1 begins; no record's end can be part of the needle.
template <class Visit>
void for_each_record_with(const Needle& needle, std::string_view text, std::span<const std::uint32_t> ends,
                          Visit visit) {
  std::size_t record = 0;
  std::size_t at = needle.find(text, 0);
  while (at != Needle::kNotFound) {
    // Matches are often near each other, so the search for the record widens from the last one.
    std::size_t step = 1;
    while (record + step < ends.size() && ends[record + step - 1] <= at) {
      record += step;
      step *= 2;
    }
    const auto candidates = ends.subspan(record, std::min(step, ends.size() - record));
    record += static_cast<std::size_t>(std::upper_bound(candidates.begin(), candidates.end(), at) -
                                       candidates.begin());
    visit(record);
    at = needle.find(text, ends[record]);
    ++record;
  }
}

}  // namespace pixledger::projections
