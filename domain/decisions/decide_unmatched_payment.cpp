
#include <cassert>

#include "domain/decisions/decide.h"

namespace pixledger::domain {
namespace {

Decision record(const UnmatchedPayment& payment, PaymentEvent event) {
  return record(payment_stream(payment.end_to_end_id), payment.project, std::move(event));
}

void add(Decision& decision, const UnmatchedPayment& payment, PaymentEvent event) {
  decision.events.push_back(
      {payment_stream(payment.end_to_end_id), payment.project, Event(std::move(event))});
}

// Its money is still where it arrived. What was closed without moving it may yet be told for a charge of
// another project, which has it then.
bool lies_aside(const UnmatchedPayment& payment, const StreamName* holder) {
  return is_open(payment) || (payment.state == UnmatchedState::kClosed && !holder);
}

// That return is on its way.
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
  // All of it had gone by itself.
  if (sum_of(payment->reversed) >= payment->amount)
    add(decision, *payment,
        PaymentReturned{payment->reversed.back().id, payment->reversed.back().reversed_at});
  return decision;
}

Decision decide(const UnmatchedPayment* payment, const StreamName* holder, const StreamName* counted,
                const ReportUnmatchedReversal& command, const Context& context) {
  assert(command.amount > Cents(0));
  if (!payment) return refuse(Rejection::kUnmatchedPaymentNotFound);
  // It went back of what is a charge's now, which it is to be told of.
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
  // What was asked for ends first: its bank has nothing left to send.
  if (gone == payment->amount && !is_returning)
    add(decision, *payment, PaymentReturned{command.id, command.reversed_at});
  return decision;
}

}  // namespace pixledger::domain
