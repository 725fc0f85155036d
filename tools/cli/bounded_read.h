#pragma once

#include <cstddef>
#include <istream>
#include <optional>
#include <string>

namespace pixledger::tools {

// All that the stream has; nullopt when that is more than `bytes_max`, of which hardly more is read.
std::optional<std::string> read_at_most(std::istream& in, std::size_t bytes_max);

}  // namespace pixledger::tools
