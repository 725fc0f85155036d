#pragma once

#include <string>
#include <string_view>

namespace pixledger::http {

// The text with "…" in the place of each absolute path of a file: what anybody may read says nothing of how
// the machine is laid out.
std::string without_paths(std::string_view text);

}  // namespace pixledger::http
