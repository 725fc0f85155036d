#include <algorithm>
#include <cassert>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/field.h"
#include "domain/decisions/decide.h"
#include "domain/decisions/decision.h"

namespace pixledger::domain {
namespace {

bool changes_terms(const ConnectionChange& change) {
  return change.pix_key || change.code || change.fallback || change.code_deadline_ms;
}

Connection changed(Connection connection, const ConnectionChange& change) {
  take_over(connection.alias, change.alias);
  if (change.provider_name) connection.provider_name = change.provider_name->text();
  take_over(connection.state, change.state);
  if (auto& terms = connection.api_pix) {
    take_over(terms->pix_key, change.pix_key);
    take_over(terms->code, change.code);
    take_over(terms->fallback, change.fallback);
    take_over(terms->code_deadline_ms, change.code_deadline_ms);
  }
  return connection;
}

NewEvent configured(const ConnectionId& id, const ProjectId& project,
                    const BankConfiguration& configuration) {
  return {connection_stream(id), project,
          BankConnectionEvent(
              ConnectionConfigured{.id = id, .project = project, .configuration = configuration})};
}

}  // namespace

Decision decide(const Project* project, const BankConnection* there, const AddBankConnection& command,
                const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (has_alias(*project, command.environment, command.alias))
    return refuse(Rejection::kConnectionAliasTaken);
  if (project->connections.size() >= kConnectionsPerProjectMax) return refuse(Rejection::kConnectionLimit);
  if (there || connection_of(*project, command.id)) return refuse(Rejection::kConnectionChangedMeanwhile);
  Connection connection{.id = command.id,
                        .alias = command.alias,
                        .provider_id = std::string(kApiPixProvider),
                        .provider_name = command.provider_name.text(),
                        .environment = command.environment,
                        .api_pix = command.api_pix};
  auto decision = record(project_stream(command.project), command.project,
                         ProjectEvent(ConnectionAdded{std::move(connection)}));
  decision.events.push_back(configured(command.id, command.project, command.configuration));
  return decision;
}

Decision decide(const Project* project, const BankConnection* bank, const ChangeConnection& command,
                const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  const auto* before = connection_of(*project, command.connection);
  if (!before) return refuse(Rejection::kUnknownConnection);
  if (!before->api_pix && (command.configuration || changes_terms(command.change)))
    return refuse(Rejection::kNotApiPix);
  auto after = changed(*before, command.change);
  if (after.alias != before->alias && has_alias(*project, after.environment, after.alias))
    return refuse(Rejection::kConnectionAliasTaken);
  if (!after.is_enabled() && default_connection(*project, after.environment) == before)
    return refuse(Rejection::kConnectionIsDefault);
  if (command.configuration && (!bank || bank->revision != command.configuration->made_from))
    return refuse(Rejection::kConnectionChangedMeanwhile);
  Decision decision;
  if (after != *before)
    decision = record(project_stream(command.project), command.project,
                      ProjectEvent(ConnectionChanged{std::move(after)}));
  if (command.configuration && command.configuration->configuration != bank->configuration)
    decision.events.push_back(
        configured(command.connection, command.project, command.configuration->configuration));
  return decision;
}

Decision decide(const BankConnection* bank, const NoteCallback& command, const Context&) {
  if (!bank) return refuse(Rejection::kUnknownConnection);
  if (bank->callback_url == command.url) return nothing_to_do();
  const auto stream = connection_stream(bank->id);
  if (!command.url) return record(stream, bank->project, BankConnectionEvent(CallbackRemoved{}));
  return record(stream, bank->project, BankConnectionEvent(CallbackRegistered{*command.url}));
}

// Reports of the bank about charges that go through it.

namespace {

// Banks assign devolução ids per payment, so two payments can have the same one.
bool has_gone_back(const Charge& charge, const EndToEndId& payment, const RefundId& id) {
  return std::any_of(charge.refund_list.begin(), charge.refund_list.end(), [&](const Refund& refund) {
    return refund.id == id && refund.status == RefundStatus::kDone &&
           payment_of(charge, refund.payment) == payment;
  });
}

// Whether that amount is still left in this payment and in all payments together. Returns never exceed what
// was paid.
bool is_left(const Charge& charge, const EndToEndId& payment, Cents amount) {
  const auto counted = counted_payment(charge, payment);
  return counted && counted->gone_back + amount <= counted->payment.amount &&
         charge.refunded + amount <= charge.payment->amount;
}

}  // namespace

ChargeEvent end_of_code_wait(const Charge& charge, Timestamp now) {
  // The static code is shown during the wait, so the charge may already have been paid with it.
  if (charge.code_fallback == CodeFallback::kNone && now >= *charge.code_awaited_until) return ChargeFailed{};
  return ChargeCodeSet{.kind = CodeKind::kStatic, .pix_code = charge.pix_code};
}

Decision decide(const Charge* charge, const SetChargeCode& command, const Context&) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!awaits_code(*charge)) return nothing_to_do();
  return record(*charge, ChargeCodeSet{.kind = CodeKind::kDynamic, .pix_code = command.pix_code});
}

Decision decide(const Charge* charge, const EndCodeWait&, const Context&) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!awaits_code(*charge)) return nothing_to_do();
  return record(*charge, end_of_code_wait(*charge, *charge->code_awaited_until));
}

Decision decide(const Charge* charge, const ConfirmCancel&, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!charge->cancel_requested_at) return nothing_to_do();
  if (awaits_payment(*charge, context.now)) return record(*charge, ChargeCancelled{});
  return after_expiry(*charge, context.now, record(*charge, ChargeCancelDropped{}));
}

Decision decide(const Charge* charge, const DropCancel&, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!charge->cancel_requested_at) return nothing_to_do();
  return after_expiry(*charge, context.now, record(*charge, ChargeCancelDropped{}));
}

Decision decide(const Charge* charge, const SettleRefund& command, const Context& context) {
  const auto* refund = charge ? find_refund(*charge, command.id) : nullptr;
  if (!refund) return refuse(Rejection::kRefundNotFound);
  if (refund->status != RefundStatus::kPending) return nothing_to_do();
  if (command.settled_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  // The bank may have returned the same money by itself.
  if (!is_left(*charge, payment_of(*charge, refund->payment), refund->amount))
    return refuse(Rejection::kRefundNotAllowed);
  return record(*charge, RefundDone{.id = command.id, .settled_at = command.settled_at});
}

Decision decide(const Charge* charge, const FailRefund& command, const Context&) {
  const auto* refund = charge ? find_refund(*charge, command.id) : nullptr;
  if (!refund) return refuse(Rejection::kRefundNotFound);
  if (refund->status != RefundStatus::kPending) return nothing_to_do();
  return record(*charge, RefundFailed{command.id});
}

Decision decide(const Charge* charge, const StreamName* holder, const ReportReversal& command,
                const Context& context) {
  assert(command.amount > Cents(0));
  if (!charge || charge->project != command.project) return refuse(Rejection::kTransactionNotFound);
  if (holder) return nothing_to_do();
  if (!charge->payment) return refuse(Rejection::kTransactionStatus);
  const auto& payment = payment_of(*charge, command.end_to_end_id);
  if (!counted_payment(*charge, payment)) return refuse(Rejection::kPaymentNotFound);
  // Banks may name a return only at the end, when its devolução has already counted.
  if (has_gone_back(*charge, payment, command.id)) return nothing_to_do();
  if (command.reversed_at > context.now.plus_millis(kPaymentAheadMsMax))
    return refuse(Rejection::kPaymentInFuture);
  // Refunds still pending then fail at the bank.
  if (!is_left(*charge, payment, command.amount)) return refuse(Rejection::kRefundNotAllowed);
  PaymentReversed reversed{.id = command.id,
                           .return_id = command.return_id,
                           .amount = command.amount,
                           .reversed_at = command.reversed_at};
  if (payment != charge->payment->end_to_end_id) reversed.end_to_end_id = payment;
  return record(*charge, std::move(reversed));
}

}  // namespace pixledger::domain
