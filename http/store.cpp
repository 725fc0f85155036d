#include "http/store.h"

#include "http/caller.h"
#include "http/json_writer.h"

namespace pixledger::http {

Reply get_store(const Services& services, const Request& request) {
  const auto& caller = *request.caller;
  const auto state = services.states.find(domain::project_stream(caller.project), caller.arrival);
  const auto* project = state ? std::get_if<domain::Project>(state.get()) : nullptr;
  // A key is only issued for a project that is in the same log.
  if (!project) throw eventstore::LogCorrupt("a key names a project that the ledger does not have");
  const auto& settings = project->settings;
  JsonWriter json;
  json.begin_object().boolean("success", true).key("data").begin_object();
  json.text("id", project->id.text());
  json.text("name", settings.name.text());
  json.boolean("devMode", settings.dev_mode);
  json.integer("pixExpirationMinutes", settings.pix_expiration_minutes);
  json.integer("maxTransactionAmountCents", settings.max_transaction_amount.value());
  json.end_object().end_object();
  return {200, json.str()};
}

}  // namespace pixledger::http
