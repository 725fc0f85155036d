#include "stores/deliveries/missed_deliveries.h"

#include <algorithm>

#include "eventstore/codec/codec.h"
#include "stores/deliveries/announcement.h"
#include "stores/deliveries/log_search.h"

namespace pixledger::stores {
namespace {

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

std::uint64_t count_missed_deliveries(const eventstore::Log& log, const domain::Channel& channel,
                                      const DeliveryReader* reader, Timestamp since, Timestamp until,
                                      const std::function<void()>& check) {
  auto from = std::max(since, channel.created_at);
  // What was removed stays out: nobody could tell whether it had been delivered.
  if (const auto pruned = reader ? reader->pruned_before() : std::nullopt) from = std::max(from, *pruned);
  // Read before the deliveries: those of all events up to there have been made then.
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

}  // namespace pixledger::stores
