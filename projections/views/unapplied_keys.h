#pragma once

#include <string_view>

namespace pixledger::projections {

// Of `meta`: how the keys of unapplied_of_project_key begin.
inline constexpr std::string_view kUnappliedKeys = "unapplied/";

}  // namespace pixledger::projections
