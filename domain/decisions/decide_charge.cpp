#include <algorithm>
#include <cassert>

#include "base/values/civil_date.h"
#include "domain/aggregates/charge.h"
#include "domain/decisions/decide.h"
#include "domain/decisions/decision.h"
#include "domain/pix/br_code.h"

namespace pixledger::domain {
namespace {

static_assert(kRefundsMax == 100, "a number of texts in rejection.h");

bool belongs_to_another(const Charge& charge, const Caller& caller) {
  return caller.project && *caller.project != charge.project;
}

// The common guards of sandbox operations; nullopt if all pass.
std::optional<Decision> guard_sandbox(const Charge* charge, const Caller& caller) {
  if (!charge || belongs_to_another(*charge, caller)) return refuse(Rejection::kTransactionNotFound);
  if (charge->environment != Environment::kSandbox) return refuse(Rejection::kNotSandbox);
  return std::nullopt;
}

// The guards of a merchant's operations on its own charges.
std::optional<Decision> guard_merchant(const Charge* charge, const Caller& caller) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (belongs_to_another(*charge, caller)) return refuse(Rejection::kTransactionOfAnotherProject);
  if (caller.sandbox_only && charge->environment == Environment::kLive)
    return refuse(Rejection::kLiveForTestKey);
  return std::nullopt;
}

FraudType fraud_type_of(const BlocklistValue& value) {
  struct FraudTypeOf {
    FraudType operator()(const IpAddress&) const { return FraudType::kBlocklistIp; }
    FraudType operator()(const Cidr&) const { return FraudType::kBlocklistIp; }
    FraudType operator()(const EmailAddress&) const { return FraudType::kBlocklistEmail; }
    FraudType operator()(const Document&) const { return FraudType::kBlocklistDocument; }
  };
  return std::visit(FraudTypeOf{}, value);
}

// A refused creation is recorded in a stream of its own, up to the daily limit.
Decision refuse_and_report(const CreationStates& states, const CreateCharge& command, FraudType type,
                           Rejection rejection, Timestamp now) {
  auto stream = refusals_stream(command.project, command.environment, command.token, now);
  if (states.version_of(stream) >= kRefusalsRecordedPerDayMax) return refuse(rejection);
  std::optional<CustomerId> customer;
  if (states.customer) customer = states.customer->id;
  ChargeRefused refused{.project = command.project,
                        .customer = std::move(customer),
                        .type = type,
                        .amount = command.amount,
                        .product = command.product,
                        .environment = command.environment,
                        .customer_ip = command.customer_ip};
  return {{NewEvent{std::move(stream), command.project, RefusalEvent(std::move(refused))}}, {rejection, {}}};
}

Timestamp expiry_of(const CreateCharge& command, const StoreSettings& settings, Timestamp now) {
  const auto wanted = command.expiration_days ? *command.expiration_days * kDayMs
                                              : settings.pix_expiration_minutes * kMinuteMs;
  const auto expiry = now.plus_millis(wanted);
  return command.expires_by ? std::min(expiry, *command.expires_by) : expiry;
}

PixKey key_of_code(const Connection& connection, const StoreSettings& settings) {
  // A bank's test environment has its own key.
  if (connection.api_pix) return connection.api_pix->pix_key;
  // Otherwise a sandbox code must never move money, so it has a key that cannot be paid.
  return connection.environment == Environment::kLive ? *settings.pix_key : sandbox_pix_key();
}

std::string pix_code_of(const CreateCharge& command, const Connection& connection,
                        const StoreSettings& settings, const ChargeId& id) {
  return write_br_code({.key = key_of_code(connection, settings),
                        .merchant_name = settings.merchant_name.text(),
                        .merchant_city = settings.merchant_city.text(),
                        .amount = command.amount,
                        .txid = id.text()});
}

NewEvent customer_event(const CreateCharge& command, CustomerEvent event) {
  return {customer_stream(command.project, command.environment, command.token), command.project,
          std::move(event)};
}

static_assert(kCountedPaymentsMax <= kIdsPerDecisionMax, "each payment may have a return of one refund");

std::vector<CountedPayment> refundable_payments(const Charge& charge, Timestamp now) {
  std::vector<CountedPayment> payments;
  for (auto& counted : counted_payments(charge))
    if (now <= counted.payment.paid_at.plus_millis(kRefundWindowMs)) payments.push_back(std::move(counted));
  return payments;
}

// A return at a bank concerns one payment: the first with enough money left. If no payment has enough, each
// is returned in order. `payments` excludes those that are too old to return.
Decision request_refunds(const Charge& charge, const std::vector<CountedPayment>& payments, Cents amount,
                         const std::optional<Label>& reason, const IdMint& ids) {
  Decision decision;
  const auto request = [&](const CountedPayment& from, Cents part) {
    const auto& id = from.payment.end_to_end_id;
    RefundRequested requested{.id = mint_refund_id(ids, static_cast<unsigned>(decision.events.size())),
                              .amount = part,
                              .reason = reason};
    if (id != charge.payment->end_to_end_id) requested.end_to_end_id = id;
    decision.events.push_back({charge_stream(charge.id), charge.project, ChargeEvent(std::move(requested))});
  };
  for (const auto& one : payments) {
    if (one.left() < amount) continue;
    request(one, amount);
    return decision;
  }
  auto rest = amount;
  for (const auto& one : payments) {
    const auto part = std::min(rest, one.left());
    if (part <= Cents(0)) continue;
    request(one, part);
    rest = rest - part;
  }
  return rest == Cents(0) ? decision : refuse(Rejection::kRefundWindowOver);
}

}  // namespace

std::optional<Rejection> refusal_of_terms(const Project* project, Environment environment,
                                          const std::optional<ConnectionId>& id, Cents amount) {
  if (!project) return Rejection::kProjectNotFound;
  const auto* connection = find_connection(*project, environment, id);
  if (!connection) return Rejection::kUnknownConnection;
  if (amount > project->settings.max_transaction_amount) return Rejection::kAmountAboveMaximum;
  if (environment == Environment::kLive && !connection->api_pix && !project->settings.pix_key)
    return Rejection::kNoPixKey;
  return std::nullopt;
}

Decision decide(const CreationStates& states, const CreateCharge& command, const Context& context) {
  if (!states.project) return refuse(Rejection::kProjectNotFound);
  const auto& settings = states.project->settings;
  const auto* connection = find_connection(*states.project, command.environment, command.connection);
  if (!connection) return refuse(Rejection::kUnknownConnection);
  if (settings.verify_documents && !has_valid_check_digits(command.customer.document))
    return refuse(Rejection::kInvalidDocumentCheckDigits);
  if (const auto refusal =
          refusal_of_terms(states.project, command.environment, command.connection, command.amount))
    return refuse(*refusal);
  if (states.customer && is_blocked(*states.customer, context.now))
    return refuse_and_report(states, command, FraudType::kBlockedCustomer, Rejection::kCustomerBlocked,
                             context.now);
  if (states.blocklist) {
    const auto* hit =
        find_hit(*states.blocklist, command.customer.document, command.customer.email, command.customer_ip);
    if (hit)
      return refuse_and_report(states, command, fraud_type_of(*hit->value), Rejection::kBlocklisted,
                               context.now);
  }

  const auto& bank = connection->api_pix;
  const bool wants_code = bank && bank->code == CodeKind::kDynamic;
  if (wants_code && !command.may_await_code && bank->fallback == CodeFallback::kNone)
    return refuse(Rejection::kBankSilent);

  Decision decision;
  decision.events.reserve(2);
  auto customer_id = states.customer ? states.customer->id : mint<CustomerId>(context.ids, 0);
  if (!states.customer) {
    decision.events.push_back(customer_event(
        command, CustomerRegistered{customer_id, command.project, command.customer, command.environment}));
  } else {
    auto details = merged(states.customer->details, command.customer);
    if (details != states.customer->details)
      decision.events.push_back(customer_event(command, CustomerUpdated{std::move(details)}));
  }
  const auto id = mint<ChargeId>(context.ids, 1);
  std::optional<Metadata> metadata;
  if (!command.metadata.empty()) metadata = command.metadata;
  ChargeCreated created{.id = id,
                        .project = command.project,
                        .environment = command.environment,
                        .customer = std::move(customer_id),
                        .connection = connection->id,
                        .amount = command.amount,
                        .product = command.product,
                        .quantity = command.quantity,
                        .origin_host = command.origin_host,
                        .expires_at = expiry_of(command, settings, context.now),
                        .pix_code = pix_code_of(command, *connection, settings, id),
                        .metadata = std::move(metadata),
                        .through_bank = bank.has_value()};
  set_same_fields(created, command);
  if (wants_code && command.may_await_code) {
    created.code_awaited_until = context.now.plus_millis(bank->code_deadline_ms);
    created.code_fallback = bank->fallback;
  }
  decision.events.push_back({charge_stream(id), command.project, ChargeEvent(std::move(created))});
  return decision;
}

Decision decide(const Charge* charge, const Project* project, const PaySandboxCharge& command,
                const Context& context) {
  if (auto refused = guard_sandbox(charge, command.caller)) return *refused;
  if (!awaits_payment(*charge, context.now)) return refuse_for_status(*charge, context.now);
  auto id = EndToEndId::parse(synthesize_end_to_end_id(context.now, context.ids.random));
  assert(id);
  std::optional<Cents> fee;
  if (project) fee = fee_of(project->settings, charge->amount);
  return record(
      *charge,
      ChargePaid{
          .end_to_end_id = std::move(*id), .amount = charge->amount, .paid_at = context.now, .fee = fee});
}

Decision decide(const Charge* charge, const ExpireSandboxCharge& command, const Context&) {
  if (auto refused = guard_sandbox(charge, command.caller)) return *refused;
  if (charge->status != ChargeStatus::kWaitingPayment) return refuse(Rejection::kTransactionStatus);
  return record(*charge, ChargeExpired{});
}

Decision decide(const Charge* charge, const FailSandboxCharge& command, const Context& context) {
  if (auto refused = guard_sandbox(charge, command.caller)) return *refused;
  if (!can_fail(*charge, context.now)) return refuse_for_status(*charge, context.now);
  return record(*charge, ChargeFailed{});
}

Decision decide(const Charge* charge, const ExpireOverdueCharge&, const Context& context) {
  if (!charge) return refuse(Rejection::kTransactionNotFound);
  if (!is_overdue(*charge, context.now)) return nothing_to_do();
  return record(*charge, ChargeExpired{});
}

Decision decide(const Charge* charge, const CancelCharge& command, const Context& context) {
  if (auto refused = guard_merchant(charge, command.caller)) return *refused;
  if (!awaits_payment(*charge, context.now)) return refuse_for_status(*charge, context.now);
  // Cancel at the bank first: the charge could be paid there meanwhile.
  if (charge->code_kind != CodeKind::kDynamic) return record(*charge, ChargeCancelled{});
  if (charge->cancel_requested_at) return nothing_to_do();
  return record(*charge, ChargeCancelRequested{});
}

Decision decide(const Charge* charge, const RefundCharge& command, const Context& context) {
  if (auto refused = guard_merchant(charge, command.caller)) return *refused;
  if (charge->status != ChargeStatus::kPaid) return refuse_for_status(*charge, context.now);
  const auto payments = refundable_payments(*charge, context.now);
  if (payments.empty()) return refuse(Rejection::kRefundWindowOver);
  if (charge->refund_list.size() >= kRefundsMax) return refuse(Rejection::kRefundLimit);
  const auto open = charge->payment->amount - charge->refunded - pending_refunds(*charge);
  const auto amount = command.amount.value_or(open);
  if (amount <= Cents(0) || amount > open) return refuse(Rejection::kRefundNotAllowed);
  if (!charge->through_bank)
    return record(
        *charge,
        ChargeRefunded{.amount = amount, .reason = command.reason, .id = mint_refund_id(context.ids)});
  auto decision = request_refunds(*charge, payments, amount, command.reason, context.ids);
  if (charge->refund_list.size() + decision.events.size() > kRefundsMax)
    return refuse(Rejection::kRefundLimit);
  return decision;
}

}  // namespace pixledger::domain
