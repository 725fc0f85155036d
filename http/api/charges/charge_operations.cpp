#include "http/api/charges/charge_operations.h"

#include "eventstore/log/log.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/common/command_reply.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// The charge and its customer as they were right after the command, so that a repeat shows the same.
Reply render(const Services& services, const domain::ChargeId& id, const eventstore::Completed& completed) {
  const auto as_of = completed.as_of;
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(id), as_of);
  if (!charge) throw eventstore::LogCorrupt("a charge that was just changed is not in the ledger");
  return render_transaction(*charge, eventstore::find_customer(services.history, charge->customer, as_of));
}

Answer execute_on_charge(const Services& services, const Request& request, const domain::ChargeId& id,
                         domain::Command command, std::string_view canonical_body) {
  return execute_once(
      request, std::move(command), canonical_body,
      [&services, id](const eventstore::Completed& completed) { return render(services, id, completed); });
}

// Nullopt when there are violations.
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

}  // namespace

Answer cancel_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  if (!input.finish()) return input.refusal();
  return execute_on_charge(services, request, *id, domain::CancelCharge{request.caller->on_behalf(), *id},
                           kNoBody);
}

Answer refund_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto command = read_refund(*request.caller, input);
  if (!command) return input.refusal();
  return execute_on_charge(services, request, command->charge, *command, input.canonical_body());
}

}  // namespace pixledger::http
