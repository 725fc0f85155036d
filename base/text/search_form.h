#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "base/text/text.h"

namespace pixledger {

// fold(), with runs of blanks as one: people do not see how many there are. Taking it twice changes nothing.
inline std::string search_form(std::string_view text) {
  auto folded = fold(text);
  const auto end = std::unique(folded.begin(), folded.end(),
                               [](char one, char next) { return one == ' ' && next == ' '; });
  folded.erase(end, folded.end());
  return folded;
}

}  // namespace pixledger
