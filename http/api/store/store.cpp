#include "http/api/store/store.h"

#include "eventstore/codec/store_settings_json.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/project_of.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

Reply render(const domain::Project& project) {
  eventstore::Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("id", project.id);
  eventstore::write_store_settings(json, project.settings);
  json.end_object().end_object();
  return {200, json.take()};
}

Reply render_as_of(const Services& services, const domain::ProjectId& id, domain::Position as_of) {
  const auto project = services.history.as<domain::Project>(domain::project_stream(id), as_of);
  if (!project) throw eventstore::LogCorrupt("a project that was there a moment ago is not in the ledger");
  return render(*project);
}

domain::StoreSettingsChange read_change(const JsonObject& body) {
  domain::StoreSettingsChange change;
  change.name = body.optional<domain::StoreName>("name");
  const auto minutes = body.optional_integer("pixExpirationMinutes", 1, domain::kPixExpirationMinutesMax);
  if (minutes) change.pix_expiration_minutes = static_cast<std::int32_t>(*minutes);
  const auto amount = body.optional_integer("maxTransactionAmountCents", 1, domain::kAmountCentsMax);
  if (amount) change.max_transaction_amount = domain::Cents(*amount);
  return change;
}

}  // namespace

Reply get_store(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  return render(*project_of(services, *request.caller));
}

Answer change_store(const Services& services, const Request& request) {
  Input input(request);
  auto change = read_change(input.body());
  if (!input.finish()) return input.refusal();
  // After the body, as everywhere.
  if (request.caller->sandbox_only())
    return error_reply(request, {.status = 403,
                                 .code = "ERR_AUTH_010",
                                 .message = "A test key touches the sandbox alone, and this holds for live "
                                            "charges too. Use a live key."});
  const auto& id = request.caller->project;
  return execute_once(request, domain::ChangeStoreSettings{id, std::move(change)}, input.canonical_body(),
                      [&services, id](const eventstore::Completed& completed) {
                        return render_as_of(services, id, completed.as_of);
                      });
}

}  // namespace pixledger::http
