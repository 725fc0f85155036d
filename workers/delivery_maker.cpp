#include "workers/delivery_maker.h"

#include <cassert>
#include <string>
#include <utility>

#include "eventstore/sha256.h"
#include "eventstore/state_reader.h"

namespace pixledger::workers {

using projections::NewDelivery;

projections::DeliveryId delivery_id_of(const domain::RecordedEvent& event, const domain::ChannelId& channel) {
  // The time tells apart what two histories, before and after a restore, recorded as the same version.
  const auto digest = eventstore::to_hex(
      eventstore::sha256("delivery/" + channel.text() + "/" + event.stream.text() + "/" +
                         std::to_string(event.version) + "/" + std::to_string(event.recorded_at.millis())));
  auto id = projections::DeliveryId::parse("c" + digest.substr(0, domain::kMintedIdSize - 1));
  assert(id.has_value());
  return *std::move(id);
}

std::vector<NewDelivery> DeliveryMaker::deliveries_of(const domain::RecordedEvent& event) {
  if (std::holds_alternative<domain::ChannelEvent>(event.event)) channels_.forget(event.project);
  if (const auto* charge_event = std::get_if<domain::ChargeEvent>(&event.event))
    return announce(event, *charge_event);
  return {};
}

std::vector<NewDelivery> DeliveryMaker::announce(const domain::RecordedEvent& event,
                                                 const domain::ChargeEvent& charge_event) {
  const auto& channels = channels_.channels_at(event.project, event.position);
  if (channels.empty()) return {};
  const auto charge = eventstore::fold_as<domain::Charge>(log_, event.stream, event.position);
  if (!charge) throw eventstore::LogCorrupt("the stream " + event.stream.text() + " has no charge");
  const auto webhook = domain::webhook_event_of(charge_event, *charge);
  if (!webhook) return {};

  const auto schedule = schedule_ ? *schedule_ : RetrySchedule::of(charge->environment);
  const auto delay = schedule.delay_before(1, event.position.value()).value_or(std::chrono::milliseconds(0));
  std::vector<NewDelivery> deliveries;
  for (const auto& channel : channels) {
    if (!domain::wants(channel, *webhook, charge->environment)) continue;
    deliveries.push_back({delivery_id_of(event, channel.id), channel.id, event.project, charge->id,
                          charge->environment, *webhook, channel.version, event.position, event.version,
                          event.recorded_at, event.recorded_at.plus_millis(delay.count())});
  }
  return deliveries;
}

}  // namespace pixledger::workers
