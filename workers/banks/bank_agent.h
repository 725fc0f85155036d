#pragma once

#include <chrono>
#include <optional>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "eventstore/log/log.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/command_submitter.h"
#include "workers/banks/payment_intake.h"

namespace pixledger::workers {

// Carries out one piece of work at its bank and records the outcome in the ledger. If an answer was lost,
// reads the bank's state before it sends the request again. A code that may be payable, or a payment that may
// be under way, counts as such until the bank says otherwise. "Unknown" does not end that for a code or
// payment that the bank has reported before: an address or account may be wrong. Then it raises an alarm and
// retries. Thread-safe.
class BankAgent {
 public:
  struct Parts {
    const eventstore::Log& log;
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    BankMeters& meters;
    stores::ProviderRepository& database;
    const CommandSubmitter& ledger;
    const PaymentIntake& payments;
    const stores::EventTraces* traces = nullptr;  // null: no trace is continued
  };
  explicit BankAgent(const Parts& parts) : parts_(parts), began_at_(parts.clock.now()) {}

  // Returns the pause before the next try, or nullopt if nothing is left to do. Work also leaves the list
  // when the ledger records its outcome.
  std::optional<std::chrono::milliseconds> carry_out(const stores::BankWork& work) const;

 private:
  using Again = std::optional<std::chrono::milliseconds>;
  struct Task;
  struct Return;

  Again make_code(const Task& task) const;
  Again take_back(const Task& task) const;
  Again refund(const Task& task) const;
  Again remove_code(const Task& task) const;
  Again end_code_wait(const Task& task) const;
  Again send_unapplied_back(const Task& task) const;
  Again send_unmatched_back(const stores::BankWork& work) const;
  Again send_back(const stores::BankWork& work, const ResolvedBank& bank, const Return& wanted) const;
  Again submit(const stores::BankWork& work, domain::Command command) const;
  void alarm(const stores::BankWork& work, std::string_view what) const;
  BankTurn turn(const stores::BankWork& work, BankPriority priority, std::chrono::milliseconds wait) const;
  std::optional<TraceContext> trace_of(const stores::BankWork& work) const;

  const Parts parts_;
  const Timestamp began_at_;  // an earlier process may have sent requests before
};

// Work that no caller waits for is retried after growing pauses, up to this one.
constexpr std::chrono::seconds kLongestPause{600};
std::chrono::milliseconds pause_after(unsigned attempts);

}  // namespace pixledger::workers
