#pragma once

#include <cstddef>
#include <optional>

#include "domain/decisions/dispatch.h"

namespace pixledger::domain {

// What a state takes in memory beside itself, about: its texts, and its lists with theirs, in bytes.
std::size_t bytes_beside(const AggregateState& state);

// What a cache of states counts: one for each, and one more for every so many bytes beside it.
constexpr std::size_t kBytesOfWeight = 1024;
std::size_t weight_of(const AggregateState* state);  // nullptr: none, which weighs one as well

}  // namespace pixledger::domain
