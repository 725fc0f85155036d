#pragma once

#include <chrono>
#include <functional>

#include "eventstore/platform/clock.h"
#include "eventstore/process/logging.h"
#include "projections/providers/provider_repository.h"
#include "workers/providers/bank_directory.h"
#include "workers/providers/payment_intake.h"

namespace pixledger::workers {

// Looks at a bank's account: all pages of a window, each payment into the ledger, and only then the cursor. A
// window that the bank does not manage, or with very many payments, is looked at by halves. Thread-safe.
class PaymentPoll {
 public:
  // All outlive it. `is_stopping` is asked before each page.
  struct Parts {
    const eventstore::Clock& clock;
    eventstore::Logger& logger;
    BankDirectory& banks;
    projections::ProviderRepository& database;
    const PaymentIntake& intake;
    std::function<bool()> is_stopping;
  };
  explicit PaymentPoll(Parts parts) : parts_(std::move(parts)) {}

  // From `back` ago, or from where the last look ended if that is longer ago, to now. False when the bank did
  // not show all of it, or the worker is to stop.
  bool look(const projections::NotedBank& bank, std::chrono::milliseconds back, BankPriority priority) const;

 private:
  struct Look {
    const BankAtHand& bank;
    const domain::ProjectId& project;
    BankPriority priority;
  };
  bool look_at(const Look& look, const PixWindow& window) const;
  BankResult<BankPixPage> ask(const Look& look, const PixWindow& window, std::int64_t page) const;
  bool look_at_halves(const Look& look, const PixWindow& window) const;
  bool take(const Look& look, const BankPayments& found) const;

  const Parts parts_;
};

}  // namespace pixledger::workers
