#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "projections/list/text_scan.h"

namespace pixledger::projections {

// Needle::mark for a needle's bytes.
using MarkMatches = bool (*)(std::span<const Needle::Byte> needle, const char* text, std::size_t places,
                             std::uint64_t* matches);

// For any machine.
bool mark_matches_portable(std::span<const Needle::Byte> needle, const char* text, std::size_t places,
                           std::uint64_t* matches);

// Null when the machine lacks AVX-512.
MarkMatches avx512_mark_matches();

}  // namespace pixledger::projections
