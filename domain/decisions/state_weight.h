#pragma once

#include <cstddef>
#include <optional>

#include "domain/decisions/dispatch.h"

namespace pixledger::domain {

// The approximate heap use of a state, in bytes: texts, lists and their contents.
std::size_t bytes_beside(const AggregateState& state);

// The weight of a cached state: one, plus one for each kBytesOfWeight bytes of heap.
constexpr std::size_t kBytesOfWeight = 1024;
std::size_t weight_of(const AggregateState* state);  // nullptr (no state) weighs one

}  // namespace pixledger::domain
