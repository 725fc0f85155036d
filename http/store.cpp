#include "http/store.h"

#include "http/json_writer.h"
#include "http/project_of.h"

namespace pixledger::http {

Reply get_store(const Services& services, const Request& request) {
  const auto project = project_of(services, *request.caller);
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
