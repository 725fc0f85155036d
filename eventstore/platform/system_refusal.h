#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace pixledger::eventstore {

// What a code of the system says that is refused for lack of something: room, a longer file, descriptors,
// memory. In words that say what to do. None of it is damage, and it may be there later. Nothing for all
// other codes.
std::optional<std::string> describe_refusal(int code);

// The same of a database whose map is used up.
inline constexpr std::string_view kMapIsFull = "a database is full: give it more room with --map-size";

// Whether a text is one of these. They name no path, and callers of the API may be told them.
bool is_refusal(std::string_view text);

// Why a write to a file ended early, as a code of the system: ENOSPC, EFBIG, or EIO when the system does not
// tell. LMDB reports every such write as an I/O error.
int cause_of_short_write(const std::filesystem::path& file);

}  // namespace pixledger::eventstore
