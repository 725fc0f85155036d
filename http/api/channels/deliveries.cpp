#include "http/api/channels/deliveries.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "base/platform/clock.h"
#include "base/values/given_time.h"
#include "domain/decisions/decide.h"
#include "eventstore/log/log.h"
#include "eventstore/log/stream_events.h"
#include "http/api/channels/channel_lookup.h"
#include "http/api/channels/delivery_json.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/project_of.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/routing/page.h"
#include "http/services/delivery_records.h"
#include "stores/deliveries/missed_deliveries.h"

namespace pixledger::http {
namespace {

using stores::Delivery;
using stores::DeliveryStatus;

Reply render_accepted(const DeliveryShown& delivery) {
  Json json;
  json.begin_object().field("success", true).key("data");
  write_delivery(json, delivery);
  json.end_object();
  return {202, json.take()};
}

// The delivery that a test will be: the worker makes it from the same event.
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

// The delivery as it was when it was asked for again: the attempts that had been made by then, which never
// change.
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

std::optional<domain::ChargeId> read_transaction(Input& input) {
  const auto text = input.parameter("transactionId");
  if (!text) return std::nullopt;
  auto id = domain::ChargeId::parse(*text);
  if (!id) input.violations().push_back({"transactionId", std::string(domain::ChargeId::kRule)});
  return id;
}

// Where a charge has more events than that, its deliveries are those of the newest.
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

// They have no index of the charges that they are about, but one of the events that caused them.
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

// Nullopt when there are violations.
std::optional<RecoveryBody> read_recovery(const JsonObject& body, const TimeZone& zone) {
  const auto since = body.required<GivenTime>("since");
  const auto until = body.optional<GivenTime>("until");
  if (!since) return std::nullopt;
  RecoveryBody recovery{.since = zone.first_of(*since), .until = std::nullopt};
  if (until) recovery.until = zone.last_of(*until);
  if (until && *recovery.until < recovery.since) body.violation("until", "must not be before since");
  return recovery;
}

// Estimates what a recovery will send; the worker counts for itself.
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

// A dry run is refused for the same reasons as the command.
Reply count_only(const Services& services, const Request& request, const domain::RequestRecovery& command) {
  const auto channel = find_channel(services, *request.caller, command.id);
  if (const auto rejection = domain::guard_channel(channel.get(), command.caller))
    return rejection_reply(request, *rejection);
  if (!channel->is_active) return rejection_reply(request, domain::Rejection::kChannelInactive);
  return render_recovery(200, command.queued, command.hastened);
}

}  // namespace

DeliveriesAsked read_deliveries_asked(Input& input) {
  return {.page = read_page(input),
          .status = read_delivery_status(input),
          .transaction = read_transaction(input)};
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

}  // namespace pixledger::http
