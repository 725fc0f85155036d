#include "http/api/channels/deliveries.h"

#include <algorithm>

#include "domain/decisions/decide_channel.h"
#include "domain/values/given_time.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "http/api/channels/channel_lookup.h"
#include "http/api/channels/delivery_json.h"
#include "http/api/common/command_reply.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/routing/page.h"
#include "http/services/delivery_records.h"
#include "projections/deliveries/missed_deliveries.h"

namespace pixledger::http {
namespace {

using projections::Delivery;
using projections::DeliveryStatus;

Reply render_accepted(const DeliveryShown& delivery) {
  eventstore::Json json;
  json.begin_object().field("success", true).key("data");
  write_delivery(json, delivery);
  json.end_object();
  return {202, json.take()};
}

// The delivery that a test will be: the worker makes it from the same event.
Reply render_test(const domain::ChannelId& channel, const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto& id = std::get<domain::ChannelTestRequested>(event).delivery;
  const auto now = completed.decided_at;
  return render_accepted({.id = id,
                          .channel = channel,
                          .event = projections::kTestEventName,
                          .charge = std::nullopt,
                          .status = DeliveryStatus::kPending,
                          .attempts = {},
                          .next_attempt_at = now,
                          .created_at = now});
}

// The delivery as it was when it was asked for again: the attempts that had been made by then, which never
// change.
Reply render_redelivery(const Delivery& delivery, std::vector<projections::DeliveryAttempt> attempts,
                        const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto made = std::get<domain::DeliveryRedeliveryRequested>(event).attempts;
  attempts.erase(std::remove_if(attempts.begin(), attempts.end(),
                                [made](const auto& attempt) { return attempt.number > made; }),
                 attempts.end());
  return render_accepted({.id = delivery.id,
                          .channel = delivery.channel,
                          .event = projections::event_name(delivery),
                          .charge = delivery.charge,
                          .status = DeliveryStatus::kPending,
                          .attempts = attempts,
                          .next_attempt_at = completed.decided_at,
                          .created_at = delivery.created_at});
}

Reply render_recovery(const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  eventstore::Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  const auto& recovery = std::get<domain::DeliveriesRecoveryRequested>(event);
  json.field("queued", recovery.queued).field("hastened", recovery.hastened);
  json.end_object().end_object();
  return {202, json.take()};
}

std::optional<DeliveryStatus> read_status(Input& input) {
  const auto text = input.parameter("status");
  if (!text) return std::nullopt;
  const auto status = projections::parse_delivery_status(*text);
  if (!status) input.violations().push_back({"status", "must be pending, delivered, failed or exhausted"});
  return status;
}

struct RecoveryBody {
  domain::Timestamp since;
  std::optional<domain::Timestamp> until;
};

// Nullopt when there are violations.
std::optional<RecoveryBody> read_recovery(const JsonObject& body) {
  const auto since = body.required<domain::GivenTime>("since");
  const auto until = body.optional<domain::GivenTime>("until");
  if (!since) return std::nullopt;
  if (!until) return RecoveryBody{since->first(), std::nullopt};
  if (until->last() < since->first()) body.violation("until", "must not be before since");
  return RecoveryBody{since->first(), until->last()};
}

// What a recovery will do, as far as it can be told now: the worker looks for itself.
void count_what_is_due(const Services& services, const Request& request, domain::RequestRecovery& command) {
  const auto& caller = *request.caller;
  const auto channel = find_channel(services, caller, command.id);
  if (domain::guard_channel(channel.get(), caller.on_behalf()) || !channel->is_active) return;
  const auto reader = services.deliveries.reader();
  const auto until = command.until.value_or(caller.arrival.time);
  command.queued = projections::count_missed_deliveries(services.log, *channel, reader.get(), command.since,
                                                        until, [&request] { request.budget.check(); });
  if (reader)
    command.hastened = reader->count_not_due(command.id, command.since, until, services.clock.now());
}

}  // namespace

DeliveriesAsked read_deliveries_asked(Input& input) { return {read_page(input), read_status(input)}; }

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
  const auto& [page, status] = asked;
  const auto reader = services.deliveries.reader();
  eventstore::Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  if (reader) {
    for (const auto& delivery : reader->page(id, status, page.offset(), page.limit)) {
      const auto attempts = reader->attempts_of(delivery);
      write_delivery(json, {.id = delivery.id,
                            .channel = delivery.channel,
                            .event = projections::event_name(delivery),
                            .charge = delivery.charge,
                            .status = delivery.status,
                            .attempts = attempts,
                            .next_attempt_at = delivery.next_attempt_at,
                            .created_at = delivery.created_at});
    }
  }
  json.end_array();
  write_meta(json, page, reader ? reader->count(id, status) : 0);
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
  const auto recovery = read_recovery(input.body());
  if (!input.finish()) return input.refusal();
  domain::RequestRecovery command{
      .caller = request.caller->on_behalf(), .id = *id, .since = recovery->since, .until = recovery->until};
  count_what_is_due(services, request, command);
  return execute_once(request, std::move(command), input.canonical_body(), render_recovery);
}

Answer redeliver(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::DeliveryId>();
  if (!input.finish()) return input.refusal();
  const auto reader = services.deliveries.reader();
  const auto delivery = reader ? reader->find(*id) : std::nullopt;
  if (!delivery) return rejection_reply(request, domain::Rejection::kDeliveryNotFound);
  const domain::RequestRedelivery command{.caller = request.caller->on_behalf(),
                                          .id = delivery->channel,
                                          .delivery = *id,
                                          .attempts = delivery->attempts};
  return execute_once(request, command, kNoBody,
                      [&services, delivery = *delivery](const eventstore::Completed& completed) {
                        const auto attempts = services.deliveries.reader()->attempts_of(delivery);
                        return render_redelivery(delivery, attempts, completed);
                      });
}

}  // namespace pixledger::http
