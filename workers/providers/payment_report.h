#pragma once

#include <variant>

#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/process/logging.h"
#include "workers/providers/api_pix/bank_answers.h"
#include "workers/providers/bank_directory.h"
#include "workers/providers/ledger_door.h"

namespace pixledger::workers {

// The charge that a txid names: of a bank's code, or of a static one made here.
std::optional<domain::ChargeId> charge_of(const domain::Txid& txid);

// Tells the ledger of payments that a bank has shown, and of what went back of them: all of it may be told
// any number of times, and counts once. Thread-safe.
class PaymentReport {
 public:
  // All outlive it.
  PaymentReport(const eventstore::Log& log, const eventstore::Clock& clock, eventstore::Logger& logger,
                const LedgerDoor& ledger)
      : log_(log), clock_(clock), logger_(logger), ledger_(ledger) {}

  // Of the account of that connection. What arrived on its key and fits no charge is recorded as that. False
  // when it has to be told again: the ledger takes no commands now, or the payment claims the future.
  bool report(const BankAtHand& bank, const domain::ProjectId& project, const BankPayment& payment) const;

 private:
  // Nothing: it is not ours to tell.
  using Match = std::variant<std::monostate, domain::Charge, domain::UnmatchedReason>;
  Match match(const BankAtHand& bank, const domain::ProjectId& project, const BankPayment& payment) const;
  bool has_same_key(const domain::Charge& charge, const BankAtHand& bank) const;
  bool report_paid(const BankAtHand& bank, const domain::Charge& charge, const BankPayment& payment) const;
  bool report_unmatched(const BankAtHand& bank, const domain::ProjectId& project, const BankPayment& payment,
                        domain::UnmatchedReason reason) const;
  void tell_refusal(const BankAtHand& bank, const BankPayment& payment) const;
  bool report_returns(const domain::UnmatchedPayment& unmatched, const BankPayment& payment) const;
  bool report_returns(const domain::UnappliedPayment& unapplied, const domain::ChargeId& charge,
                      const BankPayment& payment) const;
  bool report_returns(const domain::Charge& charge, const BankPayment& payment) const;

  const eventstore::Log& log_;
  const eventstore::Clock& clock_;
  eventstore::Logger& logger_;
  const LedgerDoor& ledger_;
};

}  // namespace pixledger::workers
