#pragma once

#include <atomic>
#include <cstdint>

namespace pixledger::http {

// What came of people's attempts to sign in, or to confirm who they are, since the process began.
struct SignInCounts {
  std::atomic<std::uint64_t> made{0};
  std::atomic<std::uint64_t> failed{0};
  // Not looked at, since too many of the address or account had failed.
  std::atomic<std::uint64_t> limited{0};
};

}  // namespace pixledger::http
