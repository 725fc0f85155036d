#include "workers/webhooks/delivery_maker.h"

#include <algorithm>
#include <string>
#include <utility>

#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/channels.h"

namespace pixledger::workers {
const std::vector<domain::Channel>& ChannelDirectory::channels_at(const domain::ProjectId& project,
                                                                  Position position) {
  const auto known = projects_.find(project);
  if (known != projects_.end()) return known->second;
  if (projects_.size() >= kProjectsMax) projects_.clear();
  std::vector<domain::Channel> channels;
  for (const auto& stream : stores::project_channels(log_, project).streams) {
    // A channel added later has no state at this position. One deleted since gets no more webhooks in any
    // case.
    if (auto channel = eventstore::fold_as<domain::Channel>(log_, stream, position))
      channels.push_back(*std::move(channel));
  }
  return projects_.emplace(project, std::move(channels)).first->second;
}

void ChannelDirectory::apply(const domain::RecordedEvent& event) {
  const auto& change = std::get<domain::ChannelEvent>(event.event);
  const auto* added = std::get_if<domain::ChannelAdded>(&change);
  const auto known = projects_.find(event.project);
  if (known == projects_.end() || (added && added->checkout_session)) return;
  auto& channels = known->second;
  const auto found = std::find_if(channels.begin(), channels.end(), [&](const domain::Channel& channel) {
    return channel.id.text() == event.stream.key();
  });
  std::optional<domain::Channel> channel;
  if (found != channels.end()) {
    channel = std::move(*found);
    channels.erase(found);
  }
  channel = domain::apply(std::move(channel), change, event.recorded_at);
  if (channel) channels.push_back(*std::move(channel));
}

namespace {

using domain::Channel;
using domain::RecordedEvent;
using stores::DeliveryChange;
using stores::NewDelivery;

std::optional<Channel> channel_at(const eventstore::Log& log, const RecordedEvent& event, Position position) {
  return eventstore::fold_as<Channel>(log, event.stream, position);
}

// The delivery changes of a channel's event.
struct ChannelChanges {
  using Change = std::optional<DeliveryChange>;

  const eventstore::Log& log;
  const RecordedEvent& event;
  const domain::ChannelId& channel;

  Change operator()(const domain::ChannelAdded&) const { return std::nullopt; }
  Change operator()(const domain::ChannelChanged& changed) const {
    if (!changed.is_active) return stores::ChannelStopped{channel};
    const auto before = channel_at(log, event, Position(event.position.value() - 1));
    if (before && !domain::begins_anew(*before, changed)) return std::nullopt;
    return stores::ChannelResumed{channel};
  }
  Change operator()(const domain::ChannelDeleted&) const {
    return stores::ChannelStopped{.channel = channel, .is_deleted = true};
  }
  Change operator()(const domain::ChannelSecretRotated&) const { return std::nullopt; }
  Change operator()(const domain::ChannelDisabled&) const { return stores::ChannelStopped{channel}; }
  Change operator()(const domain::ChannelTestRequested& test) const {
    const auto state = channel_at(log, event, event.position);
    if (!state) return std::nullopt;
    return NewDelivery{.id = test.delivery,
                       .channel = channel,
                       .project = event.project,
                       .charge = std::nullopt,
                       .environment = test.environment,
                       .event = std::nullopt,
                       .version = state->version,
                       .position = event.position,
                       .sequence = event.version,
                       .created_at = event.recorded_at,
                       .first_attempt_at = event.recorded_at};
  }
  Change operator()(const domain::DeliveryRedeliveryRequested& request) const {
    return stores::Redelivery{request.delivery, channel, event.recorded_at};
  }
  Change operator()(const domain::DeliveriesRecoveryRequested& request) const {
    return stores::Recovery{.channel = channel,
                            .project = event.project,
                            .requested_at = event.position,
                            .since = request.since,
                            .until = request.until};
  }
};

}  // namespace

std::vector<DeliveryChange> DeliveryMaker::changes_of(const RecordedEvent& event) {
  std::vector<DeliveryChange> changes;
  if (const auto* channel_event = std::get_if<domain::ChannelEvent>(&event.event)) {
    channels_.apply(event);
    const auto channel = domain::ChannelId::parse(event.stream.key());
    if (!channel) throw eventstore::LogCorrupt("the stream " + event.stream.text() + " names no channel");
    if (auto change = std::visit(ChannelChanges{log_, event, *channel}, *channel_event))
      changes.push_back(*std::move(change));
  } else {
    announce(event, changes);
  }
  return changes;
}

void DeliveryMaker::announce(const RecordedEvent& event, std::vector<DeliveryChange>& changes) {
  const bool may_be_told = std::holds_alternative<domain::ChargeEvent>(event.event) ||
                           std::holds_alternative<domain::ProjectEvent>(event.event);
  if (!may_be_told) return;
  const auto& channels = channels_.channels_at(event.project, event.position);
  for (const auto& announcement : stores::announcements_of(history_, event)) {
    for (const auto& channel : channels)
      if (stores::wants(channel, announcement))
        changes.emplace_back(delivery_of(event, announcement, channel));
    if (!announcement.checkout_session) continue;
    const auto own = history_.as<Channel>(
        domain::channel_stream(domain::channel_of(*announcement.checkout_session)), event.position);
    if (own && stores::wants(*own, announcement))
      changes.emplace_back(delivery_of(event, announcement, *own));
  }
}

NewDelivery DeliveryMaker::delivery_of(const RecordedEvent& event, const stores::Announcement& announcement,
                                       const Channel& channel) const {
  auto delivery = stores::delivery_for(event, announcement, channel);
  const auto schedule = schedule_ ? *schedule_ : RetrySchedule::of(delivery.environment);
  const auto delay = schedule.delay_before(1, event.position.value()).value_or(std::chrono::milliseconds(0));
  delivery.first_attempt_at = event.recorded_at.plus_millis(delay.count());
  return delivery;
}

}  // namespace pixledger::workers
