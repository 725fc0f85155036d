#include "http/api/channels/channels.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/http/message/reply.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/values/civil_date.h"
#include "domain/aggregates/channel.h"
#include "domain/decisions/command.h"
#include "domain/decisions/decide.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/body_fields.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/channel_targets.h"
#include "http/services/worker_records.h"
#include "stores/deliveries/channels.h"
#include "stores/deliveries/delivery.h"

namespace pixledger::http {
namespace {

// The health of a channel's deliveries. Null if a reply must not contain it: repeats under an Idempotency-Key
// must be equal, and health changes.
using HealthShown = const stores::ChannelHealth*;

// The secret, which is shown once.
struct ShownSecret {
  std::string text;
  std::optional<Timestamp> grace_ends_at;  // after a rotation: until then the old one signs, too
};

// nullopt: not shown.
std::optional<std::string_view> status_of(const domain::Channel& channel, HealthShown health) {
  if (!channel.is_active) return "disabled";
  if (!health) return std::nullopt;
  return health->failing() ? "failing" : "ok";
}

void write_health(Json& json, const domain::Channel& channel, HealthShown health) {
  json.key("health").begin_object();
  json.field("status", status_of(channel, health));
  if (health) {
    json.field("consecutiveFailures", health->consecutive_failures);
    json.field("lastSuccessAt", health->last_success_at);
    json.field("lastFailureAt", health->last_failure_at);
  } else {
    json.null("consecutiveFailures").null("lastSuccessAt").null("lastFailureAt");
  }
  json.field("disabledReason", channel.disabled_reason);
  json.end_object();
}

// Writes a channel's members into the open object. Never the secret.
void write_channel(Json& json, const domain::Channel& channel, HealthShown health) {
  json.field("id", channel.id);
  json.field("name", channel.name);
  json.field("url", channel.url);
  json.key("events").begin_array();
  for (const auto event : channel.events.list()) json.value(event);
  json.end_array();
  json.key("environments").begin_array();
  for (const auto environment : channel.environments.list()) json.value(domain::to_string(environment));
  json.end_array();
  json.field("isActive", channel.is_active);
  json.field("webhookApiVersion", channel.version);
  json.field("secretHint", channel.secret_hint);
  write_health(json, channel, health);
  json.field("createdAt", channel.created_at);
  json.field("updatedAt", channel.updated_at);
}

// {"success":true,"data":record}, with the secret, if given, as its last members.
Reply channel_reply(int status, const domain::Channel& channel, HealthShown health,
                    const std::optional<ShownSecret>& secret = std::nullopt) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_channel(json, channel, health);
  if (secret) {
    json.field("secret", secret->text);
    if (secret->grace_ends_at) json.field("graceEndsAt", *secret->grace_ends_at);
  }
  json.end_object().end_object();
  return {status, json.take()};
}

// The body of POST.
struct NewChannelBody {
  std::optional<domain::Label> name;
  std::string url;
  domain::WebhookEventSet events;  // by default the standard ones
  std::optional<domain::EnvironmentSet> environments;
  domain::TargetVerdict target;  // the result of checking the URL's host
};

// New channels start on v2, and no channel returns to v1.
struct NewestVersion {
  static constexpr std::string_view kRule = "must be v2";
  static std::optional<NewestVersion> parse(std::string_view text) {
    if (domain::parse_webhook_version(text) != domain::WebhookVersion::kV2) return std::nullopt;
    return NewestVersion{};
  }
};

struct Target {
  std::string url;
  domain::TargetVerdict verdict;
};

std::optional<Target> read_target(const ProjectTargets& targets, const JsonObject& body,
                                  std::optional<AnyText> url) {
  if (!url) return std::nullopt;
  const auto parsed = targets.parse(url->text);
  if (const auto* refused = std::get_if<TargetRefused>(&parsed)) {
    body.violation("url", refused->reason);
    return std::nullopt;
  }
  const auto verdict = targets.verdict_of(url->text);
  return Target{std::move(url->text), verdict};
}

std::string events_rule() {
  auto names = domain::WebhookEventSet::all().text();
  std::string rule = "must be a list of at least one of ";
  for (const char c : names) rule += c == ',' ? std::string(", ") : std::string(1, c);
  return rule;
}

std::optional<domain::WebhookEventSet> read_events(const JsonObject& body) {
  const auto texts = body.optional_texts("events", events_rule());
  if (!texts) return std::nullopt;
  std::uint32_t bits = 0;
  for (const auto text : *texts) {
    const auto event = domain::parse_webhook_event(text);
    // One unknown event invalidates the whole list.
    bits |= event ? 1U << static_cast<unsigned>(*event) : ~domain::WebhookEventSet::kAllBits;
  }
  auto events = domain::WebhookEventSet::from_bits(bits);
  if (!events) body.violation("events", events_rule());
  return events;
}

// The bodies of POST and PATCH. Finishes the input: nullopt with violations. A target that only the network
// check refuses is added to other violations; alone it is left to the command.
std::optional<NewChannelBody> read_new_channel(const ProjectTargets& targets, Input& input) {
  const auto body = input.body();
  auto name = body.optional<domain::Label>("name");
  auto target = read_target(targets, body, body.required<AnyText>("url"));
  const auto events = read_events(body);
  const auto environments = read_environments(body);
  body.optional<NewestVersion>("webhookApiVersion");
  if (input.finish())
    return NewChannelBody{.name = std::move(name),
                          .url = std::move(target->url),
                          .events = events.value_or(domain::WebhookEventSet::standard()),
                          .environments = environments,
                          .target = target->verdict};
  if (target && target->verdict == domain::TargetVerdict::kRefused)
    body.violation("url", std::string(kTargetRule));
  return std::nullopt;
}

std::optional<domain::ChannelChange> read_channel_change(const ProjectTargets& targets, Input& input) {
  const auto body = input.body();
  domain::ChannelChange change;
  change.name = body.optional<domain::Label>("name");
  const auto target = read_target(targets, body, body.optional<AnyText>("url"));
  change.events = read_events(body);
  change.environments = read_environments(body);
  change.is_active = body.optional_boolean("isActive");
  change.move_to_v2 = body.optional<NewestVersion>("webhookApiVersion").has_value();
  if (target) {
    change.url = target->url;
    change.target = target->verdict;
  }
  if (input.finish()) return change;
  if (change.target == domain::TargetVerdict::kRefused) body.violation("url", std::string(kTargetRule));
  return std::nullopt;
}

// nullopt with an Idempotency-Key, since the reply may be repeated.
std::optional<stores::ChannelHealth> health_to_show(const Services& services, const Request& request,
                                                    const domain::ChannelId& id) {
  if (request.headers.find("Idempotency-Key")) return std::nullopt;
  return services.deliveries.health(id);
}

HealthShown shown(const std::optional<stores::ChannelHealth>& health) { return health ? &*health : nullptr; }

// A repeated reply must contain the same secret, so it is decrypted again from the ledger.
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

// A repeat has generated another id; the first request's is in the event.
Reply render_added(const Services& services, const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ChannelEvent>(completed.events().front().event);
  const auto& id = std::get<domain::ChannelAdded>(event).id;
  const stores::ChannelHealth nothing_sent;
  auto reply = render_with_secret(services, 201, id, &nothing_sent, completed);
  reply.headers.push_back({"Location", "/api/v1/notification-channels/" + id.text()});
  return reply;
}

// Counts again if another channel was added meanwhile; each retry means that another one was added.
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

SharedChannel find_at(const Services& services, Head as_of, const domain::StreamName& stream) {
  auto state = services.states.find(stream, as_of);
  const auto* channel = state ? std::get_if<domain::Channel>(state.get()) : nullptr;
  if (!channel) return nullptr;
  return {std::move(state), channel};
}

constexpr std::int64_t kHours = 24;
// Attempts are looked up delivery by delivery: some tens of milliseconds in all. A step blocks other readers
// of deliveries.
constexpr std::size_t kDeliveriesMax = 10'000;
constexpr std::size_t kDeliveriesOfStep = 500;
constexpr std::size_t kErrorsMax = 10;

struct Hour {
  std::uint64_t delivered = 0;
  std::uint64_t failed = 0;
};

struct ChannelStats {
  std::int64_t first_hour;  // since 1970
  std::array<Hour, kHours> hours{};
  Hour all{};
  std::vector<std::int64_t> latencies{};  // of the attempts that were answered; ascending
  std::map<std::string, std::uint64_t> errors{};
  std::uint64_t pending = 0;
  Timestamp complete_since{};  // earlier attempts belong to more deliveries than were read
};

void count(ChannelStats& stats, const stores::DeliveryAttempt& attempt) {
  const auto hour = attempt.at.millis() / kHourMs - stats.first_hour;
  if (hour < 0 || hour >= kHours) return;
  for (auto* sums : {&stats.hours[static_cast<std::size_t>(hour)], &stats.all})
    ++(attempt.error.empty() ? sums->delivered : sums->failed);
  if (!attempt.error.empty()) ++stats.errors[attempt.error];
  if (attempt.http_status != 0) stats.latencies.push_back(attempt.latency_ms);
}

void count_attempts(ChannelStats& stats, const stores::DeliveryReader& reader,
                    const domain::ChannelId& channel, const WorkBudget& budget) {
  const auto since = stats.complete_since;
  std::optional<stores::OlderThan> older;
  for (std::size_t looked_at = 0; looked_at < kDeliveriesMax; looked_at += kDeliveriesOfStep) {
    budget.check();
    const auto recent = reader.recent_attempts(channel, since, older, kDeliveriesOfStep);
    for (const auto& attempt : recent.attempts) count(stats, attempt);
    older = recent.next;
    if (!older) break;
  }
  if (older) stats.complete_since = std::max(since, older->created_at);
  std::sort(stats.latencies.begin(), stats.latencies.end());
}

// Most frequent first.
std::vector<std::pair<std::string, std::uint64_t>> most_frequent(
    const std::map<std::string, std::uint64_t>& errors) {
  std::vector<std::pair<std::string, std::uint64_t>> sorted(errors.begin(), errors.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& left, const auto& right) { return left.second > right.second; });
  sorted.resize(std::min(sorted.size(), kErrorsMax));
  return sorted;
}

std::optional<std::int64_t> percentile(const std::vector<std::int64_t>& ascending, std::size_t percent) {
  if (ascending.empty()) return std::nullopt;
  return ascending[(ascending.size() * percent + 99) / 100 - 1];
}

Reply render(const ChannelStats& stats) {
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.key("hours").begin_array();
  for (std::size_t i = 0; i < stats.hours.size(); ++i) {
    const Timestamp hour((stats.first_hour + static_cast<std::int64_t>(i)) * kHourMs);
    json.begin_object().field("hour", hour);
    json.field("delivered", stats.hours[i].delivered).field("failed", stats.hours[i].failed).end_object();
  }
  json.end_array();
  json.field("delivered", stats.all.delivered).field("failed", stats.all.failed);
  json.field("pending", stats.pending);
  json.field("latencyP50Ms", percentile(stats.latencies, 50));
  json.field("latencyP95Ms", percentile(stats.latencies, 95));
  json.key("errors").begin_array();
  for (const auto& [error, times] : most_frequent(stats.errors))
    json.begin_object().field("error", error).field("count", times).end_object();
  json.end_array().field("completeSince", stats.complete_since);
  json.end_object().end_object();
  return {200, json.take()};
}

using domain::WebhookEvent;

// Fields of v2 payloads that not every event has.
using Fields = std::array<std::string_view, 4>;

struct Entry {
  WebhookEvent event;
  std::string_view description;
  Fields extra_fields;  // empty texts: none
};

constexpr std::array<Entry, domain::kWebhookEventCount> kEntries = {{
    {WebhookEvent::kTransactionCreated, "A PIX charge was created.", {"pixCode", "expirationDate"}},
    {WebhookEvent::kTransactionPaid,
     "A PIX payment was confirmed. fee is there when the store has one.",
     {"fee"}},
    {WebhookEvent::kTransactionExpired, "A transaction expired unpaid.", {}},
    {WebhookEvent::kTransactionRefunded,
     "The whole amount of a transaction was refunded.",
     {"refundAmountCents"}},
    {WebhookEvent::kTransactionCancelled, "A transaction was cancelled before it was paid.", {}},
    {WebhookEvent::kTransactionFailed, "A transaction failed during processing.", {}},
    {WebhookEvent::kTransactionPartiallyRefunded,
     "A part of a payment was refunded; the transaction stays paid.",
     {"refundAmountCents"}},
    {WebhookEvent::kPaymentUnapplied,
     "Money arrived that does not fit its transaction, and was kept aside.",
     {"payment"}},
    {WebhookEvent::kPaymentSettled,
     "Money that had been kept aside pays its transaction after all, or went back.",
     {"payment", "settlement"}},
    {WebhookEvent::kStoreChanged,
     "Settings of the store were changed.",
     {"storeId", "changed", "before", "after"}},
}};

void write_entry(Json& json, const Entry& entry) {
  json.begin_object();
  json.field("event", entry.event);
  json.field("description", entry.description);
  json.field("payloadType", entry.event == WebhookEvent::kStoreChanged ? "store" : "transaction");
  json.key("extraFields").begin_array();
  for (const auto field : entry.extra_fields) {
    if (!field.empty()) json.value(field);
  }
  json.end_array().end_object();
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
  auto id = eventstore::fresh_id<domain::ChannelId>(services.log, services.clock, services.entropy);
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
  return execute_once(request, std::move(command), input.canonical_body(),
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

SharedChannel find_channel(const Services& services, const Caller& caller, const domain::ChannelId& id) {
  return find_at(services, caller.arrival, domain::channel_stream(id));
}

std::size_t count_channels(const Services& services, const std::vector<domain::StreamName>& streams,
                           bool told_of_live) {
  const auto head = services.log.head();
  return static_cast<std::size_t>(std::count_if(streams.begin(), streams.end(), [&](const auto& stream) {
    const auto channel = find_at(services, head, stream);
    return channel && channel->was_told_of_live == told_of_live;
  }));
}

std::vector<SharedChannel> channels_of(const Services& services, const Caller& caller) {
  std::vector<SharedChannel> channels;
  for (const auto& stream : stores::project_channels(services.log, caller.project).streams) {
    auto channel = find_at(services, caller.arrival, stream);
    if (!domain::guard_channel(channel.get(), caller.on_behalf())) channels.push_back(std::move(channel));
  }
  std::sort(channels.begin(), channels.end(), [](const auto& a, const auto& b) { return a->id > b->id; });
  return channels;
}

domain::Channel channel_as_of(const Services& services, const domain::ChannelId& id, Position as_of) {
  auto channel = services.history.as<domain::Channel>(domain::channel_stream(id), as_of);
  if (!channel) throw eventstore::LogCorrupt("a channel that a command was about is not in the ledger");
  return *std::move(channel);
}

Reply get_channel_stats(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<domain::ChannelId>();
  if (!input.finish()) return input.refusal();
  const auto channel = find_channel(services, *request.caller, *id);
  if (const auto rejection = domain::guard_channel(channel.get(), request.caller->on_behalf()))
    return rejection_reply(request, *rejection);
  const auto first_hour = services.clock.now().millis() / kHourMs - (kHours - 1);
  ChannelStats stats{.first_hour = first_hour, .complete_since = Timestamp(first_hour * kHourMs)};
  if (const auto reader = services.deliveries.reader()) {
    count_attempts(stats, *reader, *id, request.budget);
    stats.pending = reader->count(*id, stores::DeliveryStatus::kPending);
  }
  return render(stats);
}

Reply list_webhook_events(const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& entry : kEntries) write_entry(json, entry);
  json.end_array().end_object();
  return {200, json.take()};
}

}  // namespace pixledger::http
