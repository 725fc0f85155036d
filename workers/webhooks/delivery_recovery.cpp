#include "workers/webhooks/delivery_recovery.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "projections/deliveries/announcement.h"
#include "projections/deliveries/log_search.h"

namespace pixledger::workers {
namespace {

using projections::NewDelivery;
using projections::Recovery;

bool is_meant(const Recovery& recovery, const domain::RecordedEvent& event) {
  return event.position <= recovery.requested_at && event.recorded_at <= recovery.until;
}

}  // namespace

domain::Position DeliveryRecovery::start_of(const Recovery& recovery, const domain::Channel& channel) const {
  auto since = std::max(recovery.since, channel.created_at);
  if (const auto pruned = database_.pruned_before()) since = std::max(since, *pruned);
  return projections::last_position_before(log_, since);
}

std::optional<DeliveryRecovery::Step> DeliveryRecovery::step() {
  const auto progress = database_.next_recovery();
  if (!progress) return std::nullopt;
  const auto& recovery = progress->recovery;
  std::vector<NewDelivery> missed;
  std::optional<domain::Position> done_up_to;
  const auto channel = eventstore::fold_as<domain::Channel>(log_, domain::channel_stream(recovery.channel),
                                                            recovery.requested_at);
  if (channel) {
    const auto after = progress->done_up_to ? *progress->done_up_to : start_of(recovery, *channel);
    for (const auto& stored : log_.read_after(after, kStepEventsMax)) {
      const auto event = eventstore::decode(stored);
      done_up_to.reset();
      if (!is_meant(recovery, event)) break;
      done_up_to = event.position;
      if (event.project != channel->project) continue;
      const auto announcement = projections::announcement_of(log_, event);
      if (!announcement) continue;
      if (domain::wants(*channel, announcement->webhook, announcement->charge.environment))
        missed.push_back(projections::delivery_for(event, *announcement, *channel));
    }
  }
  database_.advance(recovery, missed, done_up_to, clock_.now());
  return Step{recovery.channel, missed.size()};
}

}  // namespace pixledger::workers
