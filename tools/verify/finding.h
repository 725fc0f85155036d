#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "domain/event.h"

namespace pixledger::tools {

// Something that is wrong, at the position that shows it.
struct Finding {
  domain::Position position;
  std::string problem;
};

// The earlier of two.
inline void keep_first(std::optional<Finding>& first, Finding finding) {
  if (!first || finding.position < first->position) first = std::move(finding);
}

// Told how many events more have been read.
using VerifyProgress = std::function<void(std::uint64_t events)>;

}  // namespace pixledger::tools
