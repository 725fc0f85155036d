#include "workers/providers/payment_intake.h"

#include <algorithm>

namespace pixledger::workers {
namespace {

constexpr std::int64_t kLongestPauseMs = 3'600'000;

}  // namespace

domain::Timestamp PaymentIntake::again_at(domain::Timestamp paid_at) const {
  return std::min(paid_at.plus_millis(-domain::kPaymentAheadMsMax),
                  parts_.clock.now().plus_millis(kLongestPauseMs));
}

Taken PaymentIntake::take(const BankAtHand& bank, const domain::ProjectId& project,
                          const BankPayment& payment) const {
  const auto now = parts_.clock.now();
  if (payment.paid_at <= now.plus_millis(domain::kPaymentAheadMsMax))
    return parts_.report.report(bank, project, payment) ? Taken::kYes : Taken::kNotNow;
  const auto& connection = bank.connection.id;
  const auto kept =
      parts_.database.keep_payments(connection, {payment.end_to_end_id}, projections::ReadReason::kInFuture,
                                    now, again_at(payment.paid_at));
  // Where there is no room the account's polls see it again, once its time has come.
  if (kept != 0)
    parts_.logger.error("a payment at the bank claims the future and waits for its time",
                        {{"connection", connection.text()},
                         {"endToEndId", payment.end_to_end_id.text()},
                         {"claims", domain::to_iso8601(payment.paid_at)},
                         {"kept", kept.has_value()}});
  return Taken::kInFuture;
}

}  // namespace pixledger::workers
