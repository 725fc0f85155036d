// What banks tell, and what operators do about it.
#include <algorithm>

#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

using namespace domain;

RefundId RandomCommands::new_return_id() { return parsed<RefundId>("bank" + std::to_string(++ids_)); }

Command RandomCommands::word_of_bank() {
  switch (random_.below(6)) {
    case 0:
    case 1:
      return unmatched_payment();
    case 2:
    case 3:
      return operation_on_unmatched();
    case 4: {
      // A return that the bank makes by itself, now and then of more than there is.
      if (payments_.empty()) return unmatched_payment();
      const auto& payment = random_.one_of(payments_);
      const auto part = Cents(1 + static_cast<std::int64_t>(
                                      random_.below(2 * static_cast<std::uint64_t>(payment.amount.value()))));
      return ReportReversal{.project = payment.charge.project,
                            .charge = payment.charge.id,
                            .id = new_return_id(),
                            .return_id = parsed<ReturnId>(numbered("D", random_.one_in(5) ? 1 : ++ids_, 32)),
                            .amount = random_.one_in(2) ? payment.amount : part,
                            .reversed_at = random_.one_in(20) ? later(now_) : now_};
    }
    default:
      return end_of_return();
  }
}

Command RandomCommands::unmatched_payment() {
  if (connections_.empty()) return change_of_connection();
  auto known = random_.one_of(connections_);
  for (int tries = 0; tries < 4 && !known.is_of_bank; ++tries) known = random_.one_of(connections_);
  RecordUnmatchedPayment command{
      .project = random_.one_in(12) ? project() : known.project,
      .connection = known.id,
      .end_to_end_id = parsed<EndToEndId>(numbered("E12345678202603011200", ++ids_, 32)),
      .amount = charges_.empty() ? Cents(100) : charge().amount,
      .paid_at = random_.one_in(20) ? later(now_) : now_,
      .txid = std::nullopt,
      .reason = random_.one_in(2) ? UnmatchedReason::kNoTxid : UnmatchedReason::kUnknownCharge};
  // One that is known already, here or there.
  if (random_.one_in(6) && !payments_.empty()) command.end_to_end_id = random_.one_of(payments_).id;
  if (random_.one_in(6) && !unmatched_.empty()) command.end_to_end_id = random_.one_of(unmatched_).id;
  return command;
}

Command RandomCommands::operation_on_unmatched() {
  if (unmatched_.empty()) return unmatched_payment();
  // The newest are mostly those that are open.
  const auto newest = std::min<std::size_t>(unmatched_.size(), random_.one_in(4) ? unmatched_.size() : 4);
  const auto payment = unmatched_[unmatched_.size() - 1 - random_.below(newest)];
  const auto owner = random_.one_in(12) ? project() : payment.project;
  auto about = charge();
  for (int tries = 0; tries < 4 && about.project != owner; ++tries) about = charge();
  switch (random_.below(4)) {
    case 0:
      return AssignPayment{owner, payment.id, about.id};
    case 1:
      return ReportPayment{about.project, about.id, payment.id, payment.amount, std::nullopt};
    case 2:
      return ClosePayment{owner, payment.id, random_.one_in(2), reason()};
    default:
      // By the bank itself.
      return SettlePaymentReturn{payment.id, new_return_id(), now_};
  }
}

Command RandomCommands::end_of_return() {
  if (returns_.empty()) return operation_on_unmatched();
  const auto about = random_.one_of(returns_);
  const auto id = random_.one_in(10) ? new_return_id() : about.id;
  const auto at = random_.one_in(20) ? later(now_) : now_;
  const bool is_done = random_.one_in(2);
  if (about.stream.kind() == StreamKind::kPayment) {
    const auto payment = parsed<EndToEndId>(about.stream.key());
    if (is_done) return SettlePaymentReturn{payment, id, at};
    return FailPaymentReturn{payment, id, reason()};
  }
  const auto charge_id = parsed<ChargeId>(about.stream.key());
  if (about.unapplied && is_done) return SettleUnappliedReturn{charge_id, *about.unapplied, id, at};
  if (about.unapplied) return FailUnappliedReturn{charge_id, *about.unapplied, id, reason()};
  if (is_done) return SettleRefund{charge_id, id, at};
  return FailRefund{charge_id, id};
}

}  // namespace pixledger::tests
