#pragma once

#include <cstddef>
#include <cstdint>

namespace pixledger::projections {

// The loops over byte columns, which most filters use; see block_mask.h.
struct ByteKernels {
  void (*keep_equal_8)(std::uint64_t* mask, const std::uint8_t* values, std::size_t rows,
                       std::uint8_t wanted);
  void (*keep_between_8)(std::uint64_t* mask, std::uint64_t* edges, const std::uint8_t* values,
                         std::size_t rows, std::uint8_t min, std::uint8_t max);
  void (*keep_between_8_8)(std::uint64_t* mask, const std::uint8_t* high, const std::uint8_t* low,
                           std::size_t rows, std::uint16_t min, std::uint16_t max);
};

// For any machine.
extern const ByteKernels kPortableByteKernels;

// Null when the machine lacks AVX-512.
const ByteKernels* avx512_byte_kernels();

}  // namespace pixledger::projections
