#pragma once

#include <optional>

#include "domain/values/cuid.h"

namespace pixledger::domain {

// On whose behalf a command touches something.
struct Caller {
  std::optional<ProjectId> project;  // absent: an operator, who may touch every project's
  bool sandbox_only = false;         // a test key's: what is live is refused to it
};

// What the edge found out about a URL's host.
enum class TargetVerdict {
  kAllowed,
  kRefused,
  kUnknown,  // the name servers did not answer in time
};

}  // namespace pixledger::domain
