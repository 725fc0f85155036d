#include "projections/list/block_mask.h"

#if defined(__x86_64__)

#include <immintrin.h>

// A comparison gives the bits of the mask at once. Loads are masked, so nothing behind the last row is read.
#define PIXLEDGER_AVX512 __attribute__((target("avx512f,avx512bw,popcnt")))

namespace pixledger::projections {
namespace {

// The rows of `first` to `first` + 63 that exist.
PIXLEDGER_AVX512 inline std::uint64_t existing(std::size_t first, std::size_t rows) {
  return rows - first >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (rows - first)) - 1;
}

PIXLEDGER_AVX512 void keep_equal_8(std::uint64_t* mask, const std::uint8_t* values, std::size_t rows,
                                   std::uint8_t wanted) {
  const __m512i all_wanted = _mm512_set1_epi8(static_cast<char>(wanted));
  for (std::size_t row = 0; row < rows; row += 64) {
    const __m512i value = _mm512_maskz_loadu_epi8(existing(row, rows), values + row);
    std::uint64_t& word = mask[row / 64];
    word = _mm512_mask_cmpeq_epi8_mask(word, value, all_wanted);
  }
}

PIXLEDGER_AVX512 void keep_between_8(std::uint64_t* mask, std::uint64_t* edges, const std::uint8_t* values,
                                     std::size_t rows, std::uint8_t min, std::uint8_t max) {
  const __m512i all_min = _mm512_set1_epi8(static_cast<char>(min));
  const __m512i all_max = _mm512_set1_epi8(static_cast<char>(max));
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
  const __m512i min_high = _mm512_set1_epi8(static_cast<char>(min >> 8));
  const __m512i min_low = _mm512_set1_epi8(static_cast<char>(min & 0xff));
  const __m512i max_high = _mm512_set1_epi8(static_cast<char>(max >> 8));
  const __m512i max_low = _mm512_set1_epi8(static_cast<char>(max & 0xff));
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

PIXLEDGER_AVX512 void keep_equal_16(std::uint64_t* mask, const std::uint16_t* values, std::size_t rows,
                                    std::uint16_t wanted) {
  const __m512i all_wanted = _mm512_set1_epi16(static_cast<short>(wanted));
  for (std::size_t row = 0; row < rows; row += 64) {
    const std::uint64_t exist = existing(row, rows);
    std::uint64_t hits = 0;
    for (unsigned part = 0; part < 64; part += 32) {
      const auto load = static_cast<__mmask32>(exist >> part);
      const __m512i value = _mm512_maskz_loadu_epi16(load, values + row + part);
      hits |= std::uint64_t{_mm512_mask_cmpeq_epi16_mask(load, value, all_wanted)} << part;
    }
    mask[row / 64] &= hits;
  }
}

PIXLEDGER_AVX512 void keep_between_32(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows,
                                      std::uint32_t min, std::uint32_t max) {
  const __m512i all_min = _mm512_set1_epi32(static_cast<int>(min));
  const __m512i all_width = _mm512_set1_epi32(static_cast<int>(max - min));
  for (std::size_t row = 0; row < rows; row += 64) {
    const std::uint64_t exist = existing(row, rows);
    std::uint64_t hits = 0;
    for (unsigned part = 0; part < 64; part += 16) {
      const auto load = static_cast<__mmask16>(exist >> part);
      const __m512i value = _mm512_maskz_loadu_epi32(load, values + row + part);
      const __m512i above_min = _mm512_sub_epi32(value, all_min);
      hits |= std::uint64_t{_mm512_mask_cmple_epu32_mask(load, above_min, all_width)} << part;
    }
    mask[row / 64] &= hits;
  }
}

PIXLEDGER_AVX512 void keep_equal_32(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows,
                                    std::uint32_t wanted) {
  keep_between_32(mask, values, rows, wanted, wanted);
}

PIXLEDGER_AVX512 void keep_between_64(std::uint64_t* mask, const std::int64_t* values, std::size_t rows,
                                      std::int64_t min, std::int64_t max) {
  const __m512i all_min = _mm512_set1_epi64(min);
  const __m512i all_max = _mm512_set1_epi64(max);
  for (std::size_t row = 0; row < rows; row += 64) {
    const std::uint64_t exist = existing(row, rows);
    std::uint64_t hits = 0;
    for (unsigned part = 0; part < 64; part += 8) {
      const auto load = static_cast<__mmask8>(exist >> part);
      const __m512i value = _mm512_maskz_loadu_epi64(load, values + row + part);
      const __mmask8 enough = _mm512_mask_cmpge_epi64_mask(load, value, all_min);
      hits |= std::uint64_t{_mm512_mask_cmple_epi64_mask(enough, value, all_max)} << part;
    }
    mask[row / 64] &= hits;
  }
}

PIXLEDGER_AVX512 void mark_members(std::uint64_t* mask, const std::uint32_t* values, std::size_t rows,
                                   const std::uint64_t* members) {
  const __m512i one = _mm512_set1_epi64(1);
  const __m512i bit_bits = _mm512_set1_epi64(63);
  for (std::size_t row = 0; row < rows; row += 64) {
    const std::uint64_t exist = existing(row, rows);
    std::uint64_t hits = 0;
    for (unsigned part = 0; part < 64; part += 8) {
      const auto load = static_cast<__mmask8>(exist >> part);
      const __m512i value =
          _mm512_cvtepu32_epi64(_mm512_castsi512_si256(_mm512_maskz_loadu_epi32(load, values + row + part)));
      const __m512i words =
          _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), load, _mm512_srli_epi64(value, 6), members, 8);
      const __m512i bit = _mm512_sllv_epi64(one, _mm512_and_si512(value, bit_bits));
      hits |= std::uint64_t{_mm512_mask_test_epi64_mask(load, words, bit)} << part;
    }
    mask[row / 64] = hits;
  }
}

PIXLEDGER_AVX512 std::size_t count(const std::uint64_t* mask, std::size_t rows) {
  long long total = 0;
  for (std::size_t i = 0; i < words_of(rows); ++i) total += _mm_popcnt_u64(mask[i]);
  return static_cast<std::size_t>(total);
}

}  // namespace

const MaskKernels* avx512_mask_kernels() {
  static const MaskKernels kernels{keep_equal_8,    keep_equal_16,    keep_equal_32,
                                   keep_between_8,  keep_between_8_8, keep_between_32,
                                   keep_between_64, mark_members,     count};
  static const bool supported = __builtin_cpu_supports("avx512bw") != 0;
  return supported ? &kernels : nullptr;
}

}  // namespace pixledger::projections

#else

namespace pixledger::projections {

const MaskKernels* avx512_mask_kernels() { return nullptr; }

}  // namespace pixledger::projections

#endif
