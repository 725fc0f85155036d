#include "http/api/charges/bank_waits.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

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
  return execute_once(request, domain::CancelCharge{request.caller->on_behalf(), *id}, kNoBody,
                      [&services, &request, id = *id](const eventstore::Completed& completed) {
                        return answer_cancellation(services, request, id, completed);
                      });
}

Answer refund_transaction(const Services& services, const Request& request) {
  Input input(request);
  const auto command = read_refund(*request.caller, input);
  if (!command) return input.refusal();
  // As it was right after the command, so that a repeat shows the same.
  return execute_once(request, *command, input.canonical_body(),
                      [&services, id = command->charge](const eventstore::Completed& completed) {
                        return render_as_of(services, id, completed.as_of);
                      });
}

}  // namespace pixledger::http
