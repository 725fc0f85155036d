#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace pixledger {

// The standard alphabet with padding (RFC 4648 section 4), on one line.
std::string to_base64(std::string_view bytes);

// nullopt unless `text` is exactly to_base64's output for some bytes: encodings are unique.
std::optional<std::string> bytes_from_base64(std::string_view text);

// The alphabet for URLs and file names, without padding (RFC 4648 §5).
std::string to_base64url(std::string_view bytes);

// nullopt unless `text` is exactly to_base64url's output for some bytes: encodings are unique.
std::optional<std::string> bytes_from_base64url(std::string_view text);

// The alphabet of capital letters and 2 to 7, without padding (RFC 4648 §6), for manual typing.
std::string to_base32(std::string_view bytes);

}  // namespace pixledger
