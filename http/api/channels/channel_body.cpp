#include "http/api/channels/channel_body.h"

#include "http/api/common/any_text.h"
#include "http/api/common/environments.h"

namespace pixledger::http {
namespace {

// New channels start on v2, and no channel goes back.
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
    // Whatever else is there, one that is unknown makes the list no list of events.
    bits |= event ? 1U << static_cast<unsigned>(*event) : ~domain::WebhookEventSet::kAllBits;
  }
  auto events = domain::WebhookEventSet::from_bits(bits);
  if (!events) body.violation("events", events_rule());
  return events;
}

}  // namespace

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

}  // namespace pixledger::http
