#pragma once

#include <string_view>

namespace pixledger::domain {

// Who is named where a customer's personal data has been erased; their other personal fields are absent.
inline constexpr std::string_view kErasedName = "erased";

}  // namespace pixledger::domain
