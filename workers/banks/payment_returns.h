#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "workers/banks/api_pix/bank_answers.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/banks/command_submitter.h"

namespace pixledger::workers {

// The outcome of reporting to the ledger what a bank shows.
enum class Told {
  kYes,     // the ledger has all of it
  kLater,   // cannot be recorded yet, or is refused: open work, to be reported again
  kNotNow,  // the ledger takes no commands
};

// Combines the outcomes of two reports about one payment.
constexpr Told worse(Told one, Told other) { return one < other ? other : one; }

// What the ledger has of a payment.
struct Recorded {
  domain::Cents amount;
  Timestamp paid_at;
};
std::optional<Recorded> recorded_in(const domain::Charge& charge, const domain::EndToEndId& id);

// Records in the ledger what a bank shows as returned of a payment. Each devolução counts once, by its id;
// those that cannot be counted are reported to operators. Thread-safe.
class PaymentReturns {
 public:
  // All outlive it.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankMeters& meters;
    const CommandSubmitter& ledger;
    stores::ProviderRepository& database;
  };
  explicit PaymentReturns(const Parts& parts) : parts_(parts) {}

  // Reports returns of a payment that matches no charge. What the bank returns by itself counts part by part.
  Told report(const ResolvedBank& bank, const domain::UnmatchedPayment& unmatched,
              const BankPayment& payment) const;
  // Reports returns of a payment that counts for a charge or, by the rule above, is unapplied to it. If no
  // bank moves the charge's money, refunds were made by hand; those that the bank shows are not counted
  // again.
  Told report(const ResolvedBank& bank, const domain::Charge& charge, const BankPayment& payment) const;

 private:
  struct Shown;
  struct Aside;
  std::vector<BankRefund> distinct(const Shown& shown) const;
  Aside aside(const Shown& shown, const std::optional<domain::RefundId>& asked,
              const std::vector<domain::ReversedPart>& known) const;
  Timestamp settled_at(const BankRefund& back) const;
  Told report_unapplied(const Shown& shown, const domain::ChargeId& charge,
                        const domain::UnappliedPayment& unapplied) const;
  Told report_refunds(const Shown& shown, const domain::Charge& charge, domain::Cents by_hand) const;
  Told report_refund(const Shown& shown, const domain::Charge& charge, const BankRefund& back) const;
  Told submit(const Shown& shown, std::string_view id, domain::Command command) const;
  // Records that a requested return will not come, and why.
  Told submit_failure(const Shown& shown, std::string_view why, domain::Command command) const;
  // Returns whether the alarm is new.
  bool is_news(const Shown& shown, std::string_view kind, std::string_view id) const;

  const Parts parts_;
};

}  // namespace pixledger::workers
