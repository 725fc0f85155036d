#pragma once

#include "base/platform/clock.h"
#include "base/platform/entropy.h"
#include "domain/values/cuid.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {

// A recipe for an id that has to be there before its event is, such as one that a secret is sealed for. The
// counter is random: two who mint at the same moment differ.
domain::IdMint fresh_recipe(const Log& log, const Clock& clock, Entropy& entropy);

}  // namespace pixledger::eventstore
