#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/proof/event_id.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/charges/transaction_detail.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/event_cursor.h"
#include "http/api/endpoints.h"
#include "http/api/events/event_json.h"
#include "http/front/caller.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

constexpr std::uint64_t kHistoryLimitDefault = 100;
constexpr std::uint64_t kHistoryLimitMax = 1000;

struct AskedHistory {
  Position after;
  std::uint64_t limit = kHistoryLimitDefault;
};

AskedHistory read_asked(const Services& services, Input& input) {
  AskedHistory asked;
  asked.limit = input.integer("limit", 1, kHistoryLimitMax).value_or(kHistoryLimitDefault);
  const auto text = input.parameter("after");
  if (!text) return asked;
  const auto place = find_event_place(services, input.request().caller->project, *text);
  if (!place)
    input.violations().push_back({"after", std::string(kEventCursorRule)});
  else
    asked.after = place->position;  // if a restore cut the event off, all later ones are new
  return asked;
}

void write_caused_item(Json& json, const std::string& id, PageStates& states,
                       const domain::RecordedEvent& event, PersonalData personal) {
  json.begin_object().field("id", id);
  write_event(json, states, event, personal);
  json.field("actor", event.actor);
  json.field("requestId", event.request_id.empty() ? std::nullopt : std::optional(event.request_id));
  json.end_object();
}

Reply render(const Services& services, const Request& request, const domain::Charge& charge,
             const AskedHistory& asked) {
  const eventstore::EventIds ids(services.keyring, services.log, services.ended_epochs, charge.project);
  PageStates states(services.log, services.customers);
  auto last = asked.after;
  std::uint64_t count = 0;
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& stored : eventstore::StreamEvents(services.log, domain::charge_stream(charge.id))) {
    if (stored.position <= asked.after) continue;
    if (count == asked.limit) break;
    request.budget.check();
    last = stored.position;
    const auto event = eventstore::decode(stored);
    if (feed_name_of(states, event).empty()) continue;
    write_caused_item(json, ids.of(stored), states, event, personal_data_for(*request.caller));
    ++count;
  }
  json.end_array().key("meta").begin_object();
  json.field("next", ids.of(last));
  json.end_object().end_object();
  return {200, json.take()};
}

}  // namespace

Reply get_transaction_events(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChargeId>();
  const auto asked = read_asked(services, input);
  if (!input.finish()) return input.refusal();
  const auto charge = eventstore::fold_as<domain::Charge>(services.log, domain::charge_stream(*id));
  if (const auto rejection = guard_charge(charge, *request.caller))
    return rejection_reply(request, *rejection);
  return render(services, request, *charge, asked);
}

}  // namespace pixledger::http
