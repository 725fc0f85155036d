#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/platform/entropy.h"

namespace pixledger::eventstore {

// In the order of their values: 0-9, A-Z, a-z.
inline constexpr std::string_view kBase62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

// As many characters as 256 bits take.
inline constexpr std::size_t kRandomBase62Characters = 43;

// 256 random bits, big-endian.
std::string random_base62(Entropy& entropy);

}  // namespace pixledger::eventstore
