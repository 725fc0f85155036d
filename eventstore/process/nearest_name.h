#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace pixledger::eventstore {

// The name that somebody may have meant who has misspelt it: the nearest by letters that are missing, too
// many, wrong or swapped. "" where none is near.
std::string nearest_name(std::string_view misspelt, const std::vector<std::string>& names);

}  // namespace pixledger::eventstore
