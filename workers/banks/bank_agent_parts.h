#pragma once

#include <chrono>
#include <cstdint>

#include "workers/banks/bank_agent.h"

// What the agent's files share.
namespace pixledger::workers {

// What nobody waits for is tried again in growing pauses, to this one.
constexpr std::chrono::seconds kLongestPause{600};
std::chrono::milliseconds pause_after(unsigned attempts);
// Until somebody may have seen to an alarm.
constexpr std::chrono::hours kPauseAfterRefusal{1};
// Within which whatever was sent without an answer has been taken by the bank, or never will be.
constexpr std::int64_t kUnderWayMsMax = 60'000;

// A piece of work about a charge.
struct BankAgent::Task {
  const stores::BankWork& work;
  const domain::Charge charge;
  const ResolvedBank bank;

  BankClient& client() const { return *bank.client; }
};

}  // namespace pixledger::workers
