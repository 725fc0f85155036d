#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/internet_address.h"
#include "base/values/timestamp.h"
#include "base/values/webhook_url.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/field.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/metadata.h"
#include "domain/values/names.h"

// A payment on a hosted page: what to pay, and the charges created for it, one after the other. The session
// is open until a charge is paid, its time ends, or the merchant cancels it.
namespace pixledger::domain {

constexpr std::size_t kChargesPerCheckoutMax = 5;
constexpr std::int32_t kCheckoutMinutesMin = 5;
constexpr std::int32_t kCheckoutMinutesMax = 43'200;  // 30 days
constexpr std::int32_t kCheckoutMinutesDefault = 1'440;

// The page's language. Stored by number.
enum class CheckoutLocale : std::uint8_t { kPtBr = 1, kEn = 2 };
std::string_view to_string(CheckoutLocale locale);  // "pt-BR"
std::optional<CheckoutLocale> parse_checkout_locale(std::string_view text);

// The first event of its stream.
struct CheckoutSessionCreated {
  CheckoutSessionId id;
  ProjectId project;
  Environment environment;
  Cents amount;
  ProductName product;
  std::uint32_t quantity;
  std::optional<std::int32_t> expiration_days;  // of its charges, which never outlive the session
  OriginHost origin_host;
  std::optional<ExternalId> external_id;  // absent: equals the session's id
  std::optional<PageUrl> success_url;
  std::optional<PageUrl> cancel_url;
  std::optional<CheckoutLocale> locale;  // absent: follows the payer's browser
  WebhookVersion webhook_version;        // of the session's own channel; never changes
  bool has_channel;
  Timestamp expires_at;
  std::optional<Metadata> metadata{};  // of its charges; personal; absent if empty or erased

  static constexpr auto fields(auto with) {
    using Of = CheckoutSessionCreated;
    return with(field("checkoutSessionId", &Of::id).stored_as("id").not_in_feed(),
                envelope_field("projectId", &Of::project),
                field("environment", &Of::environment).not_in_feed(), field("amountCents", &Of::amount),
                field("product", &Of::product), field("quantity", &Of::quantity),
                field("expirationDays", &Of::expiration_days),
                field("originDomain", &Of::origin_host).stored_as("origin_host"),
                field("externalId", &Of::external_id), field("successUrl", &Of::success_url),
                field("cancelUrl", &Of::cancel_url), field("locale", &Of::locale),
                field("webhookApiVersion", &Of::webhook_version).stored_as("webhook_version"),
                field("hasChannel", &Of::has_channel).not_in_feed(), field("expiresAt", &Of::expires_at),
                personal_field("metadata", &Of::metadata));
  }
};
// A charge was created for the session.
struct CheckoutChargeAdded {
  Environment environment;  // the session's, as in the events below
  ChargeId charge;
  CustomerId customer;  // the charge's

  static constexpr auto fields(auto with) {
    return with(field("environment", &CheckoutChargeAdded::environment).not_in_feed(),
                field("transactionId", &CheckoutChargeAdded::charge).stored_as("charge"),
                field("customerId", &CheckoutChargeAdded::customer).stored_as("customer"));
  }
};
// One of its charges was paid, whatever state the session had.
struct CheckoutSessionCompleted {
  Environment environment;
  ChargeId charge;

  static constexpr auto fields(auto with) {
    return with(field("environment", &CheckoutSessionCompleted::environment).not_in_feed(),
                field("transactionId", &CheckoutSessionCompleted::charge).stored_as("charge"));
  }
};
struct CheckoutSessionCancelled {
  Environment environment;

  static constexpr auto fields(auto with) {
    return with(field("environment", &CheckoutSessionCancelled::environment).not_in_feed());
  }
};
struct CheckoutSessionExpired {
  Environment environment;

  static constexpr auto fields(auto with) {
    return with(field("environment", &CheckoutSessionExpired::environment).not_in_feed());
  }
};
using CheckoutEvent = std::variant<CheckoutSessionCreated, CheckoutChargeAdded, CheckoutSessionCompleted,
                                   CheckoutSessionCancelled, CheckoutSessionExpired>;

// Stored in read models by number; the texts are the API's.
enum class CheckoutStatus : std::uint8_t { kOpen = 0, kComplete = 1, kExpired = 2, kCancelled = 3 };
std::string_view to_string(CheckoutStatus status);  // "open"
std::optional<CheckoutStatus> parse_checkout_status(std::string_view text);

struct CheckoutCharge {
  ChargeId id;
  CustomerId customer;

  static constexpr auto fields(auto with) {
    return with(field("transactionId", &CheckoutCharge::id), field("customerId", &CheckoutCharge::customer));
  }
};

struct CheckoutSession {
  CheckoutSessionId id;
  ProjectId project;
  Environment environment;
  Cents amount;
  ProductName product;
  std::uint32_t quantity;
  std::optional<std::int32_t> expiration_days;
  OriginHost origin_host;
  std::optional<ExternalId> external_id;
  std::optional<PageUrl> success_url;
  std::optional<PageUrl> cancel_url;
  std::optional<CheckoutLocale> locale;
  WebhookVersion webhook_version;
  bool has_channel;
  Timestamp expires_at;
  CheckoutStatus status = CheckoutStatus::kOpen;
  std::vector<CheckoutCharge> charges{};  // in the order in which they were created
  std::optional<ChargeId> paid{};         // the first that was paid
  Metadata metadata{};                    // not stored in rows
  Timestamp created_at{};
  Timestamp updated_at{};

  static constexpr auto fields(auto with) {
    using Of = CheckoutSession;
    return with(field("checkoutSessionId", &Of::id), field("projectId", &Of::project),
                field("environment", &Of::environment), field("amountCents", &Of::amount),
                field("product", &Of::product), field("quantity", &Of::quantity),
                field("expirationDays", &Of::expiration_days), field("originDomain", &Of::origin_host),
                field("externalId", &Of::external_id), field("successUrl", &Of::success_url),
                field("cancelUrl", &Of::cancel_url), field("locale", &Of::locale),
                field("webhookApiVersion", &Of::webhook_version), field("hasChannel", &Of::has_channel),
                field("expiresAt", &Of::expires_at), field("status", &Of::status),
                field("charges", &Of::charges), field("paid", &Of::paid),
                passing_field("metadata", &Of::metadata), field("createdAt", &Of::created_at),
                field("updatedAt", &Of::updated_at));
  }
};

// Whether it is past its expiry but still open. The next operation on it records the expiry.
bool is_overdue(const CheckoutSession& session, Timestamp now);

// Expired once past its expiry, whether or not that is recorded.
CheckoutStatus status_at(const CheckoutSession& session, Timestamp now);

// nullptr before the first charge.
const CheckoutCharge* newest_charge(const CheckoutSession& session);

// The id of the session's own channel; does not say whether that exists.
ChannelId channel_of(const CheckoutSessionId& session);

// Every session event carries its environment.
Environment environment_of(const CheckoutEvent& event);

std::optional<CheckoutSession> apply(std::optional<CheckoutSession> session, const CheckoutEvent& event,
                                     Timestamp at);

// What a session's page shows the payer. The API computes it, the page server renders it. The texts appear in
// the API and in the page's `data-state`.
enum class PageState : unsigned char {
  kForm,  // no payer has entered their data yet
  kWaiting,
  kProcessing,
  kPaid,
  kReview,  // money arrived that the store has to review
  kExpired,
  kCancelled,
  kFailed,
  kRefunded,
  kPartiallyRefunded
};
std::string_view to_string(PageState state);  // "partially_refunded"
std::optional<PageState> parse_page_state(std::string_view text);

// Whether the session was paid, including refunded ones.
bool is_paid(PageState state);

}  // namespace pixledger::domain
