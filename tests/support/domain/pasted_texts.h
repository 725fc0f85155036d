#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/ascii.h"
#include "tests/support/domain/random_commands.h"

// Search texts as people paste them.
namespace pixledger::tests {

// As copied from a messenger, or from a statement in capitals.
inline std::string pasted(std::string text, RandomNumbers& random) {
  if (random.one_in(3)) std::transform(text.begin(), text.end(), text.begin(), to_ascii_upper);
  return random.one_in(2) ? "\u00a0" + text + " \u200b" : text;
}

// A document with dashes and digits of all kinds.
inline std::string written(const std::string& document, RandomNumbers& random) {
  const std::vector<std::string> signs{".", "-", "/", " ", "\u2011", "\u2013", "\u2212", "\u00a0", "\ufeff"};
  std::string text;
  for (const char digit : document) {
    if (random.one_in(4)) text += random.one_of(signs);
    text += random.one_in(3) ? std::string("\xef\xbc") + static_cast<char>(0x90 + (digit - '0'))
                             : std::string(1, digit);
  }
  return text;
}

}  // namespace pixledger::tests
