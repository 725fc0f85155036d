#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/erasure.h"
#include "eventstore/reading/state_history.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/customer_body.h"
#include "http/api/common/customer_json.h"
#include "http/api/common/environments.h"
#include "http/api/common/metadata_input.h"
#include "http/api/common/project_of.h"
#include "http/api/common/store_rules.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

// Nullopt when there are violations.
std::optional<domain::SaveCustomer> read_save(const Services& services, const Caller& caller, Input& input) {
  const auto body = input.body();
  auto details = read_customer(body);
  auto metadata = read_metadata(body);
  const auto environment = read_environment(body, caller);
  if (!input.finish()) return std::nullopt;
  auto token = domain::DocumentToken::parse(
      services.keyring.name_of_document(caller.project.text(), details->document.text()));
  return domain::SaveCustomer{.project = caller.project,
                              .token = std::move(*token),
                              .details = std::move(*details),
                              .environment = environment,
                              .metadata = std::move(metadata)};
}

bool registered(const eventstore::Completed& completed) {
  const auto events = completed.events();
  if (events.empty()) return false;
  const auto* event = std::get_if<domain::CustomerEvent>(&events.front().event);
  return event && std::holds_alternative<domain::CustomerRegistered>(*event);
}

Reply render(const Services& services, const domain::StreamName& stream,
             const eventstore::Completed& completed) {
  const auto saved = services.history.as<domain::Customer>(stream, completed.as_of);
  // A repeat may come after an erasure.
  const auto customer =
      saved ? eventstore::find_customer(services.history, saved->id, completed.as_of) : saved;
  if (!customer) throw eventstore::LogCorrupt("a customer that was just saved is not in the ledger");
  const bool is_new = registered(completed);
  Json json;
  json.begin_object().field("success", true);
  json.field("message", is_new ? "The customer was created." : "The customer was updated.");
  json.key("data").begin_object();
  write_customer_fields(json, *customer, completed.decided_at, PersonalData::kShown);
  json.end_object().end_object();
  Reply reply{is_new ? 201 : 200, json.take()};
  if (is_new) reply.headers.push_back({"Location", "/api/v1/customers/" + customer->id.text()});
  return reply;
}

}  // namespace

Answer save_customer(const Services& services, const Request& request) {
  Input input(request);
  const auto command = read_save(services, *request.caller, input);
  if (!command) {
    add_violations_of_customer(*project_of(services, *request.caller), input, input.violations());
    return input.refusal();
  }
  if (is_refused(*request.caller, command->environment))
    return rejection_reply(request, domain::Rejection::kLiveForTestKey);
  const auto stream = domain::customer_stream(command->project, command->environment, command->token);
  return execute_once(request, *command, input.canonical_body(),
                      [&services, stream](const eventstore::Completed& completed) {
                        return render(services, stream, completed);
                      });
}

}  // namespace pixledger::http
