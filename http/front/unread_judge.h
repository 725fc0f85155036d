#pragma once

#include <cstdint>

#include "base/http/message/request.h"
#include "http/services/services.h"

namespace pixledger::http {

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
