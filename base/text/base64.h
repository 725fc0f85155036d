#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pixledger {

// The standard alphabet with padding (RFC 4648 section 4), on one line.
std::string to_base64(std::string_view bytes);

// Nothing unless `text` is exactly what to_base64 makes of some bytes: two texts never mean the same.
std::optional<std::string> bytes_from_base64(std::string_view text);

}  // namespace pixledger
