#pragma once

#include <chrono>

#include "base/platform/clock.h"

namespace pixledger::workers {

// Since the machine booted: never goes back and is never set, so what waits and what is counted goes by it.
using BootTime = std::chrono::milliseconds;

inline BootTime boot_time(const Clock& clock) { return BootTime(clock.boot_millis()); }

}  // namespace pixledger::workers
