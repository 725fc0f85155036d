#include "workers/webhooks/delivery_recovery.h"

#include <algorithm>
#include <utility>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "stores/deliveries/announcement.h"
#include "stores/deliveries/log_search.h"

namespace pixledger::workers {
namespace {

using stores::NewDelivery;
using stores::Recovery;

bool is_meant(const Recovery& recovery, const domain::RecordedEvent& event) {
  return event.position <= recovery.requested_at && event.recorded_at <= recovery.until;
}

}  // namespace

Position DeliveryRecovery::start_of(const Recovery& recovery, const domain::Channel& channel) const {
  auto since = std::max(recovery.since, channel.created_at);
  if (const auto pruned = database_.pruned_before()) since = std::max(since, *pruned);
  return stores::last_position_before(log_, since);
}

std::vector<NewDelivery> DeliveryRecovery::deliveries_for(const domain::RecordedEvent& event,
                                                          const domain::Channel& channel) {
  std::vector<NewDelivery> deliveries;
  if (event.project != channel.project) return deliveries;
  for (const auto& announcement : stores::announcements_of(history_, event)) {
    if (stores::wants(channel, announcement))
      deliveries.push_back(stores::delivery_for(event, announcement, channel));
  }
  return deliveries;
}

std::optional<DeliveryRecovery::Step> DeliveryRecovery::step() {
  const auto progress = database_.next_recovery(served_);
  if (!progress) return std::nullopt;
  const auto& recovery = progress->recovery;
  served_ = recovery.project;
  std::vector<NewDelivery> missed;
  std::optional<Position> done_up_to;
  const auto channel = eventstore::fold_as<domain::Channel>(log_, domain::channel_stream(recovery.channel),
                                                            recovery.requested_at);
  if (channel) {
    const auto after = progress->done_up_to ? *progress->done_up_to : start_of(recovery, *channel);
    for (const auto& stored : log_.read_after(after, kStepEventsMax)) {
      const auto event = eventstore::decode(stored);
      done_up_to.reset();
      if (!is_meant(recovery, event)) break;
      done_up_to = event.position;
      for (auto& delivery : deliveries_for(event, *channel)) missed.push_back(std::move(delivery));
    }
  }
  database_.advance(recovery, missed, done_up_to, clock_.now());
  return Step{recovery.channel, missed.size()};
}

}  // namespace pixledger::workers
