#pragma once

#include <cstddef>

namespace pixledger::eventstore {

constexpr std::size_t kSaltBytes = 16;

}  // namespace pixledger::eventstore
