#pragma once

#include <initializer_list>
#include <string>
#include <string_view>

namespace pixledger::http {

// An id of the form of a CUID that is a function of the parts: for what has no id of its own in the ledger.
// Different parts, different ids.
std::string derived_id(std::initializer_list<std::string_view> parts);

}  // namespace pixledger::http
