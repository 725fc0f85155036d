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

// What became of something that a bank shows and that was told to the ledger.
enum class Told {
  kYes,     // the ledger knows what there is to know
  kLater,   // it may not be recorded yet, or is refused: open work, to be told again
  kNotNow,  // the ledger takes no commands
};

// Of two things that were told about one payment: what is to be done about both.
constexpr Told worse(Told one, Told other) { return one < other ? other : one; }

// What the ledger has of a payment.
struct Recorded {
  domain::Cents amount;
  Timestamp paid_at;
};
std::optional<Recorded> recorded_in(const domain::Charge& charge, const domain::EndToEndId& id);

// Tells the ledger what a bank shows to have gone back of a payment. Each devolução counts once, by its id,
// however often it is shown; what cannot be counted is told to operators. Thread-safe.
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

  // Of money that fits no charge. What the bank sends back by itself counts part by part.
  Told report(const ResolvedBank& bank, const domain::UnmatchedPayment& unmatched,
              const BankPayment& payment) const;
  // Of a payment that counts for a charge, or, by the rule above, of what the charge has unapplied. Where no
  // bank moves the charge's money, refunds were done by hand: of what the bank shows those are not counted
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
  // That a return which was asked for will not come, and why.
  Told submit_failure(const Shown& shown, std::string_view why, domain::Command command) const;
  // Whether the alarm is news.
  bool is_news(const Shown& shown, std::string_view kind, std::string_view id) const;

  const Parts parts_;
};

}  // namespace pixledger::workers
