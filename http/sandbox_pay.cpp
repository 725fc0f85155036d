#include "http/sandbox_pay.h"

#include "http/caller.h"
#include "http/command_reply.h"
#include "http/error_reply.h"
#include "http/idempotency.h"
#include "http/json_writer.h"

namespace pixledger::http {
namespace {

Reply render(const eventstore::Completed& completed) {
  const auto& recorded = completed.events().back();
  const auto& paid = std::get<domain::ChargePaid>(std::get<domain::ChargeEvent>(recorded.event));
  JsonWriter json;
  json.begin_object().boolean("success", true).text("message", "The payment was simulated.");
  json.key("data").begin_object();
  json.text("transactionId", recorded.stream.key());
  json.text("status", domain::to_string(domain::ChargeStatus::kPaid));
  json.text("paidAt", domain::to_iso8601(paid.paid_at));
  json.end_object().end_object();
  return {200, json.str()};
}

}  // namespace

Reply sandbox_pay(const Services& services, const Request& request) {
  const auto id = domain::ChargeId::parse(request.path_parameter("id"));
  if (!id) return validation_reply(request, {{"id", std::string(domain::ChargeId::kRule)}});
  // It has no body, whatever was sent.
  auto idempotency = read_idempotency_key(request, "");
  if (auto* refused = std::get_if<Reply>(&idempotency)) return std::move(*refused);
  return execute(services, request, domain::PaySandboxCharge{request.caller->on_behalf(), *id},
                 std::get<std::optional<eventstore::IdempotencyKey>>(std::move(idempotency)), render);
}

}  // namespace pixledger::http
