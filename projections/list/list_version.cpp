#include "projections/list/list_version.h"

#include <utility>

#include "projections/columns/value_scan.h"

namespace pixledger::projections {
std::optional<std::uint32_t> CodeColumn::place_of(std::uint32_t code) const {
  const std::size_t place = find_value(codes_.data(), codes_.size(), code);
  if (place == codes_.size()) return std::nullopt;
  return static_cast<std::uint32_t>(place);
}

std::uint32_t CodeColumn::add_code(std::uint32_t code, std::size_t rows_max) {
  const auto place = static_cast<std::uint32_t>(codes_.size());
  codes_.push_back(code, rows_max);
  if (codes_.size() == kNarrowMax + 1) {
    for (const std::uint8_t earlier : narrow_.span()) wide_.push_back(earlier, rows_max);
    narrow_ = {};
  }
  return place;
}

void CodeColumn::push_back(std::uint32_t place, std::size_t rows_max) {
  if (is_wide()) {
    wide_.push_back(static_cast<std::uint16_t>(place), rows_max);
  } else {
    narrow_.push_back(static_cast<std::uint8_t>(place), rows_max);
  }
}

CodeColumn CodeColumn::of(GrowingColumn<std::uint32_t> codes, GrowingColumn<std::uint8_t> places) {
  CodeColumn column;
  column.codes_ = std::move(codes);
  column.narrow_ = std::move(places);
  return column;
}

CodeColumn CodeColumn::of(GrowingColumn<std::uint32_t> codes, GrowingColumn<std::uint16_t> places) {
  CodeColumn column;
  column.codes_ = std::move(codes);
  column.wide_ = std::move(places);
  return column;
}

void CodeColumn::shrink_to_fit() { codes_.shrink_to_fit(); }

void ExternalIdColumn::push_back(std::size_t row, std::string_view folded, std::size_t rows_max) {
  text.append(folded.data(), folded.size());
  text.append(&kTextSeparator, 1);
  rows.push_back(static_cast<std::uint16_t>(row), rows_max);
}

void ListSegment::seal() {
  amount.rank();
  for (auto& column : coded) column.shrink_to_fit();
  external_ids.rows.shrink_to_fit();
  external_ids.text.shrink_to_fit();
}

std::size_t ListSegment::column_bytes() const {
  std::size_t bytes = sizeof(ListSegment) + created.memory_bytes() + amount.memory_bytes() +
                      customer.memory_bytes() + previous.memory_bytes() + external_ids.rows.memory_bytes();
  for (const auto& column : coded) bytes += column.memory_bytes();
  return bytes;
}

bool ListShape::is_valid() const {
  constexpr std::uint32_t kChunkRowsMax = 65'536;
  const auto in_range = [](std::uint32_t rows, std::uint32_t rows_max) {
    return rows >= 1 && rows <= rows_max;
  };
  return in_range(block_rows, kBlockRowsMax) && in_range(segment_rows, kSegmentRowsMax) &&
         segment_rows % block_rows == 0 && in_range(link_chunk_rows, kChunkRowsMax) &&
         in_range(text_chunk_rows, kChunkRowsMax);
}

}  // namespace pixledger::projections
