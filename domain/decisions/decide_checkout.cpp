
#include <cassert>
#include <iterator>

#include "base/values/civil_date.h"
#include "domain/decisions/decide.h"
#include "domain/decisions/decision.h"

namespace pixledger::domain {
namespace {

NewEvent event_of(const CheckoutSessionId& id, const ProjectId& project, CheckoutEvent event) {
  return {checkout_stream(id), project, std::move(event)};
}

Decision record(const CheckoutSession& session, CheckoutEvent event) {
  return record(checkout_stream(session.id), session.project, std::move(event));
}

void append(std::vector<NewEvent>& events, std::vector<NewEvent> more) {
  events.insert(events.end(), std::make_move_iterator(more.begin()), std::make_move_iterator(more.end()));
}

// Any operation on an overdue session records its expiry and is then refused.
Decision refuse_for_status(const CheckoutSession& session, Timestamp now) {
  auto decision = refuse(Rejection::kCheckoutSessionNotOpen);
  if (is_overdue(session, now))
    decision.events.push_back(
        event_of(session.id, session.project, CheckoutSessionExpired{session.environment}));
  return decision;
}

bool is_newest(const CheckoutSession& session, const std::optional<ChargeId>& seen) {
  const auto* newest = newest_charge(session);
  return newest ? seen == newest->id : !seen;
}

CreateCharge charge_of(const CreateCheckoutSession& command, Timestamp expires_at) {
  return {.project = command.project,
          .environment = command.environment,
          .token = command.payer->token,
          .customer = command.payer->details,
          .amount = command.amount,
          .product = command.product,
          .quantity = command.quantity,
          .expiration_days = command.expiration_days,
          .origin_host = command.origin_host,
          .customer_ip = std::nullopt,
          .external_id = command.external_id,
          .connection = std::nullopt,
          .metadata = command.metadata,
          .may_await_code = command.may_await_code,
          .checkout_session = command.id,
          .expires_by = expires_at};
}

// The merchant's metadata may name the first payer, so only charges of that payer get it.
Metadata metadata_for(const CheckoutSession& session, const Customer* customer) {
  const bool is_theirs =
      session.charges.empty() || (customer && customer->id == session.charges.front().customer);
  return is_theirs ? session.metadata : Metadata();
}

// Anyone with the link may type any document: this registers new customers but never changes existing ones.
const CustomerDetails& details_of(const Customer* customer, const CheckoutPayer& payer) {
  return customer && customer->details ? *customer->details : payer.details;
}

CreateCharge charge_of(const CheckoutSession& session, const Customer* customer,
                       const AddCheckoutCharge& command) {
  return {.project = session.project,
          .environment = session.environment,
          .token = command.payer.token,
          .customer = details_of(customer, command.payer),
          .amount = session.amount,
          .product = session.product,
          .quantity = session.quantity,
          .expiration_days = session.expiration_days,
          .origin_host = session.origin_host,
          .customer_ip = command.customer_ip,
          .external_id = session.external_id,
          .connection = std::nullopt,
          .metadata = metadata_for(session, customer),
          .may_await_code = command.may_await_code,
          .checkout_session = session.id,
          .expires_by = session.expires_at};
}

// Adds the session's link to a decided creation.
Decision linked(const CheckoutSessionId& session, Decision creation) {
  if (!creation.outcome.done()) return creation;
  // A creation's last event.
  const auto& created = std::get<ChargeCreated>(std::get<ChargeEvent>(creation.events.back().event));
  auto link = event_of(session, created.project,
                       CheckoutChargeAdded{created.environment, created.id, created.customer});
  creation.events.push_back(std::move(link));
  return creation;
}

CheckoutSessionCreated created_by(const CreateCheckoutSession& command, Timestamp expires_at) {
  std::optional<Metadata> metadata;
  if (!command.metadata.empty()) metadata = command.metadata;
  return {.id = command.id,
          .project = command.project,
          .environment = command.environment,
          .amount = command.amount,
          .product = command.product,
          .quantity = command.quantity,
          .expiration_days = command.expiration_days,
          .origin_host = command.origin_host,
          .external_id = command.external_id,
          .success_url = command.success_url,
          .cancel_url = command.cancel_url,
          .locale = command.locale,
          .webhook_version = command.webhook_version,
          .has_channel = command.channel.has_value(),
          .expires_at = expires_at,
          .metadata = std::move(metadata)};
}

NewEvent channel_event(const CreateCheckoutSession& command) {
  const auto& channel = *command.channel;
  const auto id = channel_of(command.id);
  return {channel_stream(id), command.project,
          ChannelEvent(ChannelAdded{.id = id,
                                    .project = command.project,
                                    .name = std::nullopt,
                                    .url = channel.url,
                                    .events = WebhookEventSet::standard(),
                                    .version = command.webhook_version,
                                    .secret = channel.secret,
                                    .secret_hint = channel.secret_hint,
                                    .sandbox_only = command.environment == Environment::kSandbox,
                                    .environments = EnvironmentSet::only(command.environment),
                                    .checkout_session = command.id})};
}

// Whether the charge can still be paid or has an unsettled payment. Prevents paying twice.
bool holds_the_place(const Charge& charge, Timestamp now) {
  return awaits_payment(charge, now) || charge.status == ChargeStatus::kProcessing ||
         !charge.unapplied.empty();
}

}  // namespace

Decision decide(const CreationStates& states, const CreateCheckoutSession& command, const Context& context) {
  assert(command.expires_in_minutes >= kCheckoutMinutesMin &&
         command.expires_in_minutes <= kCheckoutMinutesMax);
  if (command.channel)
    if (const auto refusal = refusal_of(command.channel->target)) return refuse(*refusal);
  const auto expires_at = context.now.plus_millis(command.expires_in_minutes * kMinuteMs);
  Decision creation;
  if (command.payer) {
    creation = linked(command.id, decide(states, charge_of(command, expires_at), context));
    if (!creation.outcome.done()) return creation;
  } else if (const auto refusal =
                 refusal_of_terms(states.project, command.environment, std::nullopt, command.amount)) {
    return refuse(*refusal);
  }
  auto decision =
      record(checkout_stream(command.id), command.project, CheckoutEvent(created_by(command, expires_at)));
  if (command.channel) decision.events.push_back(channel_event(command));
  append(decision.events, std::move(creation.events));
  return decision;
}

Decision decide(const CreationStates& states, const CheckoutSession* session, const Charge* newest,
                const AddCheckoutCharge& command, const Context& context) {
  if (!session || session->project != command.project) return refuse(Rejection::kCheckoutSessionNotFound);
  if (!is_newest(*session, command.newest)) return refuse(Rejection::kCheckoutSessionChangedMeanwhile);
  if (session->status != CheckoutStatus::kOpen || is_overdue(*session, context.now))
    return refuse_for_status(*session, context.now);
  if (newest && holds_the_place(*newest, context.now)) return nothing_to_do();
  if (session->charges.size() >= kChargesPerCheckoutMax) return refuse(Rejection::kCheckoutSessionNotOpen);
  return linked(session->id, decide(states, charge_of(*session, states.customer, command), context));
}

Decision decide(const CheckoutSession* session, Decision of_charge, const CancelCheckoutSession& command,
                const Context& context) {
  if (!session || (command.caller.project && *command.caller.project != session->project))
    return refuse(Rejection::kCheckoutSessionNotFound);
  if (command.caller.sandbox_only && session->environment == Environment::kLive)
    return refuse(Rejection::kLiveForTestKey);
  if (!is_newest(*session, command.newest)) return refuse(Rejection::kCheckoutSessionChangedMeanwhile);
  if (session->status != CheckoutStatus::kOpen || is_overdue(*session, context.now))
    return refuse_for_status(*session, context.now);
  auto decision = record(*session, CheckoutSessionCancelled{session->environment});
  append(decision.events, std::move(of_charge.events));
  return decision;
}

Decision decide(const CheckoutSession* session, const ExpireCheckoutSession&, const Context& context) {
  if (!session) return refuse(Rejection::kCheckoutSessionNotFound);
  if (!is_overdue(*session, context.now)) return nothing_to_do();
  return record(*session, CheckoutSessionExpired{session->environment});
}

std::optional<NewEvent> session_event_beside(const Charge& charge, const ChargeEvent& event) {
  if (!charge.checkout_session) return std::nullopt;
  const bool is_paid =
      std::holds_alternative<ChargePaid>(event) || std::holds_alternative<UnappliedPaymentAccepted>(event);
  if (!is_paid) return std::nullopt;
  return event_of(*charge.checkout_session, charge.project,
                  CheckoutSessionCompleted{charge.environment, charge.id});
}

}  // namespace pixledger::domain
