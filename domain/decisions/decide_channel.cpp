#include <algorithm>
#include <cassert>

#include "domain/decisions/decide.h"

namespace pixledger::domain {
namespace {

Decision record(const Channel& channel, ChannelEvent event) {
  return record(channel_stream(channel.id), channel.project, std::move(event));
}

ChannelChanged changed(const Channel& channel, const ChannelChange& change) {
  return {.name = change.name ? change.name : channel.name,
          .url = change.url.value_or(channel.url),
          .events = change.events.value_or(channel.events),
          .version = change.move_to_v2 ? WebhookVersion::kV2 : channel.version,
          .is_active = change.is_active.value_or(channel.is_active),
          .environments = change.environments.value_or(channel.environments)};
}

bool changes_nothing(const Channel& channel, const ChannelChanged& event) {
  return event.name == channel.name && event.url == channel.url && event.events == channel.events &&
         event.version == channel.version && event.is_active == channel.is_active &&
         event.environments == channel.environments;
}

std::optional<Rejection> guard_any_channel(const Channel* channel, const Caller& caller) {
  if (!channel || (caller.project && *caller.project != channel->project)) return Rejection::kChannelNotFound;
  if (caller.sandbox_only && channel->was_told_of_live) return Rejection::kLiveForTestKey;
  return std::nullopt;
}

}  // namespace

std::optional<Rejection> refusal_of(TargetVerdict verdict) {
  switch (verdict) {
    case TargetVerdict::kAllowed:
      return std::nullopt;
    case TargetVerdict::kRefused:
      return Rejection::kWebhookTargetRefused;
    case TargetVerdict::kUnknown:
      return Rejection::kWebhookTargetUnknown;
  }
  return Rejection::kWebhookTargetUnknown;
}

std::optional<Rejection> guard_channel(const Channel* channel, const Caller& caller) {
  // A session's channel never changes and is reached only through its session.
  if (channel && channel->checkout_session) return Rejection::kChannelNotFound;
  return guard_any_channel(channel, caller);
}

std::optional<Rejection> guard_delivery(const Channel* channel, const Caller& caller) {
  const auto rejection = guard_any_channel(channel, caller);
  return rejection == Rejection::kChannelNotFound ? Rejection::kDeliveryNotFound : rejection;
}

Decision decide(const Project* project, bool number_taken, const AddChannel& command, const Context&) {
  if (const auto refusal = refusal_of(command.target)) return refuse(*refusal);
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (!has_all(command.version, command.events)) return refuse(Rejection::kWebhookEventsNeedV2);
  if (number_taken) return refuse(Rejection::kChannelAddedMeanwhile);
  if (command.channels >= kChannelsPerProjectMax) return refuse(Rejection::kChannelLimit);
  ChannelAdded added{.id = command.id,
                     .project = command.project,
                     .name = command.name,
                     .url = command.url,
                     .events = command.events,
                     .version = command.version,
                     .secret = command.secret,
                     .secret_hint = command.secret_hint,
                     .sandbox_only = !command.environments.contains(Environment::kLive),
                     .environments = command.environments,
                     .number = command.number};
  return record(channel_stream(command.id), command.project, ChannelEvent(std::move(added)));
}

Decision decide(const Channel* channel, const UpdateChannel& command, const Context&) {
  if (const auto refusal = refusal_of(command.change.target)) return refuse(*refusal);
  if (const auto rejection = guard_channel(channel, command.caller)) return refuse(*rejection);
  if (command.caller.sandbox_only && command.change.environments &&
      command.change.environments->contains(Environment::kLive))
    return refuse(Rejection::kLiveForTestKey);
  auto event = changed(*channel, command.change);
  if (!has_all(event.version, event.events)) return refuse(Rejection::kWebhookEventsNeedV2);
  const bool becomes_live = !channel->was_told_of_live && event.environments->contains(Environment::kLive);
  if (becomes_live && command.live_channels >= kChannelsPerProjectMax)
    return refuse(Rejection::kChannelLimit);
  if (changes_nothing(*channel, event)) return nothing_to_do();
  return record(*channel, std::move(event));
}

Decision decide(const Channel* channel, const DeleteChannel& command, const Context&) {
  if (const auto rejection = guard_channel(channel, command.caller)) return refuse(*rejection);
  return record(*channel, ChannelDeleted{channel->id, channel->project});
}

Decision decide(const Channel* channel, const RotateChannelSecret& command, const Context& context) {
  assert(command.grace_seconds >= 0 && command.grace_seconds <= kSecretGraceSecondsMax);
  if (const auto rejection = guard_channel(channel, command.caller)) return refuse(*rejection);
  return record(*channel, ChannelSecretRotated{command.secret, command.secret_hint,
                                               context.now.plus_millis(command.grace_seconds * 1000)});
}

Decision decide(const Channel* channel, const DisableChannel& command, const Context&) {
  if (!channel) return refuse(Rejection::kChannelNotFound);
  // A session's channel could never be reactivated. It ends with its session.
  if (channel->checkout_session) return nothing_to_do();
  if (!channel->is_active || channel->active_since != command.active_since) return nothing_to_do();
  return record(*channel, ChannelDisabled{command.reason});
}

Decision decide(const Channel* channel, const RequestChannelTest& command, const Context& context) {
  if (const auto rejection = guard_channel(channel, command.caller)) return refuse(*rejection);
  // Uses an environment that the channel receives.
  const bool is_told = channel->environments.contains(command.environment);
  const auto environment = is_told ? command.environment : other_than(command.environment);
  return record(*channel, ChannelTestRequested{mint<DeliveryId>(context.ids, 0), environment});
}

Decision decide(const Channel* channel, const RequestRedelivery& command, const Context&) {
  if (const auto rejection = guard_delivery(channel, command.caller)) return refuse(*rejection);
  if (!channel->is_active) return refuse(Rejection::kChannelInactive);
  return record(*channel, DeliveryRedeliveryRequested{command.delivery, command.attempts});
}

Decision decide(const Channel* channel, const RequestRecovery& command, const Context& context) {
  if (const auto rejection = guard_channel(channel, command.caller)) return refuse(*rejection);
  if (!channel->is_active) return refuse(Rejection::kChannelInactive);
  const auto until = std::min(command.until.value_or(context.now), context.now);
  return record(
      *channel,
      DeliveriesRecoveryRequested{
          .since = command.since, .until = until, .queued = command.queued, .hastened = command.hastened});
}

}  // namespace pixledger::domain
