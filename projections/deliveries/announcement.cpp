#include "projections/deliveries/announcement.h"

#include <cassert>
#include <string>
#include <utility>

#include "eventstore/platform/sha256.h"
#include "eventstore/reading/state_reader.h"

namespace pixledger::projections {

DeliveryId delivery_id_of(const domain::RecordedEvent& event, const domain::ChannelId& channel) {
  // The time tells apart what two histories, before and after a restore, recorded as the same version.
  const auto digest = eventstore::to_hex(
      eventstore::sha256("delivery/" + channel.text() + "/" + event.stream.text() + "/" +
                         std::to_string(event.version) + "/" + std::to_string(event.recorded_at.millis())));
  auto id = DeliveryId::parse("c" + digest.substr(0, domain::kMintedIdSize - 1));
  assert(id.has_value());
  return *std::move(id);
}

std::optional<Announcement> announcement_of(const eventstore::Log& log, const domain::RecordedEvent& event) {
  const auto* charge_event = std::get_if<domain::ChargeEvent>(&event.event);
  if (!charge_event) return std::nullopt;
  // Nothing comes before a charge's first event, and most events are one.
  auto charge = event.version == 1 ? domain::apply(std::nullopt, *charge_event, event.recorded_at)
                                   : eventstore::fold_as<domain::Charge>(log, event.stream, event.position);
  if (!charge) throw eventstore::LogCorrupt("the stream " + event.stream.text() + " has no charge");
  const auto webhook = domain::webhook_event_of(*charge_event, *charge);
  if (!webhook) return std::nullopt;
  return Announcement{*std::move(charge), *webhook};
}

NewDelivery delivery_for(const domain::RecordedEvent& event, const Announcement& announcement,
                         const domain::Channel& channel) {
  return {delivery_id_of(event, channel.id),
          channel.id,
          event.project,
          announcement.charge.id,
          announcement.charge.environment,
          announcement.webhook,
          channel.version,
          event.position,
          event.version,
          event.recorded_at,
          event.recorded_at};
}

}  // namespace pixledger::projections
