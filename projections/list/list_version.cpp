#include "projections/list/list_version.h"

namespace pixledger::projections {

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
