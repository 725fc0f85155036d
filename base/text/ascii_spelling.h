#pragma once

#include <cstdint>
#include <string_view>

namespace pixledger {

// How a character beyond ASCII is spelt in it where Unicode decomposes it to nothing of the kind: "ss" of ß,
// "o" of ø, "-" of an en dash, "EUR" of the euro sign. Empty for all others.
std::string_view ascii_spelling(std::int32_t code_point);

}  // namespace pixledger
