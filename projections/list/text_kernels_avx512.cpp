#include "projections/list/text_kernels.h"

#if defined(__x86_64__)

#include <immintrin.h>

#define PIXLEDGER_AVX512 __attribute__((target("avx512f,avx512bw")))

namespace pixledger::projections {
namespace {

// Returns which of the `wanted` places have the needle, out of 64. Reads nothing for other places.
PIXLEDGER_AVX512 inline std::uint64_t matches_at(std::span<const Needle::Byte> needle, const char* text,
                                                 std::uint64_t wanted) {
  for (std::size_t i = 0; i < needle.size() && wanted != 0; ++i) {
    const __m512i bytes = _mm512_maskz_loadu_epi8(wanted, text + needle[i].at);
    wanted = _mm512_mask_cmpeq_epi8_mask(wanted, bytes, _mm512_set1_epi8(needle[i].value));
  }
  return wanted;
}

PIXLEDGER_AVX512 bool mark_matches(std::span<const Needle::Byte> needle, const char* text, std::size_t places,
                                   std::uint64_t* matches) {
  const Needle::Byte rarest = needle.front();
  const Needle::Byte next = needle[needle.size() > 1 ? 1 : 0];
  const __m512i all_rarest = _mm512_set1_epi8(rarest.value);
  const __m512i all_next = _mm512_set1_epi8(next.value);
  std::uint64_t any = 0;
  std::size_t at = 0;
  for (; at + 64 <= places; at += 64) {
    const __mmask64 first = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(text + at + rarest.at), all_rarest);
    std::uint64_t found =
        _mm512_mask_cmpeq_epi8_mask(first, _mm512_loadu_si512(text + at + next.at), all_next);
    if (found != 0 && needle.size() > 2) found = matches_at(needle.subspan(2), text + at, found);
    matches[at / 64] = found;
    any |= found;
  }
  if (at < places) {
    const std::uint64_t last = matches_at(needle, text + at, (std::uint64_t{1} << (places - at)) - 1);
    matches[at / 64] = last;
    any |= last;
  }
  return any != 0;
}

}  // namespace

MarkMatches avx512_mark_matches() {
  static const bool supported = __builtin_cpu_supports("avx512bw") != 0;
  return supported ? mark_matches : nullptr;
}

}  // namespace pixledger::projections

#else

namespace pixledger::projections {

MarkMatches avx512_mark_matches() { return nullptr; }

}  // namespace pixledger::projections

#endif
