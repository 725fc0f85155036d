#pragma once

#include <cstddef>

namespace pixledger {

// Raises the process' limit of open descriptors to `wanted`, the hard limit too where it may, and returns
// what it is then: less where the system allows no more. Never lowers it.
std::size_t raise_descriptor_limit(std::size_t wanted);

}  // namespace pixledger
