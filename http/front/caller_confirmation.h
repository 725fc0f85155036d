#pragma once

#include <chrono>

#include "http/front/caller.h"
#include "http/services/services.h"

// For what is to be sent to a caller who has waited. A sign-in may have been ended at another node, or at the
// command line, so that the accounts are asked.
namespace pixledger::http {

using SteadyTime = std::chrono::steady_clock::time_point;

// Whether it is known, as of `since`, that the caller goes on, or refuse_ended_caller() tells the end. If
// not, ask again in some milliseconds.
bool is_caller_confirmed(const Services& services, const Caller& caller, SteadyTime since);

// The same for callers of it that may wait so long.
bool confirm_caller(const Services& services, const Caller& caller, SteadyTime since,
                    std::chrono::milliseconds patience);

}  // namespace pixledger::http
