#pragma once

#include <string>
#include <string_view>

#include "projections/views/view_tables.h"

namespace pixledger::projections {

// Of `meta`: how the keys of unapplied_of_project_key begin.
inline constexpr std::string_view kUnappliedKeys = "unapplied/";

// Of `meta`: what a project has there of payments that fit no charge and are open, how many or how much.
std::string unmatched_of_project_key(const domain::ProjectId& project, domain::Environment environment,
                                     UnappliedPart part);

}  // namespace pixledger::projections
