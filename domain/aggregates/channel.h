#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/text/enum_names.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/field.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/names.h"
#include "domain/values/sealed_secret.h"

namespace pixledger::domain {

// What merchants are told about. The numbers are stored (as bits) and never change.
enum class WebhookEvent : std::uint8_t {
  kTransactionCreated = 0,
  kTransactionPaid = 1,
  kTransactionExpired = 2,
  kTransactionRefunded = 3,
  kTransactionCancelled = 4,
  kTransactionFailed = 5,
  // From here on channels have to name what they are told of, and be on v2.
  kTransactionPartiallyRefunded = 6,
  kPaymentUnapplied = 7,
  kPaymentSettled = 8,
  kStoreChanged = 9,
};
constexpr unsigned kWebhookEventCount = 10;

constexpr bool is_told_by_name_only(WebhookEvent event) {
  return event >= WebhookEvent::kTransactionPartiallyRefunded;
}

std::string_view to_string(WebhookEvent event);  // "transaction.created"
std::optional<WebhookEvent> parse_webhook_event(std::string_view text);

class WebhookEventSet {
 public:
  static constexpr std::uint32_t kAllBits = (1U << kWebhookEventCount) - 1;
  static constexpr std::uint32_t kStandardBits =
      (1U << static_cast<unsigned>(WebhookEvent::kTransactionPartiallyRefunded)) - 1;

  static WebhookEventSet all() { return WebhookEventSet(kAllBits); }
  // What a channel is told of that names nothing.
  static WebhookEventSet standard() { return WebhookEventSet(kStandardBits); }
  static std::optional<WebhookEventSet> from_bits(std::uint32_t bits);
  // Comma-separated names; nullopt when one is unknown or there is none.
  static std::optional<WebhookEventSet> parse(std::string_view comma_separated);

  std::uint32_t bits() const { return bits_; }
  bool contains(WebhookEvent event) const { return ((bits_ >> static_cast<unsigned>(event)) & 1U) != 0; }
  std::string text() const;
  std::vector<WebhookEvent> list() const;

  friend bool operator==(const WebhookEventSet&, const WebhookEventSet&) = default;

 private:
  explicit WebhookEventSet(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t bits_;
};

// The form of the payload and signature; v1 is legacy and frozen.
enum class WebhookVersion : std::uint8_t { kV1 = 1, kV2 = 2 };

inline constexpr EnumNames<WebhookVersion::kV1, WebhookVersion::kV2> kWebhookVersionNames{"v1", "v2"};
constexpr std::string_view to_string(WebhookVersion version) { return kWebhookVersionNames.of(version); }
constexpr std::optional<WebhookVersion> parse_webhook_version(std::string_view text) {
  return kWebhookVersionNames.parse(text);
}

// Whether channels of the version can be told of all these.
bool has_all(WebhookVersion version, const WebhookEventSet& events);

// Of those that a test key may touch, and as many of the others: neither kind takes the other's room.
constexpr unsigned kChannelsPerProjectMax = 10;

// Why the service stopped sending to a channel. Stored by number.
enum class ChannelDisabledReason : std::uint8_t {
  kGone = 1,     // the receiver answered 410
  kFailing = 2,  // nothing but failures for too long
};
constexpr std::string_view to_string(ChannelDisabledReason reason) {
  return reason == ChannelDisabledReason::kGone ? "gone" : "failing";
}

constexpr std::int64_t kSecretGraceSecondsDefault = 86'400;
constexpr std::int64_t kSecretGraceSecondsMax = 604'800;
// Replaced secrets that go on signing at a time: one rotation more ends the oldest of them before its time.
constexpr std::size_t kRetiringSecretsMax = 5;

struct ChannelAdded {
  ChannelId id;
  ProjectId project;
  std::optional<Label> name;
  std::string url;  // checked at the edge: a target the service may send to
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;    // the last 4 characters
  bool sandbox_only = false;  // what there was before `environments`; says the same where these are
  std::optional<EnvironmentSet> environments = std::nullopt;  // absent in what 0.1.0 recorded
  // 1, 2, 3… among all that its project ever had; absent in what 0.1.0 recorded, which counts as well.
  std::optional<std::uint32_t> number = std::nullopt;
  // Of a checkout session that has one of its own, whose id's text is the channel's too: it is told of that
  // session's charges alone, is in no list and has no number.
  std::optional<CheckoutSessionId> checkout_session = std::nullopt;

  static constexpr auto fields(auto with) {
    return with(
        field("channelId", &ChannelAdded::id).stored_as("id").not_in_feed(),
        envelope_field("projectId", &ChannelAdded::project), field("name", &ChannelAdded::name),
        field("url", &ChannelAdded::url), field("events", &ChannelAdded::events),
        field("apiVersion", &ChannelAdded::version).stored_as("webhook_version").in_feed("webhookApiVersion"),
        secret_field("secret", &ChannelAdded::secret),
        field("secretHint", &ChannelAdded::secret_hint).not_in_feed(),
        field("sandboxOnly", &ChannelAdded::sandbox_only).not_in_feed(),
        field("environments", &ChannelAdded::environments),
        field("number", &ChannelAdded::number).not_in_feed(),
        field("checkoutSessionId", &ChannelAdded::checkout_session)
            .stored_as("checkout_session")
            .not_in_feed()
            .shown_if_set());
  }
};
// All of what a merchant can change, as it is from now on. Active: a reason for being disabled is past.
struct ChannelChanged {
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  bool is_active;
  std::optional<EnvironmentSet> environments = std::nullopt;  // absent in what 0.1.0 recorded: as they were

  static constexpr auto fields(auto with) {
    return with(field("name", &ChannelChanged::name), field("url", &ChannelChanged::url),
                field("events", &ChannelChanged::events),
                field("apiVersion", &ChannelChanged::version)
                    .stored_as("webhook_version")
                    .in_feed("webhookApiVersion"),
                field("isActive", &ChannelChanged::is_active),
                field("environments", &ChannelChanged::environments));
  }
};
struct ChannelDeleted {
  ChannelId id;
  ProjectId project;

  static constexpr auto fields(auto with) {
    return with(field("channelId", &ChannelDeleted::id).stored_as("id").not_in_feed(),
                envelope_field("projectId", &ChannelDeleted::project));
  }
};
struct ChannelSecretRotated {
  SealedSecret secret;
  std::string secret_hint;
  Timestamp grace_ends_at;  // until then the secret that it replaces goes on signing

  static constexpr auto fields(auto with) {
    return with(secret_field("secret", &ChannelSecretRotated::secret),
                field("secretHint", &ChannelSecretRotated::secret_hint).not_in_feed(),
                field("graceEndsAt", &ChannelSecretRotated::grace_ends_at));
  }
};
// By the worker.
struct ChannelDisabled {
  ChannelDisabledReason reason;

  static constexpr auto fields(auto with) { return with(field("reason", &ChannelDisabled::reason)); }
};
// A webhook that is about nothing is to be sent, also to a channel that is not active.
struct ChannelTestRequested {
  DeliveryId delivery;
  Environment environment;  // of the key that asked: says which retry schedule and `isSandbox`

  static constexpr auto fields(auto with) {
    return with(field("deliveryId", &ChannelTestRequested::delivery).stored_as("delivery"),
                field("environment", &ChannelTestRequested::environment));
  }
};
// A delivery is to be sent again, whatever it came to.
struct DeliveryRedeliveryRequested {
  DeliveryId delivery;
  // Made before, so that a repeat of the request can be answered alike.
  std::uint32_t attempts;

  static constexpr auto fields(auto with) {
    return with(field("deliveryId", &DeliveryRedeliveryRequested::delivery).stored_as("delivery"),
                field("attempts", &DeliveryRedeliveryRequested::attempts).not_in_feed());
  }
};
// What happened between two moments, both inclusive, and did not reach the channel is to be sent, at once.
struct DeliveriesRecoveryRequested {
  Timestamp since;
  Timestamp until;
  // What the request was told that there is: to send again, and to send sooner than was planned.
  std::uint64_t queued;
  std::uint64_t hastened = 0;  // also in what 0.1.0 recorded

  static constexpr auto fields(auto with) {
    return with(field("since", &DeliveriesRecoveryRequested::since),
                field("until", &DeliveriesRecoveryRequested::until),
                field("queued", &DeliveriesRecoveryRequested::queued),
                field("hastened", &DeliveriesRecoveryRequested::hastened));
  }
};
using ChannelEvent =
    std::variant<ChannelAdded, ChannelChanged, ChannelDeleted, ChannelSecretRotated, ChannelDisabled,
                 ChannelTestRequested, DeliveryRedeliveryRequested, DeliveriesRecoveryRequested>;

struct Channel {
  // A secret that was replaced, as long as it goes on signing.
  struct RetiringSecret {
    SealedSecret secret;
    Timestamp until;
  };

  ChannelId id;
  ProjectId project;
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;
  EnvironmentSet environments;  // whose charges it is told of
  bool was_told_of_live;        // now or before: some of its deliveries may be of live charges; no test key's
  bool is_active;
  std::optional<ChannelDisabledReason> disabled_reason;  // absent in one that its merchant switched off
  std::vector<RetiringSecret> retiring_secrets;          // the oldest first, at most kRetiringSecretsMax
  // When it last began to be sent to, where it is now: added, switched on again, or moved to another URL.
  // What went wrong before says nothing about it.
  Timestamp active_since;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<CheckoutSessionId> checkout_session{};
};

// Whether a channel begins anew with this change, as `Channel::active_since` tells.
bool begins_anew(const Channel& before, const ChannelChanged& change);

// Whether the channel is to be told of an event now. Of what belongs to no environment, such as a store's
// settings, channels of either are told.
bool wants(const Channel& channel, WebhookEvent event, std::optional<Environment> environment);

// The secrets that were replaced and go on signing, the oldest first; none outside of a grace. They live as
// long as the channel.
std::vector<const SealedSecret*> old_secrets(const Channel& channel, Timestamp now);

// A channel that was deleted has no state.
std::optional<Channel> apply(std::optional<Channel> channel, const ChannelEvent& event, Timestamp at);

}  // namespace pixledger::domain
