#include <algorithm>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "domain/aggregates/bank_connection.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/caller_project.h"
#include "http/api/endpoints.h"
#include "http/routing/input.h"
#include "http/services/worker_records.h"

namespace pixledger::http {
namespace {

using stores::BankState;

// Beyond this, the account's latest payments have not been seen.
constexpr std::int64_t kBehindMs = 5LL * 60 * 1000;

// The bank's state according to its worker; null if none runs on this machine.
std::string_view state_of(const BankState* bank, Timestamp now) {
  if (!bank) return "unknown";
  if (bank->is_left_alone) return "left_alone";
  return now.millis() - bank->looked_up_to.value_or(bank->since).millis() > kBehindMs ? "behind" : "ok";
}

std::optional<Timestamp> certificate_end_of(const Services& services, const Caller& caller,
                                            const domain::ConnectionId& id) {
  const auto state = services.states.find(domain::connection_stream(id), caller.arrival);
  const auto* bank = state ? std::get_if<domain::BankConnection>(state.get()) : nullptr;
  if (!bank || !bank->configuration.certificate) return std::nullopt;
  return bank->configuration.certificate->ends_at;
}

void write_bank(Json& json, const Services& services, const Caller& caller,
                const domain::Connection& connection, const BankState* bank) {
  json.field("state", state_of(bank, services.clock.now()));
  json.field("lastPollAt", bank ? bank->looked_up_to : std::nullopt);
  json.field("certificateEndsAt", certificate_end_of(services, caller, connection.id));
  json.field("breakerOpen", bank ? std::optional(bank->is_left_alone) : std::nullopt);
}

bool is_default(const domain::Project& project, const domain::Connection& connection) {
  const auto* found = domain::default_connection(project, connection.environment);
  return found && found->id == connection.id;
}

}  // namespace

Reply list_connections(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto project = project_of(services, caller);
  const auto banks = services.banks.watched_banks();
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& connection : project->connections) {
    if (is_refused(caller, connection.environment)) continue;
    json.begin_object();
    json.field("id", connection.id).field("alias", connection.alias);
    json.field("providerId", connection.provider_id).field("providerName", connection.provider_name);
    json.field("environment", connection.environment).field("isDefault", is_default(*project, connection));
    json.field("isEnabled", connection.is_enabled());
    const auto bank = std::find_if(banks.begin(), banks.end(), [&](const BankState& each) {
      return each.connection == connection.id.text();
    });
    if (connection.api_pix)
      write_bank(json, services, caller, connection, bank == banks.end() ? nullptr : &*bank);
    else
      json.null("state").null("lastPollAt").null("certificateEndsAt").null("breakerOpen");
    json.end_object();
  }
  json.end_array().end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
