#include "http/api/channels/deliveries.h"

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/text/ascii.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"
#include "domain/decisions/decide.h"
#include "eventstore/log/log.h"
#include "eventstore/log/stream_events.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/channels/channels.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/personal_json.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/services.h"
#include "http/services/worker_records.h"
#include "stores/deliveries/announcements.h"
#include "stores/deliveries/delivery.h"
#include "stores/deliveries/webhook_composer.h"

namespace pixledger::http {
namespace {

// A delivery as callers see it.
struct DeliveryShown {
  const domain::DeliveryId& id;
  const domain::ChannelId& channel;
  std::string_view event;
  const std::optional<domain::ChargeId>& charge;  // absent: a test
  std::optional<std::string> external_id;         // of the charge's order
  domain::Environment environment;
  stores::DeliveryStatus status;
  const std::vector<stores::DeliveryAttempt>& attempts;
  std::optional<Timestamp> next_attempt_at;
  Timestamp created_at;
};

// Whether attempts show the receiver's response, which may name a payer.
enum class Responses { kLeftOut, kShown, kMasked };

std::optional<std::string> external_id_of(const Services& services,
                                          const std::optional<domain::ChargeId>& id) {
  if (!id) return std::nullopt;
  const auto state = services.states.find(domain::charge_stream(*id), services.log.head());
  const auto* charge = state ? std::get_if<domain::Charge>(state.get()) : nullptr;
  return charge && charge->external_id ? charge->external_id->text() : id->text();
}

void write_attempt(Json& json, const stores::DeliveryAttempt& attempt, Responses responses) {
  json.begin_object().field("number", attempt.number);
  json.field("at", attempt.at);
  json.field("httpStatus", attempt.http_status == 0 ? std::nullopt : std::optional(attempt.http_status));
  json.field("latencyMs", attempt.latency_ms);
  json.field("error", attempt.error.empty() ? std::nullopt : std::optional(attempt.error));
  if (responses != Responses::kLeftOut) {
    const bool is_shown = responses == Responses::kShown && attempt.http_status != 0;
    json.field("response", is_shown ? std::optional(attempt.answer) : std::nullopt);
  }
  json.end_object();
}

// The current state. Delivery and attempts outlive the result.
DeliveryShown as_shown(const Services& services, const stores::Delivery& delivery,
                       const std::vector<stores::DeliveryAttempt>& attempts) {
  return {.id = delivery.id,
          .channel = delivery.channel,
          .event = stores::event_name(delivery),
          .charge = delivery.charge,
          .external_id = external_id_of(services, delivery.charge),
          .environment = delivery.environment,
          .status = delivery.status,
          .attempts = attempts,
          .next_attempt_at = delivery.next_attempt_at,
          .created_at = delivery.created_at};
}

// Writes the members into the open object, and the object.
void write_delivery_fields(Json& json, const DeliveryShown& delivery,
                           Responses responses = Responses::kLeftOut) {
  json.field("id", delivery.id);
  json.field("channelId", delivery.channel);
  json.field("event", delivery.event);
  json.field("transactionId", delivery.charge);
  json.field("externalId", delivery.external_id);
  json.field("environment", delivery.environment);
  json.field("status", delivery.status);
  json.key("attempts").begin_array();
  for (const auto& attempt : delivery.attempts) write_attempt(json, attempt, responses);
  json.end_array();
  json.field("nextAttemptAt", delivery.next_attempt_at);
  json.field("createdAt", delivery.created_at);
}

void write_delivery(Json& json, const DeliveryShown& delivery) {
  json.begin_object();
  write_delivery_fields(json, delivery);
  json.end_object();
}

using stores::Delivery;
using stores::DeliveryStatus;

Reply render_accepted(const DeliveryShown& delivery) {
  Json json;
  json.begin_object().field("success", true).key("data");
  write_delivery(json, delivery);
  json.end_object();
  return {202, json.take()};
}

// The delivery of a requested test; the worker makes it from the same event.
Reply render_test(const domain::ChannelId& channel, const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto& test = std::get<domain::ChannelTestRequested>(event);
  const auto now = completed.decided_at;
  return render_accepted({.id = test.delivery,
                          .channel = channel,
                          .event = stores::kTestEventName,
                          .charge = std::nullopt,
                          .external_id = std::nullopt,
                          .environment = test.environment,
                          .status = DeliveryStatus::kPending,
                          .attempts = {},
                          .next_attempt_at = now,
                          .created_at = now});
}

// The delivery as of the request to redeliver: with the attempts until then, which never change.
Reply render_redelivery(const Services& services, const Delivery& delivery,
                        std::vector<stores::DeliveryAttempt> attempts,
                        const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto made = std::get<domain::DeliveryRedeliveryRequested>(event).attempts;
  attempts.erase(std::remove_if(attempts.begin(), attempts.end(),
                                [made](const auto& attempt) { return attempt.number > made; }),
                 attempts.end());
  auto shown = as_shown(services, delivery, attempts);
  shown.status = DeliveryStatus::kPending;
  shown.next_attempt_at = completed.decided_at;
  return render_accepted(shown);
}

Reply render_recovery(int status, std::uint64_t queued, std::uint64_t hastened) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("queued", queued).field("hastened", hastened);
  json.end_object().end_object();
  return {status, json.take()};
}

Reply render_requested(const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto& recovery = std::get<domain::DeliveriesRecoveryRequested>(event);
  return render_recovery(202, recovery.queued, recovery.hastened);
}

std::optional<DeliveryStatus> read_delivery_status(Input& input) {
  const auto text = input.parameter("status");
  if (!text) return std::nullopt;
  const auto status = stores::parse_delivery_status(*text);
  if (!status) input.violations().push_back({"status", "must be pending, delivered, failed or exhausted"});
  return status;
}

// For a charge with more events, only deliveries of the newest ones are found.
constexpr std::size_t kEventsOfChargeMax = 200;

// Newest first.
std::vector<Position> newest_events_of(const Services& services, const domain::ChargeId& charge) {
  std::deque<Position> newest;
  for (const auto& stored : eventstore::StreamEvents(services.log, domain::charge_stream(charge))) {
    newest.push_front(stored.position);
    if (newest.size() > kEventsOfChargeMax) newest.pop_back();
  }
  return {newest.begin(), newest.end()};
}

struct FoundDeliveries {
  std::vector<Delivery> page{};
  std::size_t total = 0;
};

// Deliveries have no index of charges, but one of the events that caused them.
FoundDeliveries find_of_charge(const Services& services, const stores::DeliveryReader& reader,
                               const domain::ChannelId& channel, const domain::ChargeId& charge,
                               const DeliveriesAsked& asked) {
  auto all = reader.of_events(channel, newest_events_of(services, charge));
  if (asked.status)
    std::erase_if(all, [&](const Delivery& delivery) { return delivery.status != *asked.status; });
  const auto first = std::min(asked.page.offset(), all.size());
  const auto end = std::min(first + asked.page.limit, all.size());
  return {.page = {all.begin() + static_cast<std::ptrdiff_t>(first),
                   all.begin() + static_cast<std::ptrdiff_t>(end)},
          .total = all.size()};
}

FoundDeliveries find_deliveries(const Services& services, const stores::DeliveryReader& reader,
                                const domain::ChannelId& channel, const DeliveriesAsked& asked) {
  if (asked.transaction) return find_of_charge(services, reader, channel, *asked.transaction, asked);
  return {.page = reader.page(channel, asked.status, asked.page.offset(), asked.page.limit),
          .total = reader.count(channel, asked.status)};
}

struct RecoveryBody {
  Timestamp since;
  std::optional<Timestamp> until;
};

// nullopt with violations.
std::optional<RecoveryBody> read_recovery(const JsonObject& body, const TimeZone& zone) {
  const auto since = body.required<GivenTime>("since");
  const auto until = body.optional<GivenTime>("until");
  if (!since) return std::nullopt;
  RecoveryBody recovery{.since = zone.first_of(*since), .until = std::nullopt};
  if (until) recovery.until = zone.last_of(*until);
  if (until && *recovery.until < recovery.since) body.violation("until", "must not be before since");
  return recovery;
}

// Estimates what a recovery will send; the worker counts again.
void count_what_is_due(const Services& services, const Request& request, domain::RequestRecovery& command) {
  const auto& caller = *request.caller;
  const auto channel = find_channel(services, caller, command.id);
  if (domain::guard_channel(channel.get(), caller.on_behalf()) || !channel->is_active) return;
  const auto reader = services.deliveries.reader();
  const auto until = command.until.value_or(caller.arrival.time);
  command.queued = stores::count_missed_deliveries(services.log, *channel, reader.get(), command.since, until,
                                                   [&request] { request.budget.check(); });
  if (reader)
    command.hastened = reader->count_not_due(command.id, command.since, until, services.clock.now());
}

// A dry run is rejected for the same reasons as the command.
Reply count_only(const Services& services, const Request& request, const domain::RequestRecovery& command) {
  const auto channel = find_channel(services, *request.caller, command.id);
  if (const auto rejection = domain::guard_channel(channel.get(), command.caller))
    return rejection_reply(request, *rejection);
  if (!channel->is_active) return rejection_reply(request, domain::Rejection::kChannelInactive);
  return render_recovery(200, command.queued, command.hastened);
}

// An attempt, numbered from 1, and its actual or planned time.
struct ShownAttempt {
  unsigned number;
  Timestamp at;
};

// Replaces the channel's secrets, so that showing a request decrypts none.
constexpr std::string_view kNoSecret = "whsec_00000000000000000000000000000000";

bool is_signature(std::string_view header) {
  return to_lower_case(header).find("signature") != std::string::npos;
}

// Writes the members `headers` and `body` of an attempt into the open object. Signatures are masked: a
// receiver trusts signed requests, so a viewer could otherwise forge one. The body is the text as sent; null
// if personal data is masked.
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

// How many of a channel's newest deliveries are searched for one of an event.
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

// A test that was never requested, at the ledger's head.
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

// Events that only v2 sends are null in v1.
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

// A channel can only move to v2.
void read_version(Input& input) {
  const auto text = input.parameter("webhookApiVersion");
  if (text && *text != domain::to_string(WebhookVersion::kV2))
    input.violations().push_back({"webhookApiVersion", "must be v2"});
}

}  // namespace

DeliveriesAsked read_deliveries_asked(Input& input) {
  return {.page = read_page(input),
          .status = read_delivery_status(input),
          .transaction = input.parsed<domain::ChargeId>("transactionId")};
}

Reply list_deliveries(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  const auto asked = read_deliveries_asked(input);
  if (!input.finish()) return input.refusal();
  const auto channel = find_channel(services, *request.caller, *id);
  if (const auto rejection = domain::guard_channel(channel.get(), request.caller->on_behalf()))
    return rejection_reply(request, *rejection);
  return render_deliveries(services, *id, asked);
}

Reply render_deliveries(const Services& services, const domain::ChannelId& id, const DeliveriesAsked& asked) {
  const auto reader = services.deliveries.reader();
  FoundDeliveries found;
  if (reader) found = find_deliveries(services, *reader, id, asked);
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& delivery : found.page)
    write_delivery(json, as_shown(services, delivery, reader->attempts_of(delivery)));
  json.end_array();
  write_meta(json, asked.page, found.total);
  json.end_object();
  return {200, json.take()};
}

Answer test_channel(const Services&, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  return execute_once(
      request, domain::RequestChannelTest{caller.on_behalf(), *id, caller.environment}, kNoBody,
      [id = *id](const eventstore::Completed& completed) { return render_test(id, completed); });
}

Answer recover_deliveries(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  const auto body = input.body();
  const bool is_dry_run = body.optional_boolean("dryRun").value_or(false);
  if (!is_dry_run)
    if (auto refused = refuse_lack_of_scope(services, request, "channels:write")) return *std::move(refused);
  const auto recovery = read_recovery(body, zone_of(services, *request.caller));
  if (!input.finish()) return input.refusal();
  domain::RequestRecovery command{
      .caller = request.caller->on_behalf(), .id = *id, .since = recovery->since, .until = recovery->until};
  count_what_is_due(services, request, command);
  if (is_dry_run) return count_only(services, request, command);
  return execute_once(request, std::move(command), input.canonical_body(), render_requested);
}

Answer redeliver(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::DeliveryId>();
  if (!input.finish()) return input.refusal();
  const auto delivery = services.deliveries.find(*id);
  if (!delivery) return rejection_reply(request, domain::Rejection::kDeliveryNotFound);
  const domain::RequestRedelivery command{.caller = request.caller->on_behalf(),
                                          .id = delivery->channel,
                                          .delivery = *id,
                                          .attempts = delivery->attempts};
  return execute_once(
      request, command, kNoBody, [&services, delivery = *delivery](const eventstore::Completed& completed) {
        const auto reader = services.deliveries.reader();
        const auto attempts = reader ? reader->attempts_of(delivery) : std::vector<stores::DeliveryAttempt>();
        return render_redelivery(services, delivery, attempts, completed);
      });
}

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
