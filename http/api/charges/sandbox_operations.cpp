#include "http/api/charges/sandbox_operations.h"

#include "eventstore/platform/json.h"
#include "http/api/common/command_reply.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

struct Simulation {
  domain::ChargeStatus status;
  std::string_view time_field;
  std::string_view message;
};

// Whatever is simulated happens at the moment in which it is recorded.
Reply render(const Simulation& simulation, const eventstore::Completed& completed) {
  const auto& recorded = completed.events().back();
  eventstore::Json json;
  json.begin_object().field("success", true).field("message", simulation.message);
  json.key("data").begin_object();
  json.field("transactionId", recorded.stream.key());
  json.field("status", simulation.status);
  json.field(simulation.time_field, recorded.recorded_at);
  json.end_object().end_object();
  return {200, json.take()};
}

template <class Command>
Reply simulate(const Services& services, const Request& request, const Simulation& simulation) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  if (!input.finish()) return input.refusal();
  return execute_once(services, request, Command{request.caller->on_behalf(), *id}, kNoBody,
                      [&](const eventstore::Completed& completed) { return render(simulation, completed); });
}

}  // namespace

Reply sandbox_pay(const Services& services, const Request& request) {
  return simulate<domain::PaySandboxCharge>(
      services, request, {domain::ChargeStatus::kPaid, "paidAt", "The payment was simulated."});
}

Reply sandbox_expire(const Services& services, const Request& request) {
  return simulate<domain::ExpireSandboxCharge>(
      services, request, {domain::ChargeStatus::kExpired, "expiredAt", "The expiry was simulated."});
}

Reply sandbox_fail(const Services& services, const Request& request) {
  return simulate<domain::FailSandboxCharge>(
      services, request, {domain::ChargeStatus::kFailed, "failedAt", "The failure was simulated."});
}

}  // namespace pixledger::http
