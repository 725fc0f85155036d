#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "domain/aggregates/channel.h"
#include "domain/aggregates/field.h"
#include "domain/aggregates/payment_flag.h"
#include "domain/pix/end_to_end_id.h"
#include "domain/text/text.h"
#include "domain/values/cents.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/ip_address.h"
#include "domain/values/metadata.h"
#include "domain/values/origin_host.h"
#include "domain/values/timestamp.h"

namespace pixledger::domain {

// The numbers are stored in read models; the texts are the API's.
enum class ChargeStatus : std::uint8_t {
  kWaitingPayment = 0,
  kProcessing = 1,
  kPaid = 2,
  kExpired = 3,
  kCancelled = 4,
  kRefunded = 5,
  kFailed = 6,
};
std::string_view to_string(ChargeStatus status);
std::string_view to_string(PaymentFlag flag);  // "PAID_AFTER_EXPIRY"

constexpr std::uint32_t kQuantityMax = 1'000'000;
constexpr std::int32_t kExpirationDaysMax = 365;
constexpr std::int64_t kRefundWindowMs = 90LL * 24 * 60 * 60 * 1000;
// How far a reported payment's time may be ahead of the ledger's: other people's clocks differ a little.
constexpr std::int64_t kPaymentAheadMsMax = 5LL * 60 * 1000;

struct ChargeCreated {
  ChargeId id;
  ProjectId project;
  Environment environment;
  CustomerId customer;
  ConnectionId connection;
  std::optional<ExternalId> external_id;  // absent: the charge's id stands for it
  Cents amount;
  ProductName product;
  std::uint32_t quantity;
  OriginHost origin_host;
  Timestamp expires_at;
  std::string pix_code;
  std::optional<IpAddress> customer_ip;  // personal; absent when not given or erased
  std::optional<Metadata> metadata{};    // personal; absent when there is none or it has been erased

  static constexpr auto fields(auto with) {
    return with(field("transactionId", &ChargeCreated::id).stored_as("id").not_in_feed(),
                envelope_field("projectId", &ChargeCreated::project),
                field("environment", &ChargeCreated::environment),
                field("customerId", &ChargeCreated::customer).stored_as("customer").not_in_feed(),
                field("connectionId", &ChargeCreated::connection).stored_as("connection").not_in_feed(),
                field("externalId", &ChargeCreated::external_id).not_in_feed(),
                field("amountCents", &ChargeCreated::amount), field("product", &ChargeCreated::product),
                field("quantity", &ChargeCreated::quantity),
                field("originDomain", &ChargeCreated::origin_host).stored_as("origin_host"),
                field("expiresAt", &ChargeCreated::expires_at).in_feed("expirationDate"),
                field("pixCode", &ChargeCreated::pix_code),
                personal_field("customerIp", &ChargeCreated::customer_ip).not_in_feed(),
                personal_field("metadata", &ChargeCreated::metadata));
  }
};
struct ChargePaid {
  EndToEndId end_to_end_id;
  Cents amount;
  Timestamp paid_at;
  std::optional<Cents> fee;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &ChargePaid::end_to_end_id), field("amountCents", &ChargePaid::amount),
                field("paidAt", &ChargePaid::paid_at), field("feeCents", &ChargePaid::fee));
  }
};
struct ChargeProcessingStarted {};
struct ChargeExpired {};
struct ChargeCancelled {};
struct ChargeFailed {
  std::optional<Label> reason;  // personal, as every free text: whoever wrote it may have named somebody

  static constexpr auto fields(auto with) { return with(personal_field("reason", &ChargeFailed::reason)); }
};
struct ChargeRefunded {
  Cents amount;                 // of this refund; the charge is refunded when they add up to the payment
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) {
    return with(field("amountCents", &ChargeRefunded::amount),
                personal_field("reason", &ChargeRefunded::reason));
  }
};
// Money that arrived and was not applied to the charge: recorded, flagged, to be settled by an operator.
struct PaymentLeftUnapplied {
  EndToEndId end_to_end_id;
  Cents amount;
  Timestamp paid_at;
  PaymentFlag flag;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &PaymentLeftUnapplied::end_to_end_id),
                field("amountCents", &PaymentLeftUnapplied::amount),
                field("paidAt", &PaymentLeftUnapplied::paid_at), field("flag", &PaymentLeftUnapplied::flag));
  }
};
// An operator settled it: it pays the charge after all …
struct UnappliedPaymentAccepted {
  EndToEndId end_to_end_id;
  std::optional<Cents> fee;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &UnappliedPaymentAccepted::end_to_end_id),
                field("feeCents", &UnappliedPaymentAccepted::fee));
  }
};
// … or the money went back.
struct UnappliedPaymentReturned {
  EndToEndId end_to_end_id;
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &UnappliedPaymentReturned::end_to_end_id),
                personal_field("reason", &UnappliedPaymentReturned::reason));
  }
};
using ChargeEvent = std::variant<ChargeCreated, ChargePaid, ChargeProcessingStarted, ChargeExpired,
                                 ChargeCancelled, ChargeFailed, ChargeRefunded, PaymentLeftUnapplied,
                                 UnappliedPaymentAccepted, UnappliedPaymentReturned>;

struct UnappliedPayment {
  EndToEndId end_to_end_id;
  Cents amount;
  Timestamp paid_at;
  Timestamp received_at;
  PaymentFlag flag;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &UnappliedPayment::end_to_end_id),
                field("amountCents", &UnappliedPayment::amount), field("paidAt", &UnappliedPayment::paid_at),
                field("receivedAt", &UnappliedPayment::received_at), field("flag", &UnappliedPayment::flag));
  }
};

// The payment that paid the charge.
struct Payment {
  EndToEndId end_to_end_id;
  Cents amount;
  Timestamp paid_at;
  std::optional<Cents> fee;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &Payment::end_to_end_id), field("amountCents", &Payment::amount),
                field("paidAt", &Payment::paid_at), field("feeCents", &Payment::fee));
  }
};

struct Charge {
  ChargeId id;
  ProjectId project;
  Environment environment;
  CustomerId customer;
  ConnectionId connection;
  std::optional<ExternalId> external_id;
  Cents amount;
  ProductName product;
  std::uint32_t quantity;
  OriginHost origin_host;
  Timestamp expires_at;
  std::string pix_code;
  ChargeStatus status = ChargeStatus::kWaitingPayment;
  std::optional<Payment> payment{};
  Cents refunded{0};
  std::uint32_t refunds{0};  // how many there have been
  std::optional<Timestamp> expired_at{};
  std::optional<Timestamp> refunded_at{};  // set when the whole payment is refunded
  std::optional<Timestamp> failed_at{};
  std::vector<UnappliedPayment> unapplied{};  // not settled yet
  std::vector<UnappliedPayment> returned{};   // kept to know a repeated report of one
  Timestamp created_at{};
  Timestamp updated_at{};
  Metadata metadata{};  // the read models have it beside the charge, where an erasure finds it

  static constexpr auto fields(auto with) {
    return with(field("transactionId", &Charge::id), field("projectId", &Charge::project),
                field("environment", &Charge::environment), field("customerId", &Charge::customer),
                field("connectionId", &Charge::connection), field("externalId", &Charge::external_id),
                field("amountCents", &Charge::amount), field("product", &Charge::product),
                field("quantity", &Charge::quantity), field("originDomain", &Charge::origin_host),
                field("expiresAt", &Charge::expires_at), field("pixCode", &Charge::pix_code),
                field("status", &Charge::status), field("payment", &Charge::payment),
                field("refundedCents", &Charge::refunded), field("refunds", &Charge::refunds),
                field("expiredAt", &Charge::expired_at), field("refundedAt", &Charge::refunded_at),
                field("failedAt", &Charge::failed_at), field("unapplied", &Charge::unapplied),
                passing_field("returned", &Charge::returned), field("createdAt", &Charge::created_at),
                field("updatedAt", &Charge::updated_at), passing_field("metadata", &Charge::metadata));
  }
};

// Still waiting although its time has passed: the next operation that meets it records its expiry.
bool is_overdue(const Charge& charge, Timestamp now);

// What merchants are told when this event is recorded, in this order; nothing of events that concern only the
// ledger. `after` is the charge with the event applied.
std::vector<WebhookEvent> webhook_events_of(const ChargeEvent& event, const Charge& after);

std::optional<Charge> apply(std::optional<Charge> charge, const ChargeEvent& event, Timestamp at);

}  // namespace pixledger::domain
