#pragma once

#include <chrono>
#include <cstdint>

#include "base/http/message/request.h"
#include "http/front/caller.h"
#include "http/services/services.h"

namespace pixledger::http {

// For what is to be sent to a caller who has waited. A sign-in may have been ended at another node, or at the
// command line, so that the accounts are asked.

using SteadyTime = std::chrono::steady_clock::time_point;

// Whether it is known, as of `since`, that the caller goes on, or refuse_ended_caller() tells the end. If
// not, ask again in some milliseconds.
bool is_caller_confirmed(const Services& services, const Caller& caller, SteadyTime since);

// The same for callers of it that may wait so long.
bool confirm_caller(const Services& services, const Caller& caller, SteadyTime since,
                    std::chrono::milliseconds patience);

// Whether what was made for a caller, and waits to be read, may still be sent: the caller has not ended, and
// no customer was erased since it was made. Thread-safe. Services and request outlive it.
class UnreadJudge {
 public:
  UnreadJudge(const Services& services, const Request& request) : services_(services), request_(request) {}

  // Before something is made.
  std::uint64_t now() const;
  bool may_be_sent(std::uint64_t made_at) const;

 private:
  const Services& services_;
  const Request& request_;
};

}  // namespace pixledger::http
