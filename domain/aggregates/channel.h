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

// The events that merchants can subscribe to. The numbers are stored (as bits) and never change.
enum class WebhookEvent : std::uint8_t {
  kTransactionCreated = 0,
  kTransactionPaid = 1,
  kTransactionExpired = 2,
  kTransactionRefunded = 3,
  kTransactionCancelled = 4,
  kTransactionFailed = 5,
  // Channels receive the following only if they name them and use v2.
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
  // The default subscription of a channel.
  static WebhookEventSet standard() { return WebhookEventSet(kStandardBits); }
  static std::optional<WebhookEventSet> from_bits(std::uint32_t bits);
  // Comma-separated names; nullopt if one is unknown or the text is empty.
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

// Whether channels of the version can receive all these events.
bool has_all(WebhookVersion version, const WebhookEventSet& events);

// The limit for channels that test keys may change, and separately for all others.
constexpr unsigned kChannelsPerProjectMax = 10;

// Why the service stopped sending to a channel. Stored by number.
enum class ChannelDisabledReason : std::uint8_t {
  kGone = 1,     // the receiver answered 410
  kFailing = 2,  // only failures for too long
};
constexpr std::string_view to_string(ChannelDisabledReason reason) {
  return reason == ChannelDisabledReason::kGone ? "gone" : "failing";
}

constexpr std::int64_t kSecretGraceSecondsDefault = 86'400;
constexpr std::int64_t kSecretGraceSecondsMax = 604'800;
// Replaced secrets that still sign. One more rotation ends the oldest early.
constexpr std::size_t kRetiringSecretsMax = 5;

struct ChannelAdded {
  ChannelId id;
  ProjectId project;
  std::optional<Label> name;
  std::string url;  // validated as an allowed target where it enters the service
  WebhookEventSet events;
  WebhookVersion version;
  SealedSecret secret;
  std::string secret_hint;    // the last 4 characters
  bool sandbox_only = false;  // predates `environments`; agrees with it where both exist
  std::optional<EnvironmentSet> environments = std::nullopt;  // absent in events of 0.1.0
  // 1, 2, 3… among all channels that the project ever had. Absent in events of 0.1.0, which count too.
  std::optional<std::uint32_t> number = std::nullopt;
  // Set on a checkout session's own channel; both ids have the same text. Such a channel receives only that
  // session's charges, appears in no list and has no number.
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
// All settings that a merchant can change, as they are from now on. Activation clears the disabled reason.
struct ChannelChanged {
  std::optional<Label> name;
  std::string url;
  WebhookEventSet events;
  WebhookVersion version;
  bool is_active;
  std::optional<EnvironmentSet> environments = std::nullopt;  // absent in events of 0.1.0: unchanged

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
  Timestamp grace_ends_at;  // until then the replaced secret also signs

  static constexpr auto fields(auto with) {
    return with(secret_field("secret", &ChannelSecretRotated::secret),
                field("secretHint", &ChannelSecretRotated::secret_hint).not_in_feed(),
                field("graceEndsAt", &ChannelSecretRotated::grace_ends_at));
  }
};
// Recorded by the worker.
struct ChannelDisabled {
  ChannelDisabledReason reason;

  static constexpr auto fields(auto with) { return with(field("reason", &ChannelDisabled::reason)); }
};
// Send a test webhook, even if the channel is inactive.
struct ChannelTestRequested {
  DeliveryId delivery;
  Environment environment;  // of the caller's key; selects the retry schedule and `isSandbox`

  static constexpr auto fields(auto with) {
    return with(field("deliveryId", &ChannelTestRequested::delivery).stored_as("delivery"),
                field("environment", &ChannelTestRequested::environment));
  }
};
// Send a delivery again, whatever its state.
struct DeliveryRedeliveryRequested {
  DeliveryId delivery;
  // Attempts before the request, so that a repeated request gets the same answer.
  std::uint32_t attempts;

  static constexpr auto fields(auto with) {
    return with(field("deliveryId", &DeliveryRedeliveryRequested::delivery).stored_as("delivery"),
                field("attempts", &DeliveryRedeliveryRequested::attempts).not_in_feed());
  }
};
// Send at once everything between two moments, both inclusive, that did not reach the channel.
struct DeliveriesRecoveryRequested {
  Timestamp since;
  Timestamp until;
  // The counts in the reply: deliveries queued again, and pending ones made due now.
  std::uint64_t queued;
  std::uint64_t hastened = 0;  // also in events of 0.1.0

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
  // A replaced secret that still signs.
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
  EnvironmentSet environments;  // whose events it receives
  bool was_told_of_live;        // now or before: refused to test keys, its deliveries may be live
  bool is_active;
  std::optional<ChannelDisabledReason> disabled_reason;  // absent if the merchant switched it off
  std::vector<RetiringSecret> retiring_secrets;          // oldest first, at most kRetiringSecretsMax
  // When sending to the current URL last began: the channel was added, reactivated, or moved to another URL.
  // Earlier failures do not count.
  Timestamp active_since;
  Timestamp created_at;
  Timestamp updated_at;
  std::optional<CheckoutSessionId> checkout_session{};
};

// Whether this change resets `Channel::active_since`.
bool begins_anew(const Channel& before, const ChannelChanged& change);

// Whether the channel receives an event now. Events without an environment, such as store settings, go to
// channels of either.
bool wants(const Channel& channel, WebhookEvent event, std::optional<Environment> environment);

// The replaced secrets that still sign, oldest first; empty outside the grace period. Pointers live as long
// as the channel.
std::vector<const SealedSecret*> old_secrets(const Channel& channel, Timestamp now);

// Returns nullopt for a deleted channel.
std::optional<Channel> apply(std::optional<Channel> channel, const ChannelEvent& event, Timestamp at);

}  // namespace pixledger::domain
