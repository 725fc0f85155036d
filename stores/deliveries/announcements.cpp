#include "stores/deliveries/announcements.h"

#include <algorithm>
#include <cassert>
#include <string>
#include <utility>

#include "base/platform/sha256.h"
#include "eventstore/codec/codec.h"

namespace pixledger::stores {
namespace {

using domain::Environment;

std::vector<Announcement> of_charge(eventstore::StateHistory& history, const domain::RecordedEvent& event,
                                    const domain::ChargeEvent& change) {
  std::optional<domain::Charge> created;
  eventstore::StateHistory::Shared state;
  const domain::Charge* charge = nullptr;
  // A charge's first event has no earlier state, and most events are first ones.
  if (event.version == 1) {
    created = domain::apply(std::nullopt, change, event.recorded_at);
    if (created) charge = &*created;
  } else if ((state = history.at(event.stream, event.position))) {
    charge = std::get_if<domain::Charge>(state.get());
  }
  if (!charge) throw eventstore::LogCorrupt("the stream " + event.stream.text() + " has no charge");
  std::vector<Announcement> announcements;
  for (const auto webhook : domain::webhook_events_of(change, *charge))
    announcements.push_back({webhook, charge->id, charge->environment, charge->checkout_session});
  return announcements;
}

constexpr std::size_t kBatchEvents = 512;

bool is_missed(const DeliveryReader* reader, const DeliveryId& id) {
  const auto delivery = reader ? reader->find(id) : std::nullopt;
  return !delivery || delivery->status == DeliveryStatus::kFailed ||
         delivery->status == DeliveryStatus::kExhausted;
}

std::uint64_t count_missed(eventstore::StateHistory& history, const DeliveryReader* reader,
                           const domain::Channel& channel, const domain::RecordedEvent& event) {
  if (event.project != channel.project) return 0;
  std::uint64_t missed = 0;
  for (const auto& announcement : announcements_of(history, event)) {
    if (wants(channel, announcement) &&
        is_missed(reader, delivery_id_of(event, announcement.webhook, channel.id)))
      ++missed;
  }
  return missed;
}

}  // namespace

std::vector<Announcement> announcements_of(eventstore::StateHistory& history,
                                           const domain::RecordedEvent& event) {
  if (const auto* change = std::get_if<domain::ChargeEvent>(&event.event))
    return of_charge(history, event, *change);
  const auto* change = std::get_if<domain::ProjectEvent>(&event.event);
  if (change && std::holds_alternative<domain::StoreSettingsChanged>(*change))
    return {{domain::WebhookEvent::kStoreChanged, std::nullopt, std::nullopt}};
  return {};
}

bool wants(const domain::Channel& channel, const Announcement& announcement) {
  if (channel.checkout_session && channel.checkout_session != announcement.checkout_session) return false;
  return domain::wants(channel, announcement.webhook, announcement.environment);
}

DeliveryId delivery_id_of(const domain::RecordedEvent& event, domain::WebhookEvent webhook,
                          const domain::ChannelId& channel) {
  // The time distinguishes events that two histories, before and after a restore, recorded as the same
  // version.
  auto names = "delivery/" + channel.text() + "/" + event.stream.text() + "/" +
               std::to_string(event.version) + "/" + std::to_string(event.recorded_at.millis());
  // An event has at most one standard kind, and possibly another kind beside it.
  if (domain::is_told_by_name_only(webhook)) names.append("/").append(domain::to_string(webhook));
  const auto digest = to_hex(sha256(names));
  auto id = DeliveryId::parse("c" + digest.substr(0, domain::kMintedIdSize - 1));
  assert(id.has_value());
  return *std::move(id);
}

NewDelivery delivery_for(const domain::RecordedEvent& event, const Announcement& announcement,
                         const domain::Channel& channel) {
  // An event of both environments uses the schedule of one that the channel subscribes to.
  const auto channels_own =
      channel.environments.contains(Environment::kLive) ? Environment::kLive : Environment::kSandbox;
  return {.id = delivery_id_of(event, announcement.webhook, channel.id),
          .channel = channel.id,
          .project = event.project,
          .charge = announcement.charge,
          .environment = announcement.environment.value_or(channels_own),
          .event = announcement.webhook,
          .version = channel.version,
          .position = event.position,
          .sequence = event.version,
          .created_at = event.recorded_at,
          .first_attempt_at = event.recorded_at};
}

std::uint64_t count_missed_deliveries(const eventstore::Log& log, const domain::Channel& channel,
                                      const DeliveryReader* reader, Timestamp since, Timestamp until,
                                      const std::function<void()>& check) {
  auto from = std::max(since, channel.created_at);
  // Removed data is excluded, since its delivery status is unknown.
  if (const auto pruned = reader ? reader->pruned_before() : std::nullopt) from = std::max(from, *pruned);
  // Read before the deliveries: those of all events up to the cursor exist then.
  const auto cursor = reader ? reader->cursor() : std::nullopt;
  auto after = last_position_before(log, from);
  eventstore::StateHistory history(log);
  std::uint64_t missed = 0;
  for (std::size_t looked_at = 0; looked_at < kMissedEventsCountedMax;) {
    const auto batch = log.read_after(after, kBatchEvents);
    if (batch.empty()) break;
    for (const auto& stored : batch) {
      check();
      const auto event = eventstore::decode(stored);
      if (event.recorded_at > until || (cursor && event.position > cursor->position)) return missed;
      missed += count_missed(history, reader, channel, event);
    }
    looked_at += batch.size();
    after = batch.back().position;
  }
  return missed;
}

Position last_position_before(const eventstore::Log& log, Timestamp moment) {
  std::uint64_t before = 0;
  std::uint64_t not_before = log.head().position.value() + 1;
  while (not_before - before > 1) {
    const auto middle = before + (not_before - before) / 2;
    const auto stored = log.read_after(Position(middle - 1), 1);
    if (stored.empty()) throw eventstore::LogCorrupt("no event at position " + std::to_string(middle));
    if (eventstore::decode(stored.front()).recorded_at < moment)
      before = middle;
    else
      not_before = middle;
  }
  return Position(before);
}

}  // namespace pixledger::stores
