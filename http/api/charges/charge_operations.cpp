#include <algorithm>

#include "base/platform/json.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/payment_search.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/charges/bank_waits.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// nullopt with violations.
std::optional<domain::RefundCharge> read_refund(const Caller& caller, Input& input) {
  auto id = input.path_id<domain::ChargeId>();
  const auto body = input.optional_body();
  const auto amount = body.optional_integer("amountCents", 1, domain::kAmountCentsMax);
  auto reason = body.optional<domain::Label>("reason");
  if (!input.finish()) return std::nullopt;
  domain::RefundCharge command{.caller = caller.on_behalf(),
                               .charge = std::move(*id),
                               .amount = std::nullopt,
                               .reason = std::move(reason)};
  if (amount) command.amount = domain::Cents(*amount);
  return command;
}

using domain::Charge;
using domain::EndToEndId;
using domain::Rejection;

// As copied from a statement.
struct CopiedEndToEndId {
  static constexpr std::string_view kRule = EndToEndId::kUsualFormRule;
  static std::optional<CopiedEndToEndId> parse(std::string_view text) {
    const auto id = EndToEndId::parse(text);
    return id && id->has_usual_form() ? std::optional(CopiedEndToEndId{*id}) : std::nullopt;
  }
  EndToEndId id;
};

struct Moment {
  static constexpr std::string_view kRule = "must be a time (2026-01-31T12:00:00Z)";
  static std::optional<Moment> parse(std::string_view text) {
    const auto at = parse_iso8601(text);
    return at ? std::optional(Moment{*at}) : std::nullopt;
  }
  Timestamp at;
};

// nullopt with violations.
std::optional<domain::ReportPayment> read_report(const Caller& caller, Input& input) {
  const auto id = input.path_id<domain::ChargeId>();
  const auto body = input.body();
  const auto payment = body.required<CopiedEndToEndId>("endToEndId");
  const auto amount = body.required_integer("amountCents", 1, domain::kAmountCentsMax);
  const auto paid_at = body.optional<Moment>("paidAt");
  if (!input.finish()) return std::nullopt;
  return domain::ReportPayment{.project = caller.project,
                               .charge = *id,
                               .end_to_end_id = payment->id,
                               .amount = domain::Cents(*amount),
                               .paid_at = paid_at ? std::optional(paid_at->at) : std::nullopt};
}

std::optional<EndToEndId> read_payment(Input& input) {
  auto id = EndToEndId::parse(input.request().path_parameter("endToEndId"));
  if (!id) input.violations().push_back({"endToEndId", std::string(EndToEndId::kRule)});
  return id;
}

// Payments of other projects are not found. A charge's project and environment never change, so the result
// also holds when the command is decided.
std::optional<Rejection> guard_payment(const std::optional<Charge>& charge, const Caller& caller) {
  if (!charge || charge->project != caller.project) return Rejection::kPaymentNotFound;
  return guard_charge(charge, caller);
}

Answer execute_on_charge(const Services& services, const Request& request, const domain::ChargeId& charge,
                         domain::Command command, std::string_view canonical_body) {
  return execute_once(request, std::move(command), canonical_body,
                      [&services, charge](const eventstore::Completed& completed) {
                        return render_as_of(services, charge, completed.as_of, completed.outcome.flag);
                      });
}

struct Simulation {
  domain::ChargeStatus status;
  std::string_view time_field;
  std::string_view message;
};

// The charge's last event; events of its checkout session follow it.
const domain::RecordedEvent& of_charge(const eventstore::Completed& completed) {
  const auto events = completed.events();
  const auto found = std::find_if(events.rbegin(), events.rend(), [](const auto& event) {
    return event.stream.kind() == domain::StreamKind::kCharge;
  });
  return found == events.rend() ? events.back() : *found;
}

// A simulated event happens at the time of its record.
Reply render(const Simulation& simulation, const eventstore::Completed& completed) {
  const auto& recorded = of_charge(completed);
  Json json;
  json.begin_object().field("success", true).field("message", simulation.message);
  json.key("data").begin_object();
  json.field("transactionId", recorded.stream.key());
  json.field("status", simulation.status);
  json.field(simulation.time_field, recorded.recorded_at);
  json.end_object().end_object();
  return {200, json.take()};
}

template <class Command>
Answer simulate(const Request& request, const Simulation& simulation) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  if (!input.finish()) return input.refusal();
  return execute_once(
      request, Command{request.caller->on_behalf(), *id}, kNoBody,
      [simulation](const eventstore::Completed& completed) { return render(simulation, completed); });
}

}  // namespace

Answer cancel_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  if (!input.finish()) return input.refusal();
  return execute_once(request, domain::CancelCharge{request.caller->on_behalf(), *id}, kNoBody,
                      [&services, &request, id = *id](const eventstore::Completed& completed) {
                        return answer_cancellation(services, request, id, completed);
                      });
}

Answer refund_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto command = read_refund(*request.caller, input);
  if (!command) return input.refusal();
  // As of right after the command, so that a repeat shows the same.
  return execute_once(request, *command, input.canonical_body(),
                      [&services, id = command->charge](const eventstore::Completed& completed) {
                        return render_as_of(services, id, completed.as_of);
                      });
}

Answer confirm_payment(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  const auto command = read_report(caller, input);
  if (!command) return input.refusal();
  const auto charge = eventstore::fold_as<Charge>(services.log, domain::charge_stream(command->charge));
  if (const auto rejection = guard_charge(charge, caller)) return rejection_reply(request, *rejection);
  return execute_on_charge(services, request, charge->id, *command, input.canonical_body());
}

Answer accept_payment(const Services& services, const Request& request) {
  Input input(request);
  const auto payment = read_payment(input);
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto charge = eventstore::charge_of_payment(services.log, *payment);
  if (const auto rejection = guard_payment(charge, caller)) return rejection_reply(request, *rejection);
  const domain::AcceptUnappliedPayment command{
      .project = caller.project, .charge = charge->id, .end_to_end_id = *payment};
  return execute_on_charge(services, request, charge->id, command, kNoBody);
}

// Whether the bank has reported the payment, so that it can return it.
bool is_at_bank(const Services& services, const Charge& charge, const domain::EndToEndId& payment) {
  return charge.through_bank ||
         eventstore::fold_as<domain::UnmatchedPayment>(services.log, domain::payment_stream(payment));
}

Answer return_payment(const Services& services, const Request& request) {
  Input input(request);
  const auto payment = read_payment(input);
  const auto body = input.optional_body();
  auto reason = body.optional<domain::Label>("reason");
  const auto send_back = body.optional_boolean("sendBack");
  if (!input.finish()) return input.refusal();
  const auto charge = eventstore::charge_of_payment(services.log, *payment);
  if (const auto rejection = guard_payment(charge, *request.caller))
    return rejection_reply(request, *rejection);
  domain::ReturnUnappliedPayment command{
      .charge = charge->id,
      .end_to_end_id = *payment,
      .reason = std::move(reason),
      .send_back = send_back ? *send_back : is_at_bank(services, *charge, *payment)};
  return execute_on_charge(services, request, charge->id, std::move(command), input.canonical_body());
}

Answer sandbox_pay(const Services&, const Request& request) {
  return simulate<domain::PaySandboxCharge>(
      request, {domain::ChargeStatus::kPaid, "paidAt", "The payment was simulated."});
}

Answer sandbox_expire(const Services&, const Request& request) {
  return simulate<domain::ExpireSandboxCharge>(
      request, {domain::ChargeStatus::kExpired, "expiredAt", "The expiry was simulated."});
}

Answer sandbox_fail(const Services&, const Request& request) {
  return simulate<domain::FailSandboxCharge>(
      request, {domain::ChargeStatus::kFailed, "failedAt", "The failure was simulated."});
}

}  // namespace pixledger::http
