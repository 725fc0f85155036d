#include <cstdio>
#include <cstdlib>

#include "base/values/bit_mixer.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

using namespace domain;

std::uint64_t seed_from_environment(std::uint64_t otherwise) {
  const auto* text = std::getenv("PIXLEDGER_SEED");
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::uint64_t RandomNumbers::below(std::uint64_t end) { return splitmix64(seed_, drawn_++) % end; }

DocumentToken token_of(const ProjectId& project, const Document& document) {
  std::uint64_t hash = 0;
  for (const auto c : project.text() + "/" + document.text())
    hash = splitmix64(hash, static_cast<unsigned char>(c));
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(hash),
                static_cast<unsigned long long>(splitmix64(hash, 0)));
  return parsed<DocumentToken>(text);
}

}  // namespace pixledger::tests
