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

}  // namespace pixledger
