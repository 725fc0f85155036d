#include <algorithm>

#include "base/platform/json.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

struct Simulation {
  domain::ChargeStatus status;
  std::string_view time_field;
  std::string_view message;
};

// The last event of the charge; what that means to its checkout session follows it.
const domain::RecordedEvent& of_charge(const eventstore::Completed& completed) {
  const auto events = completed.events();
  const auto found = std::find_if(events.rbegin(), events.rend(), [](const auto& event) {
    return event.stream.kind() == domain::StreamKind::kCharge;
  });
  return found == events.rend() ? events.back() : *found;
}

// Whatever is simulated happens at the moment in which it is recorded.
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
