#pragma once

#include <cstddef>
#include <string_view>

// Bodies that are files: the operations that take one say so, all others take JSON.
namespace pixledger::http {

inline constexpr std::string_view kFileType = "application/octet-stream";
inline constexpr std::size_t kFileBytesMax = std::size_t{8} << 20U;

}  // namespace pixledger::http
