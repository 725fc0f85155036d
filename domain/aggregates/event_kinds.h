#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "domain/aggregates/event.h"

// Every kind of event. One that is missing does not compile where its kind is asked for.
// Number in Envelope.type, frozen; event, which gives its table in events.fbs its name; name in the feed: as
// webhooks call it, where there is one; empty: the operators' alone, and in no feed.
// clang-format off
#define PIXLEDGER_EVENT_KINDS(ROW)                                     \
  ROW(1, ProjectCreated, "store.created")                              \
  ROW(2, StoreSettingsChanged, "store.changed")                        \
  ROW(3, ConnectionAdded, "connection.added")                          \
  ROW(4, ConnectionChanged, "connection.changed")                      \
  ROW(5, DefaultConnectionSet, "connection.default_set")               \
  ROW(10, ApiKeyIssued, "api_key.issued")                              \
  ROW(11, ApiKeyExpirySet, "api_key.expiry_set")                       \
  ROW(12, ApiKeyRevoked, "api_key.revoked")                            \
  ROW(20, ChannelAdded, "channel.added")                               \
  ROW(21, ChannelChanged, "channel.changed")                           \
  ROW(22, ChannelDeleted, "channel.deleted")                           \
  ROW(23, ChannelSecretRotated, "channel.secret_rotated")              \
  ROW(24, ChannelDisabled, "channel.disabled")                         \
  ROW(25, ChannelTestRequested, "channel.test_requested")              \
  ROW(26, DeliveryRedeliveryRequested, "channel.redelivery_requested") \
  ROW(27, DeliveriesRecoveryRequested, "channel.recovery_requested")   \
  ROW(30, BlocklistEntryAdded, "blocklist.added")                      \
  ROW(31, BlocklistEntryRemoved, "blocklist.removed")                  \
  ROW(40, CustomerRegistered, "customer.created")                      \
  ROW(41, CustomerUpdated, "customer.updated")                         \
  ROW(42, CustomerBlocked, "customer.blocked")                         \
  ROW(43, CustomerUnblocked, "customer.unblocked")                     \
  ROW(44, CustomerErased, "customer.erased")                           \
  ROW(60, ChargeCreated, "transaction.created")                        \
  ROW(61, ChargePaid, "transaction.paid")                              \
  ROW(62, ChargeProcessingStarted, "transaction.processing")           \
  ROW(63, ChargeExpired, "transaction.expired")                        \
  ROW(64, ChargeCancelled, "transaction.cancelled")                    \
  ROW(65, ChargeFailed, "transaction.failed")                          \
  ROW(66, ChargeRefunded, "transaction.refunded")                      \
  ROW(67, PaymentLeftUnapplied, "payment.unapplied")                   \
  ROW(68, UnappliedPaymentAccepted, "transaction.paid")                \
  ROW(69, UnappliedPaymentReturned, "payment.returned")                \
  ROW(70, ChargeCodeSet, "transaction.code_set")                       \
  ROW(71, ChargeCancelRequested, "transaction.cancel_requested")       \
  ROW(72, ChargeCancelDropped, "transaction.cancel_dropped")           \
  ROW(73, RefundRequested, "refund.requested")                         \
  ROW(74, RefundDone, "transaction.refunded")                          \
  ROW(75, RefundFailed, "refund.failed")                               \
  ROW(76, PaymentReversed, "transaction.refunded")                     \
  ROW(77, UnappliedReturnRequested, "payment.return_requested")        \
  ROW(78, UnappliedReturnFailed, "payment.return_failed")              \
  ROW(79, UnappliedPaymentReversed, "payment.reversed")                \
  ROW(80, ChargeRefused, "transaction.refused")                        \
  ROW(81, UnappliedPaymentAdded, "payment.added")                      \
  ROW(90, ConnectionConfigured, "connection.configured")               \
  ROW(91, CallbackRegistered, "connection.callback_registered")        \
  ROW(92, CallbackRemoved, "connection.callback_removed")              \
  ROW(100, PaymentUnmatched, "")                                       \
  ROW(101, PaymentAssigned, "")                                        \
  ROW(102, PaymentClosed, "")                                          \
  ROW(103, PaymentReturnRequested, "")                                 \
  ROW(104, PaymentReturned, "")                                        \
  ROW(105, PaymentReturnFailed, "")                                    \
  ROW(106, UnmatchedPaymentReversed, "")                               \
  ROW(110, CheckoutSessionCreated, "checkout.created")                 \
  ROW(111, CheckoutChargeAdded, "checkout.transaction_added")          \
  ROW(112, CheckoutSessionCompleted, "checkout.completed")             \
  ROW(113, CheckoutSessionCancelled, "checkout.cancelled")             \
  ROW(114, CheckoutSessionExpired, "checkout.expired")                 \
  ROW(120, MemberAdded, "member.added")                                \
  ROW(121, MemberRoleChanged, "member.role_changed")                   \
  ROW(122, MemberRemoved, "member.removed")                            \
  ROW(123, MemberInvited, "member.invited")
// clang-format on

namespace pixledger::domain {

struct EventKind {
  std::uint16_t number;
  std::string_view name;  // tools print it and filters accept it
  std::string_view feed_name;
};

template <class Event>
struct KindOf;

#define PIXLEDGER_KIND(number, event, feed_name)                \
  template <>                                                   \
  struct KindOf<event> {                                        \
    static constexpr EventKind kind{number, #event, feed_name}; \
  };
PIXLEDGER_EVENT_KINDS(PIXLEDGER_KIND)
#undef PIXLEDGER_KIND

#define PIXLEDGER_COUNT(number, event, feed_name) +1
inline constexpr std::size_t kEventKindCount = 0 PIXLEDGER_EVENT_KINDS(PIXLEDGER_COUNT);
#undef PIXLEDGER_COUNT

// The highest number of them.
#define PIXLEDGER_NUMBER(number, event, feed_name) number,
inline constexpr std::uint16_t kLastEventKind =
    std::max<std::uint16_t>({PIXLEDGER_EVENT_KINDS(PIXLEDGER_NUMBER)});
#undef PIXLEDGER_NUMBER

template <class Event>
constexpr const EventKind& kind_of() {
  return KindOf<Event>::kind;
}

const EventKind& kind_of(const Event& event);

// Calls `visit.template operator()<Event>()` for each kind, in the order of the numbers.
template <class Visit>
constexpr void for_each_event_kind(Visit visit) {
#define PIXLEDGER_VISIT(number, event, feed_name) visit.template operator()<event>();
  PIXLEDGER_EVENT_KINDS(PIXLEDGER_VISIT)
#undef PIXLEDGER_VISIT
}

}  // namespace pixledger::domain
