#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pixledger {

// Returns the name that is nearest to a misspelt one, by missing, extra, wrong or swapped letters; "" if none
// is near.
std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names);

}  // namespace pixledger
