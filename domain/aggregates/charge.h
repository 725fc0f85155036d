#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/internet_address.h"
#include "base/values/ip_address.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/field.h"
#include "domain/aggregates/refund.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cents.h"
#include "domain/values/charge_kinds.h"
#include "domain/values/cuid.h"
#include "domain/values/environment.h"
#include "domain/values/metadata.h"
#include "domain/values/names.h"

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
std::optional<ChargeStatus> parse_charge_status(std::string_view text);
std::string_view to_string(PaymentFlag flag);  // "PAID_AFTER_EXPIRY"

constexpr std::uint32_t kQuantityMax = 1'000'000;
constexpr std::int32_t kExpirationDaysMax = 365;
// Limit on payments that count for a charge: the first, and those that an operator added.
constexpr std::size_t kCountedPaymentsMax = 4;
constexpr std::int64_t kRefundWindowMs = 90LL * 24 * 60 * 60 * 1000;
// How far a payment's reported time may be ahead of the ledger's clock.
constexpr std::int64_t kPaymentAheadMsMax = 5LL * 60 * 1000;

struct ChargeCreated {
  ChargeId id;
  ProjectId project;
  Environment environment;
  CustomerId customer;
  ConnectionId connection;
  std::optional<ExternalId> external_id{};  // absent: equals the charge's id
  Cents amount;
  ProductName product;
  std::uint32_t quantity;
  OriginHost origin_host;
  Timestamp expires_at;
  std::string pix_code;
  std::optional<IpAddress> customer_ip{};  // personal; absent when not given or erased
  std::optional<Metadata> metadata{};      // personal; absent if empty or erased
  bool through_bank{};  // a bank moves its money: refunds are pending until the bank confirms
  // The deadline for the bank's code, and the fallback after it; absent: the code is final. Until then
  // `pix_code` holds the static code.
  std::optional<Timestamp> code_awaited_until{};
  std::optional<CodeFallback> code_fallback{};
  std::optional<CheckoutSessionId> checkout_session{};  // the session that created it

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
                personal_field("metadata", &ChargeCreated::metadata),
                field("throughBank", &ChargeCreated::through_bank).not_in_feed().shown_if_set(),
                field("codeAwaitedUntil", &ChargeCreated::code_awaited_until).not_in_feed().shown_if_set(),
                field("codeFallback", &ChargeCreated::code_fallback).not_in_feed().shown_if_set(),
                field("checkoutSessionId", &ChargeCreated::checkout_session)
                    .stored_as("checkout_session")
                    .not_in_feed()
                    .shown_if_set());
  }
};
// The final code of a charge that awaited one. Only the first decision counts.
struct ChargeCodeSet {
  CodeKind kind;
  std::string pix_code;

  static constexpr auto fields(auto with) {
    return with(field("kind", &ChargeCodeSet::kind), field("pixCode", &ChargeCodeSet::pix_code));
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
// The bank must cancel its code first …
struct ChargeCancelRequested {};
// … but did not: the charge was paid, or changed in another way.
struct ChargeCancelDropped {};
struct ChargeFailed {
  std::optional<Label> reason;  // personal, as all free text: it may name a person

  static constexpr auto fields(auto with) { return with(personal_field("reason", &ChargeFailed::reason)); }
};
struct ChargeRefunded {
  Cents amount;                  // of this refund; the charge is refunded when refunds add up to the payment
  std::optional<Label> reason;   // personal
  std::optional<RefundId> id{};  // absent in events before refunds had ids

  static constexpr auto fields(auto with) {
    return with(field("amountCents", &ChargeRefunded::amount),
                personal_field("reason", &ChargeRefunded::reason),
                field("refundId", &ChargeRefunded::id).stored_as("id").shown_if_set());
  }
};
// A refund that the bank has to make. The id is the devolução's, and never changes.
struct RefundRequested {
  RefundId id;
  Cents amount;
  std::optional<Label> reason;                // personal
  std::optional<EndToEndId> end_to_end_id{};  // the added payment that is refunded; absent: the first

  static constexpr auto fields(auto with) {
    return with(field("refundId", &RefundRequested::id).stored_as("id"),
                field("amountCents", &RefundRequested::amount),
                personal_field("reason", &RefundRequested::reason),
                field("endToEndId", &RefundRequested::end_to_end_id).not_in_feed().shown_if_set());
  }
};
struct RefundDone {
  RefundId id;
  Timestamp settled_at;  // as the bank says

  static constexpr auto fields(auto with) {
    return with(field("refundId", &RefundDone::id).stored_as("id"),
                field("settledAt", &RefundDone::settled_at).not_in_feed());
  }
};
struct RefundFailed {
  RefundId id;

  static constexpr auto fields(auto with) {
    return with(field("refundId", &RefundFailed::id).stored_as("id"));
  }
};
// The bank returned money of the payment on its own initiative.
struct PaymentReversed {
  RefundId id;
  ReturnId return_id;
  Cents amount;
  Timestamp reversed_at;                      // as the bank says
  std::optional<EndToEndId> end_to_end_id{};  // the added payment concerned; absent: the first

  static constexpr auto fields(auto with) {
    return with(field("refundId", &PaymentReversed::id).stored_as("id"),
                field("returnId", &PaymentReversed::return_id).not_in_feed(),
                field("amountCents", &PaymentReversed::amount),
                field("reversedAt", &PaymentReversed::reversed_at).not_in_feed(),
                field("endToEndId", &PaymentReversed::end_to_end_id).not_in_feed().shown_if_set());
  }
};
// Money that arrived and was not applied to the charge. An operator has to settle it.
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
// … or counts for the charge in addition to earlier payments …
struct UnappliedPaymentAdded {
  EndToEndId end_to_end_id;
  std::optional<Cents> fee;

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &UnappliedPaymentAdded::end_to_end_id),
                field("feeCents", &UnappliedPaymentAdded::fee));
  }
};
// … or the money was returned: by hand or, if an id is set, through the bank.
struct UnappliedPaymentReturned {
  EndToEndId end_to_end_id;
  std::optional<Label> reason;             // personal
  std::optional<RefundId> id{};            // the devolução's
  std::optional<Timestamp> returned_at{};  // as the bank says, if there is an id

  static constexpr auto fields(auto with) {
    using Of = UnappliedPaymentReturned;
    return with(field("endToEndId", &Of::end_to_end_id), personal_field("reason", &Of::reason),
                field("refundId", &Of::id).stored_as("id").not_in_feed().shown_if_set(),
                field("returnedAt", &Of::returned_at).not_in_feed().shown_if_set());
  }
};
// The bank has to return the payment …
struct UnappliedReturnRequested {
  RefundId id;  // the devolução's, which never changes
  EndToEndId end_to_end_id;
  std::optional<Label> reason;  // personal

  static constexpr auto fields(auto with) {
    using Of = UnappliedReturnRequested;
    return with(field("refundId", &Of::id).stored_as("id"), field("endToEndId", &Of::end_to_end_id),
                personal_field("reason", &Of::reason));
  }
};
// … but will not: the payment is unsettled again.
struct UnappliedReturnFailed {
  RefundId id;
  EndToEndId end_to_end_id;
  std::optional<Label> reason;  // the bank's words; personal

  static constexpr auto fields(auto with) {
    using Of = UnappliedReturnFailed;
    return with(field("refundId", &Of::id).stored_as("id"), field("endToEndId", &Of::end_to_end_id),
                personal_field("reason", &Of::reason));
  }
};
// The bank returned money of the payment on its own initiative, settled or not.
struct UnappliedPaymentReversed {
  EndToEndId end_to_end_id;
  RefundId id;
  ReturnId return_id;
  Cents amount;
  Timestamp reversed_at;  // as the bank says

  static constexpr auto fields(auto with) {
    using Of = UnappliedPaymentReversed;
    return with(field("endToEndId", &Of::end_to_end_id), field("refundId", &Of::id).stored_as("id"),
                field("returnId", &Of::return_id).not_in_feed(), field("amountCents", &Of::amount),
                field("reversedAt", &Of::reversed_at).not_in_feed());
  }
};
using ChargeEvent =
    std::variant<ChargeCreated, ChargePaid, ChargeProcessingStarted, ChargeExpired, ChargeCancelled,
                 ChargeFailed, ChargeRefunded, PaymentLeftUnapplied, UnappliedPaymentAccepted,
                 UnappliedPaymentReturned, ChargeCodeSet, ChargeCancelRequested, ChargeCancelDropped,
                 RefundRequested, RefundDone, RefundFailed, PaymentReversed, UnappliedReturnRequested,
                 UnappliedReturnFailed, UnappliedPaymentReversed, UnappliedPaymentAdded>;

struct UnappliedPayment {
  EndToEndId end_to_end_id;
  Cents amount;
  Timestamp paid_at;
  Timestamp received_at;
  PaymentFlag flag;
  std::optional<RefundId> return_id{};     // a return is pending or done
  std::optional<Timestamp> returned_at{};  // set once returned through the bank
  std::vector<ReversedPart> reversed{};    // by the bank's own initiative; at most the payment's amount

  static constexpr auto fields(auto with) {
    return with(field("endToEndId", &UnappliedPayment::end_to_end_id),
                field("amountCents", &UnappliedPayment::amount), field("paidAt", &UnappliedPayment::paid_at),
                field("receivedAt", &UnappliedPayment::received_at), field("flag", &UnappliedPayment::flag),
                field("returnId", &UnappliedPayment::return_id),
                field("returnedAt", &UnappliedPayment::returned_at),
                field("reversed", &UnappliedPayment::reversed));
  }
};

// The amount returned through the bank.
inline Cents gone_back(const UnappliedPayment& payment) {
  return payment.returned_at ? payment.amount : sum_of(payment.reversed);
}

// The charge's payment: id and time of the first one, amount and fee summed over all that count. Also one
// single payment.
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
  std::uint32_t refunds{0};  // count of all refunds
  std::optional<Timestamp> expired_at{};
  std::optional<Timestamp> refunded_at{};  // set when the whole payment is refunded
  std::optional<Timestamp> failed_at{};
  std::vector<UnappliedPayment> unapplied{};  // not settled yet
  std::vector<UnappliedPayment> returned{};   // kept to recognize repeated reports, and for display
  Timestamp created_at{};
  Timestamp updated_at{};
  Metadata metadata{};                // read models store it apart from the charge, where erasure finds it
  std::vector<Refund> refund_list{};  // all requested or made, in order
  bool through_bank = false;
  std::optional<Timestamp> code_awaited_until{};  // absent once the code is decided
  std::optional<CodeFallback> code_fallback{};
  CodeKind code_kind = CodeKind::kStatic;
  std::optional<Timestamp> cancel_requested_at{};  // absent once cancelled or dropped
  std::optional<CheckoutSessionId> checkout_session{};
  std::vector<Payment> added{};  // further payments that count, one by one

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
                field("returned", &Charge::returned), field("createdAt", &Charge::created_at),
                field("updatedAt", &Charge::updated_at), passing_field("metadata", &Charge::metadata),
                field("refundList", &Charge::refund_list), field("throughBank", &Charge::through_bank),
                field("codeAwaitedUntil", &Charge::code_awaited_until),
                field("codeFallback", &Charge::code_fallback), field("codeKind", &Charge::code_kind),
                field("cancelRequestedAt", &Charge::cancel_requested_at),
                field("checkoutSessionId", &Charge::checkout_session), field("added", &Charge::added));
  }
};

// Whether it is past its expiry but still waiting. The next operation on it records the expiry.
bool is_overdue(const Charge& charge, Timestamp now);

// Whether the charge still waits for its code.
inline bool awaits_code(const Charge& charge) {
  return charge.code_awaited_until && charge.status == ChargeStatus::kWaitingPayment;
}

// The amount of requested refunds that are not done. It cannot be refunded again.
Cents pending_refunds(const Charge& charge);
const Refund* find_refund(const Charge& charge, const RefundId& id);
Refund* find_refund(Charge& charge, const RefundId& id);

// The webhooks that this event triggers, in order; empty for events internal to the ledger. `after` is the
// charge with the event applied.
std::vector<WebhookEvent> webhook_events_of(const ChargeEvent& event, const Charge& after);

// How an event changes a charge's payment, for expiry and e-mails.
enum class PaymentEffect : std::uint8_t {
  kNone,
  kPaid,             // the charge is paid, and was not before
  kNotAwaited,       // the charge no longer waits for a payment
  kCancelRequested,  // the charge still waits, and its bank has to cancel it
};
PaymentEffect payment_effect_of(const ChargeEvent& event);

// The money that an event returned to the payer; nullopt for requests. `after` is the charge with the event
// applied.
struct DoneRefund {
  Cents amount;
  std::optional<Label> reason;
};
std::optional<DoneRefund> refund_done_by(const ChargeEvent& event, const Charge& after);

std::optional<Charge> apply(std::optional<Charge> charge, const ChargeEvent& event, Timestamp at);

// One of the payments that count for a charge, and the amounts returned of it.
struct CountedPayment {
  Payment payment;
  Cents gone_back{0};  // through its bank
  Cents pending{0};
  // Refunds made by hand name no payment: they are taken from the payments in order, as far as each has money
  // left.
  Cents by_hand{0};

  Cents left() const { return payment.amount - gone_back - pending - by_hand; }
};

// In order, the first payment first; empty if the charge is not paid.
std::vector<CountedPayment> counted_payments(const Charge& charge);

// The counted payment with that end-to-end id, or nullopt.
std::optional<CountedPayment> counted_payment(const Charge& charge, const EndToEndId& payment);

// The end-to-end id that the bank uses for a refund: `added` or the first payment. Asserts that the charge is
// paid.
const EndToEndId& payment_of(const Charge& charge, const std::optional<EndToEndId>& added);

// Part of its money has gone back; the rest pays it.
inline bool is_partly_refunded(const Charge& charge) {
  return charge.status == ChargeStatus::kPaid && charge.refunded > Cents(0);
}

// Whether the predicate holds for any payment that arrived for the charge: counted, unapplied or returned.
template <class IsIt>
bool has_payment(const Charge& charge, const IsIt& is_it) {
  const auto is_among = [&is_it](const auto& payments) {
    return std::any_of(payments.begin(), payments.end(),
                       [&](const auto& payment) { return is_it(payment.end_to_end_id); });
  };
  return (charge.payment && is_it(charge.payment->end_to_end_id)) || is_among(charge.added) ||
         is_among(charge.unapplied) || is_among(charge.returned);
}

inline bool has_payment(const Charge& charge, const EndToEndId& payment) {
  return has_payment(charge, [&payment](const EndToEndId& other) { return other == payment; });
}

// Returns nullptr if no payment has the id.
inline const UnappliedPayment* find_payment(const std::vector<UnappliedPayment>& payments,
                                            const EndToEndId& id) {
  const auto found = std::find_if(payments.begin(), payments.end(), [&](const UnappliedPayment& payment) {
    return payment.end_to_end_id == id;
  });
  return found == payments.end() ? nullptr : &*found;
}

}  // namespace pixledger::domain
