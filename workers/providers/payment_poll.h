#pragma once

#include <chrono>
#include <optional>
#include <string_view>
#include <vector>

#include "eventstore/platform/clock.h"
#include "eventstore/process/logging.h"
#include "projections/providers/provider_repository.h"
#include "workers/providers/bank_directory.h"
#include "workers/providers/payment_report.h"

namespace pixledger::workers {

// How often accounts are looked at, and how far back: banks show payments late, and tell of what went back of
// a payment only with that payment.
struct PollTier {
  std::chrono::milliseconds every;
  std::chrono::milliseconds back;
};
class PollPlan {
 public:
  static constexpr std::string_view kRule =
      "must be tiers separated by commas, each EVERY:BACK in s, min, m, h or d: 10s:15m,10m:24h,24h:100d";

  // Every 10 s the last 15 minutes, every 10 minutes the last day, every day the last 100 days.
  static PollPlan usual();
  static std::optional<PollPlan> parse(std::string_view text);

  const std::vector<PollTier>& tiers() const { return tiers_; }

 private:
  explicit PollPlan(std::vector<PollTier> tiers) : tiers_(std::move(tiers)) {}
  std::vector<PollTier> tiers_;
};

// Looks at a bank's account: all pages of a window, each payment into the ledger, and only then the cursor. A
// window that the bank does not manage, or with very many payments, is looked at by halves. Thread-safe.
class PaymentPoll {
 public:
  // All outlive it.
  PaymentPoll(const eventstore::Clock& clock, eventstore::Logger& logger, BankDirectory& banks,
              projections::ProviderRepository& database, const PaymentReport& report)
      : clock_(clock), logger_(logger), banks_(banks), database_(database), report_(report) {}

  // From `back` ago, or from where the last look ended if that is longer ago, to now. False when the bank did
  // not show all of it.
  bool look(const projections::NotedBank& bank, std::chrono::milliseconds back, BankPriority priority) const;

 private:
  bool look_at(const BankAtHand& bank, const domain::ProjectId& project, const PixWindow& window,
               BankPriority priority) const;
  bool look_at_halves(const BankAtHand& bank, const domain::ProjectId& project, const PixWindow& window,
                      BankPriority priority) const;
  bool report(const BankAtHand& bank, const domain::ProjectId& project, const BankPayments& found) const;

  const eventstore::Clock& clock_;
  eventstore::Logger& logger_;
  BankDirectory& banks_;
  projections::ProviderRepository& database_;
  const PaymentReport& report_;
};

}  // namespace pixledger::workers
