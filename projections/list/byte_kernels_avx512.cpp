#include "projections/list/byte_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

// A comparison yields mask bits directly; the portable loops gather them from bytes. Loads are masked, so
// nothing after the last row is read.
#define PIXLEDGER_AVX512 __attribute__((target("avx512f,avx512bw")))

namespace pixledger::projections {
namespace {

// Masks the rows of `first` to `first` + 63 that exist.
PIXLEDGER_AVX512 inline std::uint64_t existing(std::size_t first, std::size_t rows) {
  return rows - first >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (rows - first)) - 1;
}

PIXLEDGER_AVX512 inline __m512i all(unsigned value) { return _mm512_set1_epi8(static_cast<char>(value)); }

PIXLEDGER_AVX512 void keep_equal_8(std::uint64_t* mask, const std::uint8_t* values, std::size_t rows,
                                   std::uint8_t wanted) {
  const __m512i all_wanted = all(wanted);
  for (std::size_t row = 0; row < rows; row += 64) {
    const __m512i value = _mm512_maskz_loadu_epi8(existing(row, rows), values + row);
    std::uint64_t& word = mask[row / 64];
    word = _mm512_mask_cmpeq_epi8_mask(word, value, all_wanted);
  }
}

PIXLEDGER_AVX512 void keep_between_8(std::uint64_t* mask, std::uint64_t* edges, const std::uint8_t* values,
                                     std::size_t rows, std::uint8_t min, std::uint8_t max) {
  const __m512i all_min = all(min);
  const __m512i all_max = all(max);
  for (std::size_t row = 0; row < rows; row += 64) {
    const __m512i value = _mm512_maskz_loadu_epi8(existing(row, rows), values + row);
    const __mmask64 enough = _mm512_mask_cmpge_epu8_mask(mask[row / 64], value, all_min);
    const __mmask64 kept = _mm512_mask_cmple_epu8_mask(enough, value, all_max);
    mask[row / 64] = kept;
    edges[row / 64] =
        _mm512_mask_cmpeq_epi8_mask(kept, value, all_min) | _mm512_mask_cmpeq_epi8_mask(kept, value, all_max);
  }
}

PIXLEDGER_AVX512 void keep_between_8_8(std::uint64_t* mask, const std::uint8_t* high, const std::uint8_t* low,
                                       std::size_t rows, std::uint16_t min, std::uint16_t max) {
  const __m512i min_high = all(min >> 8U);
  const __m512i min_low = all(min & 0xffU);
  const __m512i max_high = all(max >> 8U);
  const __m512i max_low = all(max & 0xffU);
  for (std::size_t row = 0; row < rows; row += 64) {
    const std::uint64_t exist = existing(row, rows);
    const __m512i highs = _mm512_maskz_loadu_epi8(exist, high + row);
    const __m512i lows = _mm512_maskz_loadu_epi8(exist, low + row);
    const __mmask64 at_min = _mm512_cmpeq_epi8_mask(highs, min_high);
    const __mmask64 at_max = _mm512_cmpeq_epi8_mask(highs, max_high);
    const __mmask64 enough =
        _mm512_cmpgt_epu8_mask(highs, min_high) | _mm512_mask_cmpge_epu8_mask(at_min, lows, min_low);
    const __mmask64 little =
        _mm512_cmplt_epu8_mask(highs, max_high) | _mm512_mask_cmple_epu8_mask(at_max, lows, max_low);
    mask[row / 64] &= enough & little;
  }
}

}  // namespace

const ByteKernels* avx512_byte_kernels() {
  static constexpr ByteKernels kKernels{
      .keep_equal_8 = keep_equal_8, .keep_between_8 = keep_between_8, .keep_between_8_8 = keep_between_8_8};
  static const bool supported = __builtin_cpu_supports("avx512bw") != 0;
  return supported ? &kKernels : nullptr;
}

}  // namespace pixledger::projections

#else

namespace pixledger::projections {

const ByteKernels* avx512_byte_kernels() { return nullptr; }

}  // namespace pixledger::projections

#endif
