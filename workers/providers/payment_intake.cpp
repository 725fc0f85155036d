#include "workers/providers/payment_intake.h"

#include <algorithm>

namespace pixledger::workers {
namespace {

constexpr std::int64_t kLongestPauseMs = 3'600'000;
constexpr std::int64_t kFirstPauseMs = 2'000;

}  // namespace

domain::Timestamp PaymentIntake::again_at(domain::Timestamp paid_at) const {
  return std::min(paid_at.plus_millis(-domain::kPaymentAheadMsMax),
                  parts_.clock.now().plus_millis(kLongestPauseMs));
}

Taken PaymentIntake::take(const BankAtHand& bank, const domain::ProjectId& project,
                          const BankPayment& payment) const {
  const auto now = parts_.clock.now();
  const auto& connection = bank.connection.id;
  if (payment.paid_at <= now.plus_millis(domain::kPaymentAheadMsMax)) {
    const auto told = parts_.report.report(bank, project, payment);
    if (told != Told::kLater) return told == Told::kYes ? Taken::kYes : Taken::kNotNow;
    const bool is_kept =
        parts_.database
            .keep_payments(connection, {payment.end_to_end_id}, projections::ReadReason::kRefused, now,
                           now.plus_millis(kFirstPauseMs))
            .has_value();
    return is_kept ? Taken::kLater : Taken::kNotNow;
  }
  const auto kept =
      parts_.database.keep_payments(connection, {payment.end_to_end_id}, projections::ReadReason::kInFuture,
                                    now, again_at(payment.paid_at));
  // Where there is no room the account's polls see it again, once its time has come.
  if (parts_.meters.on_misfit(connection, "payment_ahead", payment.end_to_end_id.text()))
    parts_.logger.error("a payment at the bank claims the future and waits for its time",
                        {{"connection", connection.text()},
                         {"endToEndId", payment.end_to_end_id.text()},
                         {"claims", domain::to_iso8601(payment.paid_at)},
                         {"kept", kept.has_value()}});
  return Taken::kInFuture;
}

}  // namespace pixledger::workers
