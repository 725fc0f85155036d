#pragma once

#include <chrono>
#include <cstdint>

#include "base/http/message/request.h"
#include "http/front/caller.h"
#include "http/services/services.h"

namespace pixledger::http {

// Checks callers that have waited before they are sent anything. A sign-in may have been ended at another
// node or at the command line, so the accounts database is asked.

using SteadyTime = std::chrono::steady_clock::time_point;

// Whether, as of `since`, the sign-in is known to go on, or its end is known to refuse_ended_caller(). If
// false, ask again in some milliseconds.
bool is_caller_confirmed(const Services& services, const Caller& caller, SteadyTime since);

// The same for threads that may block for `patience`.
bool confirm_caller(const Services& services, const Caller& caller, SteadyTime since,
                    std::chrono::milliseconds patience);

// Whether unread data may still be sent: the caller has not ended, and no customer was erased since the data
// was made. Thread-safe. Services and request outlive it.
class UnreadJudge {
 public:
  UnreadJudge(const Services& services, const Request& request) : services_(services), request_(request) {}

  // The `made_at` of data that is about to be made.
  std::uint64_t now() const;
  bool may_be_sent(std::uint64_t made_at) const;

 private:
  const Services& services_;
  const Request& request_;
};

}  // namespace pixledger::http
