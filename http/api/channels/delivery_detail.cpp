#include <algorithm>

#include "base/platform/clock.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "domain/aggregates/channel.h"
#include "domain/decisions/decide.h"
#include "eventstore/log/log.h"
#include "http/api/channels/channel_lookup.h"
#include "http/api/channels/delivery_json.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/delivery_records.h"
#include "http/services/services.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/webhook_composer.h"

namespace pixledger::http {
namespace {

// An attempt at a delivery: 1, 2, 3…, and when it was or would be made.
struct ShownAttempt {
  unsigned number;
  Timestamp at;
};

// In the place of the channel's own, so that no secret is opened to show what was sent.
constexpr std::string_view kNoSecret = "whsec_00000000000000000000000000000000";

bool is_signature(std::string_view header) {
  std::string name(header);
  for (auto& c : name) c = to_ascii_lower(c);
  return name.find("signature") != std::string::npos;
}

// The members `headers` and `body` of what an attempt sends, into the object that is open. Signatures are
// left out: who may look may not speak for the service, and a receiver takes what is signed. The body is the
// text as it is sent, null where personal data is masked.
void write_webhook(Json& json, const Services& services, const stores::Delivery& delivery,
                   const domain::Channel& channel, const ShownAttempt& attempt, PersonalData personal) {
  auto body = services.webhooks.body_of(delivery);
  const auto count = domain::old_secrets(channel, attempt.at).size() + 1;
  const stores::SigningSecrets secrets(count, std::string(kNoSecret));
  const auto post = stores::signed_post(std::move(body), delivery, secrets, attempt.number, attempt.at);
  json.key("headers").begin_object();
  for (const auto& [name, value] : post.headers)
    json.field(name, is_signature(name) ? kMaskedText : std::string_view(value));
  json.end_object();
  json.field("body", personal == PersonalData::kMasked ? std::nullopt : std::optional(post.body));
}

using domain::WebhookEvent;
using domain::WebhookVersion;
using stores::Delivery;

// Of a channel's deliveries so many are looked through for one of an event.
constexpr std::size_t kLookedThroughMax = 1'000;

ShownAttempt shown_attempt(const Services& services, const Delivery& delivery,
                           const std::vector<stores::DeliveryAttempt>& attempts) {
  if (!attempts.empty()) return {attempts.back().number, attempts.back().at};
  return {1, delivery.next_attempt_at.value_or(services.clock.now())};
}

Reply render(const Services& services, const Delivery& delivery, const domain::Channel& channel,
             PersonalData personal) {
  const auto reader = services.deliveries.reader();
  const auto attempts = reader ? reader->attempts_of(delivery) : std::vector<stores::DeliveryAttempt>();
  const auto shown = shown_attempt(services, delivery, attempts);
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_delivery_fields(json, as_shown(services, delivery, attempts),
                        personal == PersonalData::kMasked ? Responses::kMasked : Responses::kShown);
  json.key("request").begin_object();
  json.field("url", channel.url).field("webhookApiVersion", delivery.version);
  json.field("attempt", shown.number);
  write_webhook(json, services, delivery, channel, shown, personal);
  json.end_object().end_object().end_object();
  return {200, json.take()};
}

std::optional<Delivery> newest_of(const Services& services, const domain::ChannelId& channel,
                                  WebhookEvent event) {
  const auto reader = services.deliveries.reader();
  if (!reader) return std::nullopt;
  const auto newest = reader->page(channel, std::nullopt, 0, kLookedThroughMax);
  const auto found = std::find_if(newest.begin(), newest.end(),
                                  [event](const Delivery& delivery) { return delivery.event == event; });
  return found == newest.end() ? std::nullopt : std::optional(*found);
}

// A test that was never asked for; its event stands for the channel's own last one.
Delivery test_of(const Services& services, const domain::Channel& channel, const Head& head) {
  const auto environment = channel.environments.contains(domain::Environment::kSandbox)
                               ? domain::Environment::kSandbox
                               : domain::Environment::kLive;
  return {.number = 0,
          .id = *domain::DeliveryId::parse("cexample00000000000000000"),
          .channel = channel.id,
          .project = channel.project,
          .charge = std::nullopt,
          .environment = environment,
          .event = std::nullopt,
          .version = WebhookVersion::kV2,
          .position = head.position,
          .sequence = 1,
          .created_at = services.clock.now(),
          .status = stores::DeliveryStatus::kPending,
          .attempts = 0,
          .next_attempt_at = std::nullopt};
}

// v1 has no words for what is told by name only.
void write_version(Json& json, const Services& services, Delivery delivery, const domain::Channel& channel,
                   WebhookVersion version, PersonalData personal) {
  json.key(domain::to_string(version));
  if (version == WebhookVersion::kV1 && delivery.event && domain::is_told_by_name_only(*delivery.event)) {
    json.null();
    return;
  }
  delivery.version = version;
  json.begin_object();
  write_webhook(json, services, delivery, channel, {1, delivery.created_at}, personal);
  json.end_object();
}

std::optional<WebhookEvent> read_event(Input& input) {
  const auto text = input.parameter("event");
  if (!text) return WebhookEvent::kTransactionPaid;
  const auto event = domain::parse_webhook_event(*text);
  if (!event) input.violations().push_back({"event", "must be the name of an event of webhooks"});
  return event;
}

// Of the two there are only this one is moved to.
void read_version(Input& input) {
  const auto text = input.parameter("webhookApiVersion");
  if (text && *text != domain::to_string(WebhookVersion::kV2))
    input.violations().push_back({"webhookApiVersion", "must be v2"});
}

}  // namespace

Reply get_delivery(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::DeliveryId>();
  if (!input.finish()) return input.refusal();
  const auto delivery = services.deliveries.find(*id);
  if (!delivery) return rejection_reply(request, domain::Rejection::kDeliveryNotFound);
  const auto channel = find_channel(services, *request.caller, delivery->channel);
  if (const auto rejection = domain::guard_delivery(channel.get(), request.caller->on_behalf()))
    return rejection_reply(request, *rejection);
  return render(services, *delivery, *channel, personal_data_for(*request.caller));
}

Reply preview_channel(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  const auto event = read_event(input);
  read_version(input);
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto channel = find_channel(services, caller, *id);
  if (const auto rejection = domain::guard_channel(channel.get(), caller.on_behalf()))
    return rejection_reply(request, *rejection);
  const auto newest = newest_of(services, *id, *event);
  const auto delivery = newest ? *newest : test_of(services, *channel, caller.arrival);
  const auto personal = personal_data_for(caller);
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("event", stores::event_name(delivery)).field("isSample", !newest);
  for (const auto version : {WebhookVersion::kV1, WebhookVersion::kV2})
    write_version(json, services, delivery, *channel, version, personal);
  json.end_object().end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
