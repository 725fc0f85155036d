#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/targets/target.h"

namespace pixledger {

inline constexpr std::string_view kTargetRule = "must be /DIR or file:///DIR";

// Returns the target of a URI, without reaching for it. Throws UsageError, which repeats no secret, if the
// URI is malformed.
std::unique_ptr<Target> open_target(const std::string& uri);

// The target of a URI, or of a directory that has a backup of `pixledger follow`; null for any other text,
// such as the directory of another backup. Throws UsageError for a malformed URI.
std::unique_ptr<Target> find_target(const std::string& text);

}  // namespace pixledger
