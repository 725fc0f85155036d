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

// A payment that a payer makes on a page of ours: what is to be paid, and the charges that were made for it,
// one after the other. It is open until one of them is paid, its time is over, or its merchant ends it.
namespace pixledger::domain {

constexpr std::size_t kChargesPerCheckoutMax = 5;
constexpr std::int32_t kCheckoutMinutesMin = 5;
constexpr std::int32_t kCheckoutMinutesMax = 43'200;  // 30 days
constexpr std::int32_t kCheckoutMinutesDefault = 1'440;

// What the page speaks. Stored by number.
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
  std::optional<std::int32_t> expiration_days;  // of its charges, which end with it at the latest
  OriginHost origin_host;
  std::optional<ExternalId> external_id;  // absent: the session's id stands for it
  std::optional<PageUrl> success_url;
  std::optional<PageUrl> cancel_url;
  std::optional<CheckoutLocale> locale;  // absent: as the payer's browser asks
  WebhookVersion webhook_version;        // of a channel of its own, for good
  bool has_channel;
  Timestamp expires_at;
  std::optional<Metadata> metadata{};  // its charges'; personal; absent when there is none or it was erased

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
// A charge was created for it, which knows it.
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
// One of its charges was paid, whatever it had come to before.
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
  std::optional<ChargeId> paid{};         // the first that was
  Metadata metadata{};                    // in no row
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

// Still open although its time is over: the next operation that meets it records that.
bool is_overdue(const CheckoutSession& session, Timestamp now);

// Expired when its time is over, whether that has been recorded or not.
CheckoutStatus status_at(const CheckoutSession& session, Timestamp now);

// nullptr when it has none yet.
const CheckoutCharge* newest_charge(const CheckoutSession& session);

// The channel that it has, if it has one.
ChannelId channel_of(const CheckoutSessionId& session);

// Whose it is; every event of a session says it.
Environment environment_of(const CheckoutEvent& event);

std::optional<CheckoutSession> apply(std::optional<CheckoutSession> session, const CheckoutEvent& event,
                                     Timestamp at);

// What the page of a checkout session shows its payer. The server of the API says it, that of the pages draws
// it; the texts are both what the API answers and what stands in a page's `data-state`.
enum class PageState : unsigned char {
  kForm,  // nobody has said yet who pays
  kWaiting,
  kProcessing,
  kPaid,
  kReview,  // money has come that the store has to look at
  kExpired,
  kCancelled,
  kFailed,
  kRefunded,
  kPartiallyRefunded
};
std::string_view to_string(PageState state);  // "partially_refunded"
std::optional<PageState> parse_page_state(std::string_view text);

// Whether the payment stands, whatever was returned of it since.
bool is_paid(PageState state);

}  // namespace pixledger::domain
