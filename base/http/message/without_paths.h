#pragma once

#include <string>
#include <string_view>

namespace pixledger::http {

// The text with "…" in place of the directories of each absolute path: what anybody may read names a file,
// and not where the machine keeps it.
std::string without_paths(std::string_view text);

}  // namespace pixledger::http
