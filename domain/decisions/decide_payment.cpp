// Reports of gateways and operators about charges: payments that fit, payments that do not, and their
// settlement.

#include <algorithm>
#include <cassert>

#include "domain/aggregates/charge.h"
#include "domain/decisions/decide.h"
#include "domain/decisions/decision.h"
#include "domain/pix/payment_ids.h"

namespace pixledger::domain {
namespace {

Decision leave_unapplied(const Charge& charge, const ReportPayment& command, Timestamp paid_at,
                         PaymentFlag flag) {
  auto decision = record(charge, PaymentLeftUnapplied{.end_to_end_id = command.end_to_end_id,
                                                      .amount = command.amount,
                                                      .paid_at = paid_at,
                                                      .flag = flag});
  decision.outcome.flag = flag;
  return decision;
}

// A repeated report changes nothing, whatever happened to the payment; a different amount is refused.
Decision decide_repeat(const Charge& charge, const ReportPayment& command) {
  if (const auto counted = counted_payment(charge, command.end_to_end_id))
    return counted->payment.amount == command.amount ? nothing_to_do() : refuse(Rejection::kEndToEndIdTaken);
  const auto* flagged = find_payment(charge.unapplied, command.end_to_end_id);
  if (!flagged) flagged = find_payment(charge.returned, command.end_to_end_id);
  if (!flagged || flagged->amount != command.amount) return refuse(Rejection::kEndToEndIdTaken);
  auto decision = nothing_to_do();
  decision.outcome.flag = flagged->flag;
  return decision;
}

bool names(const UnmatchedPayment& unmatched, const Charge& charge) {
  return unmatched.txid && charge_named_by(*unmatched.txid) == charge.id;
}

// Whether the unmatched payment fits this charge as reported now.
bool fits(const UnmatchedPayment& unmatched, const Charge& charge, const ReportPayment& command) {
  return is_open(unmatched) && unmatched.project == charge.project &&
         unmatched.environment == charge.environment && unmatched.amount == command.amount;
}

// Whether the payment is closed without return in another project, whose bank also reported it. It can then
// be reported for its real charge.
bool was_left(const UnmatchedPayment& unmatched, const Charge& charge, const ReportPayment& command) {
  return unmatched.state == UnmatchedState::kClosed && unmatched.project != charge.project &&
         unmatched.environment == charge.environment && unmatched.amount == command.amount;
}

void add(Decision& decision, const Charge& charge, ChargeEvent event) {
  decision.events.push_back({charge_stream(charge.id), charge.project, std::move(event)});
}

void add_reversal(Decision& decision, const Charge& charge, const EndToEndId& unapplied,
                  const ReversedPart& part) {
  add(decision, charge,
      UnappliedPaymentReversed{unapplied, part.id, part.return_id, part.amount, part.reversed_at});
}

// Earlier returns of a payment that now counts for the charge. Each return counts once, for the first charge.
void add_reversals(Decision& decision, const Charge& charge, const std::vector<ReversedPart>& parts,
                   const HasCounted& counted, const std::optional<EndToEndId>& added = std::nullopt) {
  for (const auto& part : parts)
    if (!counted(part.return_id))
      add(decision, charge, PaymentReversed{part.id, part.return_id, part.amount, part.reversed_at, added});
}

std::optional<Cents> fee_of_payment(const Project* project, Cents paid) {
  if (!project) return std::nullopt;
  return fee_of(project->settings, paid);
}

void add_returned(Decision& decision, const Charge& charge, const EndToEndId& payment,
                  const ReversedPart& last) {
  add(decision, charge,
      UnappliedPaymentReturned{
          .end_to_end_id = payment, .reason = std::nullopt, .id = last.id, .returned_at = last.reversed_at});
}

}  // namespace

std::optional<PaymentFlag> flag_of(const Charge& charge, Cents amount, Timestamp paid_at) {
  switch (charge.status) {
    case ChargeStatus::kPaid:
    case ChargeStatus::kRefunded:
      return PaymentFlag::kDuplicatePayment;
    case ChargeStatus::kCancelled:
    case ChargeStatus::kFailed:
      return PaymentFlag::kPaidAfterClose;
    case ChargeStatus::kExpired:
    case ChargeStatus::kWaitingPayment:
      // A payment made in time counts even if reported late.
      if (paid_at >= charge.expires_at) return PaymentFlag::kPaidAfterExpiry;
      // The sandbox can expire a charge early.
      if (charge.expired_at && paid_at >= *charge.expired_at) return PaymentFlag::kPaidAfterExpiry;
      break;
    case ChargeStatus::kProcessing:
      break;
  }
  if (amount != charge.amount) return PaymentFlag::kAmountMismatch;
  return std::nullopt;
}

bool is_before(const Charge& charge, Timestamp paid_at) {
  return paid_at < charge.created_at.plus_millis(-kPaymentBeforeChargeMsMax);
}

std::optional<Timestamp> paid_after(const Charge& charge, const EndToEndId& id, bool names_charge,
                                    Timestamp now) {
  const auto minute = minute_of(id);
  const bool is_later = minute && !is_before(charge, *minute) && *minute <= now;
  if (is_later) return std::max(*minute, charge.created_at);
  return names_charge ? std::optional(charge.created_at) : std::nullopt;
}

Decision decide(const Charge* charge, const Project* project, const UnmatchedPayment* unmatched,
                const StreamName* holder, const HasCounted& counted, const ReportPayment& reported,
                const Context& context) {
  // The bank's time takes precedence.
  auto command = reported;
  if (unmatched) command.paid_at = unmatched->paid_at;
  assert(command.amount > Cents(0));
  if (!charge || charge->project != command.project) return refuse(Rejection::kTransactionNotFound);
  if (command.paid_at && *command.paid_at > context.now.plus_millis(kPaymentAheadMsMax))
    return after_expiry(*charge, context.now, refuse(Rejection::kPaymentInFuture));
  if (holder && *holder != charge_stream(charge->id))
    return after_expiry(*charge, context.now, refuse(Rejection::kEndToEndIdTaken));
  if (holder) return after_expiry(*charge, context.now, decide_repeat(*charge, command));
  const bool is_left = unmatched && was_left(*unmatched, *charge, command);
  if (unmatched && !is_left && !fits(*unmatched, *charge, command))
    return after_expiry(*charge, context.now, refuse(Rejection::kPaymentUnmatched));
  // An older time from a bank may be corrected: see paid_after().
  if (unmatched && is_before(*charge, *command.paid_at)) {
    const auto later = paid_after(*charge, command.end_to_end_id, names(*unmatched, *charge), context.now);
    command.paid_at = later.value_or(*command.paid_at);
  }
  if (command.paid_at && is_before(*charge, *command.paid_at))
    return after_expiry(*charge, context.now, refuse(Rejection::kPaymentBeforeCharge));
  const auto paid_at = command.paid_at.value_or(context.now);
  const auto flag = flag_of(*charge, command.amount, paid_at);
  auto decision = flag ? leave_unapplied(*charge, command, paid_at, *flag)
                       : record(*charge, ChargePaid{.end_to_end_id = command.end_to_end_id,
                                                    .amount = command.amount,
                                                    .paid_at = paid_at,
                                                    .fee = fee_of_payment(project, command.amount)});
  if (unmatched && !is_left) {
    decision.events.insert(decision.events.begin(), {payment_stream(command.end_to_end_id), charge->project,
                                                     PaymentEvent(PaymentAssigned{charge->id})});
    if (flag)
      for (const auto& part : unmatched->reversed)
        add_reversal(decision, *charge, command.end_to_end_id, part);
    else
      add_reversals(decision, *charge, unmatched->reversed, counted);
  }
  return flag ? after_expiry(*charge, context.now, std::move(decision)) : decision;
}

Decision decide(const Charge* charge, const StartProcessing&, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!awaits_payment(*charge, context.now)) return refuse_for_status(*charge, context.now);
  return record(*charge, ChargeProcessingStarted{});
}

Decision decide(const Charge* charge, const FailCharge& command, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!can_fail(*charge, context.now)) return refuse_for_status(*charge, context.now);
  return record(*charge, ChargeFailed{command.reason});
}

Decision decide(const Charge* charge, const Project* project, const HasCounted& counted,
                const AcceptUnappliedPayment& command, const Context& context) {
  if (!charge || charge->project != command.project) return refuse(Rejection::kTransactionNotFound);
  if (command.add && counted_payment(*charge, command.end_to_end_id)) return nothing_to_do();
  const auto* unapplied = find_payment(charge->unapplied, command.end_to_end_id);
  if (!unapplied) return after_expiry(*charge, context.now, refuse(Rejection::kPaymentNotFound));
  if (unapplied->return_id) return after_expiry(*charge, context.now, refuse(Rejection::kPaymentGoesBack));
  const auto fee = fee_of_payment(project, unapplied->amount);
  if (command.add) {
    if (charge->status != ChargeStatus::kPaid) return refuse_for_status(*charge, context.now);
    if (charge->added.size() + 1 >= kCountedPaymentsMax) return refuse(Rejection::kTransactionStatus);
    auto decision = record(*charge, UnappliedPaymentAdded{command.end_to_end_id, fee});
    add_reversals(decision, *charge, unapplied->reversed, counted, command.end_to_end_id);
    return decision;
  }
  // Requires `add` to count a further payment: the payer may have paid twice.
  if (charge->payment) return refuse(Rejection::kTransactionStatus);
  auto decision = record(*charge, UnappliedPaymentAccepted{command.end_to_end_id, fee});
  add_reversals(decision, *charge, unapplied->reversed, counted);
  return decision;
}

Decision decide(const Charge* charge, const UnmatchedPayment* unmatched,
                const ReturnUnappliedPayment& command, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  const auto answer = [&](Decision decision) {
    return after_expiry(*charge, context.now, std::move(decision));
  };
  const auto* unapplied = find_payment(charge->unapplied, command.end_to_end_id);
  if (!unapplied) return answer(refuse(Rejection::kPaymentNotFound));
  if (unapplied->return_id) return answer(refuse(Rejection::kPaymentGoesBack));
  if (!command.send_back)
    return answer(record(*charge, UnappliedPaymentReturned{command.end_to_end_id, command.reason}));
  if (!charge->through_bank && !unmatched) return answer(refuse(Rejection::kPaymentOutsideBank));
  if (context.now > unapplied->paid_at.plus_millis(kRefundWindowMs))
    return answer(refuse(Rejection::kRefundWindowOver));
  return answer(record(*charge, UnappliedReturnRequested{.id = mint_refund_id(context.ids),
                                                         .end_to_end_id = command.end_to_end_id,
                                                         .reason = command.reason}));
}

Decision decide(const Charge* charge, const SettleUnappliedReturn& command, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  const auto* unapplied = find_payment(charge->unapplied, command.end_to_end_id);
  if (!unapplied || unapplied->return_id != command.id) return nothing_to_do();
  if (command.returned_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  return after_expiry(*charge, context.now,
                      record(*charge, UnappliedPaymentReturned{.end_to_end_id = command.end_to_end_id,
                                                               .reason = std::nullopt,
                                                               .id = command.id,
                                                               .returned_at = command.returned_at}));
}

Decision decide(const Charge* charge, const FailUnappliedReturn& command, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  const auto* unapplied = find_payment(charge->unapplied, command.end_to_end_id);
  if (!unapplied || unapplied->return_id != command.id) return nothing_to_do();
  auto decision = record(
      *charge, UnappliedReturnFailed{
                   .id = command.id, .end_to_end_id = command.end_to_end_id, .reason = command.reason});
  // The bank had already returned all of it by itself.
  if (sum_of(unapplied->reversed) >= unapplied->amount)
    add_returned(decision, *charge, command.end_to_end_id, unapplied->reversed.back());
  return after_expiry(*charge, context.now, std::move(decision));
}

Decision decide(const Charge* charge, const StreamName* holder, const ReportUnappliedReversal& command,
                const Context& context) {
  assert(command.amount > Cents(0));
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  const auto* open = find_payment(charge->unapplied, command.end_to_end_id);
  const auto* payment = open ? open : find_payment(charge->returned, command.end_to_end_id);
  // The payment was accepted meanwhile: the caller must report this return as a refund.
  if (!payment) return after_expiry(*charge, context.now, refuse(Rejection::kPaymentNotFound));
  if (payment->returned_at || payment->return_id == command.id) return nothing_to_do();
  if (holder || has_counted(payment->reversed, command.id, command.return_id)) return nothing_to_do();
  if (command.reversed_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  const auto gone = sum_of(payment->reversed) + command.amount;
  if (gone > payment->amount) return refuse(Rejection::kRefundNotAllowed);
  const ReversedPart part{command.id, command.return_id, command.amount, command.reversed_at};
  Decision decision;
  add_reversal(decision, *charge, command.end_to_end_id, part);
  // A pending return ends first: its bank has nothing left to send.
  if (open && !open->return_id && gone == payment->amount)
    add_returned(decision, *charge, command.end_to_end_id, part);
  return after_expiry(*charge, context.now, std::move(decision));
}

namespace {

Decision record(const UnmatchedPayment& payment, PaymentEvent event) {
  return record(payment_stream(payment.end_to_end_id), payment.project, std::move(event));
}

void add(Decision& decision, const UnmatchedPayment& payment, PaymentEvent event) {
  decision.events.push_back(
      {payment_stream(payment.end_to_end_id), payment.project, Event(std::move(event))});
}

// Whether the money has not moved. A payment closed without return may later be claimed by a charge of
// another project.
bool lies_aside(const UnmatchedPayment& payment, const StreamName* holder) {
  return is_open(payment) || (payment.state == UnmatchedState::kClosed && !holder);
}

// Whether that return is pending.
bool was_asked_for(const UnmatchedPayment& payment, const RefundId& id) {
  return payment.state == UnmatchedState::kReturning && payment.return_id == id;
}

}  // namespace

Decision decide(const Project* project, const UnmatchedPayment* known, const StreamName* holder,
                const RecordUnmatchedPayment& command, const Context& context) {
  assert(command.amount > Cents(0));
  if (!project) return refuse(Rejection::kProjectNotFound);
  const auto* connection = connection_of(*project, command.connection);
  if (!connection) return refuse(Rejection::kUnknownConnection);
  if (!connection->api_pix) return refuse(Rejection::kNotApiPix);
  if (known || holder) return nothing_to_do();
  if (command.paid_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  return record(payment_stream(command.end_to_end_id), command.project,
                PaymentEvent(PaymentUnmatched{.end_to_end_id = command.end_to_end_id,
                                              .project = command.project,
                                              .environment = connection->environment,
                                              .connection = command.connection,
                                              .amount = command.amount,
                                              .paid_at = command.paid_at,
                                              .txid = command.txid,
                                              .reason = command.reason}));
}

Decision decide(const UnmatchedPayment* payment, const Charge* charge, const Project* project,
                const StreamName* holder, const HasCounted& counted, const AssignPayment& command,
                const Context& context) {
  if (!payment || payment->project != command.project) return refuse(Rejection::kUnmatchedPaymentNotFound);
  if (!is_open(*payment)) return refuse(Rejection::kUnmatchedPaymentSettled);
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (charge->project != command.project) return refuse(Rejection::kTransactionOfAnotherProject);
  if (charge->environment != payment->environment) return refuse(Rejection::kPaymentOfOtherEnvironment);
  return decide(charge, project, payment, holder, counted,
                ReportPayment{.project = command.project,
                              .charge = command.charge,
                              .end_to_end_id = command.end_to_end_id,
                              .amount = payment->amount,
                              .paid_at = payment->paid_at},
                context);
}

Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const ClosePayment& command,
                const Context& context) {
  if (!payment || payment->project != command.project) return refuse(Rejection::kUnmatchedPaymentNotFound);
  if (payment->state == UnmatchedState::kReturning) return refuse(Rejection::kPaymentGoesBack);
  const bool can_close = command.send_back ? lies_aside(*payment, holder) : is_open(*payment);
  if (!can_close) return refuse(Rejection::kUnmatchedPaymentSettled);
  if (!command.send_back) return record(*payment, PaymentClosed{command.reason});
  if (context.now > payment->paid_at.plus_millis(kRefundWindowMs))
    return refuse(Rejection::kRefundWindowOver);
  return record(*payment,
                PaymentReturnRequested{.id = mint_refund_id(context.ids), .reason = command.reason});
}

Decision decide(const UnmatchedPayment* payment, const SettlePaymentReturn& command, const Context& context) {
  if (!payment) return refuse(Rejection::kUnmatchedPaymentNotFound);
  if (!was_asked_for(*payment, command.id)) return nothing_to_do();
  if (command.returned_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  return record(*payment, PaymentReturned{.id = command.id, .returned_at = command.returned_at});
}

Decision decide(const UnmatchedPayment* payment, const FailPaymentReturn& command, const Context&) {
  if (!payment) return refuse(Rejection::kUnmatchedPaymentNotFound);
  if (!was_asked_for(*payment, command.id)) return nothing_to_do();
  auto decision = record(*payment, PaymentReturnFailed{.id = command.id, .reason = command.reason});
  // The bank had already returned all of it by itself.
  if (sum_of(payment->reversed) >= payment->amount)
    add(decision, *payment,
        PaymentReturned{payment->reversed.back().id, payment->reversed.back().reversed_at});
  return decision;
}

Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const StreamName* counted,
                const ReportUnmatchedReversal& command, const Context& context) {
  assert(command.amount > Cents(0));
  if (!payment) return refuse(Rejection::kUnmatchedPaymentNotFound);
  // The payment is now a charge's: the return must be reported for that charge.
  if (payment->state == UnmatchedState::kAssigned) return refuse(Rejection::kUnmatchedPaymentSettled);
  const bool is_returning = payment->state == UnmatchedState::kReturning;
  if (!is_returning && !lies_aside(*payment, holder)) return nothing_to_do();
  if (counted || has_counted(payment->reversed, command.id, command.return_id) ||
      was_asked_for(*payment, command.id))
    return nothing_to_do();
  if (command.reversed_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  const auto gone = sum_of(payment->reversed) + command.amount;
  if (gone > payment->amount) return refuse(Rejection::kRefundNotAllowed);
  auto decision = record(
      *payment, UnmatchedPaymentReversed{command.id, command.return_id, command.amount, command.reversed_at});
  // A pending return ends first: its bank has nothing left to send.
  if (gone == payment->amount && !is_returning)
    add(decision, *payment, PaymentReturned{command.id, command.reversed_at});
  return decision;
}

}  // namespace pixledger::domain
