#include "http/api/channels/channels.h"

#include <algorithm>

#include "base/platform/clock.h"
#include "base/platform/entropy.h"
#include "domain/decisions/decide_channel.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/log/log.h"
#include "http/api/channels/channel_body.h"
#include "http/api/channels/channel_json.h"
#include "http/api/channels/channel_lookup.h"
#include "http/api/common/command_reply.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/routing/page.h"
#include "http/services/channel_targets.h"
#include "http/services/delivery_records.h"
#include "stores/deliveries/channel_secret.h"
#include "stores/deliveries/project_channels.h"

namespace pixledger::http {
namespace {

// Of an answer to a change. One that may be given again under its Idempotency-Key does not show it.
std::optional<stores::ChannelHealth> health_to_show(const Services& services, const Request& request,
                                                    const domain::ChannelId& id) {
  if (request.headers.find("Idempotency-Key")) return std::nullopt;
  return services.deliveries.health(id);
}

HealthShown shown(const std::optional<stores::ChannelHealth>& health) { return health ? &*health : nullptr; }

// An answer that is given again must have the same secret in it, so it is opened again from the ledger.
Reply render_with_secret(const Services& services, int status, const domain::ChannelId& id,
                         HealthShown health, const eventstore::Completed& completed,
                         std::optional<Timestamp> grace_ends_at = std::nullopt) {
  const auto channel = channel_as_of(services, id, completed.as_of);
  return channel_reply(
      status, channel, health,
      ShownSecret{stores::open_channel_secret(id, channel.secret, services.keyring), grace_ends_at});
}

Reply render_rotated(const Services& services, const domain::ChannelId& id, HealthShown health,
                     const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  return render_with_secret(services, 200, id, health, completed,
                            std::get<domain::ChannelSecretRotated>(event).grace_ends_at);
}

// A repeat was given an id of its own, which the event of the first request does not have.
Reply render_added(const Services& services, const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto& id = std::get<domain::ChannelAdded>(event).id;
  const stores::ChannelHealth nothing_sent;
  auto reply = render_with_secret(services, 201, id, &nothing_sent, completed);
  reply.headers.push_back({"Location", "/api/v1/notification-channels/" + id.text()});
  return reply;
}

// Whoever counted while another one was added counts again: at most as often as others may come before.
Answer add_counted(const Services& services, const Request& request, domain::AddChannel command,
                   std::string canonical_body, unsigned tries = 1) {
  const bool told_of_live = command.environments.contains(domain::Environment::kLive);
  const auto channels = stores::project_channels(services.log, command.project);
  command.channels = count_channels(services, channels.streams, told_of_live);
  command.number = channels.ever + 1;
  return execute_once(
      request, command, canonical_body,
      [&services](const eventstore::Completed& completed) { return render_added(services, completed); },
      [&services, command, canonical_body, tries](const Request& asked,
                                                  domain::Rejection rejection) -> Answer {
        if (rejection != domain::Rejection::kChannelAddedMeanwhile ||
            tries > 2 * domain::kChannelsPerProjectMax)
          return rejection_reply(asked, rejection);
        return add_counted(services, asked, command, canonical_body, tries + 1);
      });
}

Reply render_page(const Services& services, const std::vector<SharedChannel>& channels, const Page& page) {
  const auto first = std::min(page.offset(), channels.size());
  const auto end = std::min(first + page.limit, channels.size());
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (auto i = first; i < end; ++i) {
    const auto health = services.deliveries.health(channels[i]->id);
    json.begin_object();
    write_channel(json, *channels[i], &health);
    json.end_object();
  }
  json.end_array();
  write_meta(json, page, channels.size());
  json.end_object();
  return {200, json.take()};
}

}  // namespace

Reply list_channels(const Services& services, const Request& request) {
  Input input(request);
  const auto page = read_page(input);
  if (!input.finish()) return input.refusal();
  return render_page(services, channels_of(services, *request.caller), page);
}

Reply get_channel(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  if (!input.finish()) return input.refusal();
  const auto channel = find_channel(services, *request.caller, *id);
  if (const auto rejection = domain::guard_channel(channel.get(), request.caller->on_behalf()))
    return rejection_reply(request, *rejection);
  const auto health = services.deliveries.health(*id);
  return channel_reply(200, *channel, &health);
}

Answer add_channel(const Services& services, const Request& request) {
  Input input(request);
  const auto& caller = *request.caller;
  auto channel = read_new_channel({services.targets, caller.project}, input);
  if (!channel) return input.refusal();
  const auto environments =
      channel->environments.value_or(caller.sandbox_only() ? domain::EnvironmentSet::only(caller.environment)
                                                           : domain::EnvironmentSet::all());
  if (caller.sandbox_only() && environments.contains(domain::Environment::kLive))
    return rejection_reply(request, domain::Rejection::kLiveForTestKey);
  auto id = stores::new_channel_id(services.log, services.clock, services.entropy);
  auto secret = stores::make_channel_secret(id, services.keyring, services.entropy);
  domain::AddChannel command{.id = std::move(id),
                             .project = caller.project,
                             .name = std::move(channel->name),
                             .url = std::move(channel->url),
                             .events = channel->events,
                             .version = domain::WebhookVersion::kV2,
                             .secret = std::move(secret.sealed),
                             .secret_hint = std::move(secret.hint),
                             .environments = environments,
                             .target = channel->target};
  return add_counted(services, request, std::move(command), input.canonical_body());
}

Answer update_channel(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  auto change = read_channel_change({services.targets, request.caller->project}, input);
  if (!change) return input.refusal();
  domain::UpdateChannel command{request.caller->on_behalf(), *id, std::move(*change)};
  if (command.change.environments && command.change.environments->contains(domain::Environment::kLive)) {
    const auto channels = stores::project_channels(services.log, request.caller->project);
    command.live_channels = count_channels(services, channels.streams, true);
  }
  return execute_once(request, command, input.canonical_body(),
                      [&services, &request, id = *id](const eventstore::Completed& completed) {
                        const auto health = health_to_show(services, request, id);
                        return channel_reply(200, channel_as_of(services, id, completed.as_of),
                                             shown(health));
                      });
}

Answer delete_channel(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  if (!input.finish()) return input.refusal();
  return execute(request, domain::DeleteChannel{request.caller->on_behalf(), *id}, std::nullopt,
                 [&services, id = *id](const eventstore::Completed& completed) {
                   const Position before(completed.as_of.value() - completed.count);
                   const auto health = services.deliveries.health(id);
                   return channel_reply(200, channel_as_of(services, id, before), &health);
                 });
}

Answer rotate_channel_secret(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  const auto grace_seconds =
      input.optional_body().optional_integer("graceSeconds", 0, domain::kSecretGraceSecondsMax);
  if (!input.finish()) return input.refusal();
  auto secret = stores::make_channel_secret(*id, services.keyring, services.entropy);
  domain::RotateChannelSecret command{
      .caller = request.caller->on_behalf(),
      .id = *id,
      .secret = std::move(secret.sealed),
      .secret_hint = std::move(secret.hint),
      .grace_seconds = grace_seconds.value_or(domain::kSecretGraceSecondsDefault)};
  return execute_once(request, std::move(command), input.canonical_body(),
                      [&services, &request, id = *id](const eventstore::Completed& completed) {
                        const auto health = health_to_show(services, request, id);
                        return render_rotated(services, id, shown(health), completed);
                      });
}

}  // namespace pixledger::http
