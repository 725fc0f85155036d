#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/values/position.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/api_key.h"
#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/blocklist.h"
#include "domain/aggregates/channel.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/values/stream_name.h"

namespace pixledger::domain {

// Any event, grouped by aggregate. A class instead of an alias: its copy, move and destructor code is
// compiled once instead of in every file.
class Event
    : public std::variant<ProjectEvent, ApiKeyEvent, ChannelEvent, BlocklistEvent, CustomerEvent, ChargeEvent,
                          RefusalEvent, BankConnectionEvent, PaymentEvent, CheckoutEvent, TeamEvent> {
 public:
  using variant::variant;
  Event(const Event& other);
  Event(Event&& other) noexcept;
  Event& operator=(const Event& other);
  Event& operator=(Event&& other) noexcept;
  ~Event();
};

// An event that a decision wants recorded.
struct NewEvent {
  StreamName stream;
  ProjectId project;
  Event event;
};

// An event as the log holds it.
struct RecordedEvent {
  Position position;
  StreamName stream;
  std::uint32_t version;  // in its stream: 1, 2, 3…
  Timestamp recorded_at;
  ProjectId project;
  std::string actor;       // "key-<id>", "operator-<user>", "worker-expiry", "payer-<session>",
                           // "user-<id>"
  std::string request_id;  // of the causing request; empty if none
  Event event;
};

// The unique names that an event claims for its stream.
std::vector<ClaimName> claims_of(const NewEvent& event);

ClaimName customer_claim(const CustomerId& id);                       // → the customer's stream
ClaimName end_to_end_claim(const EndToEndId& id);                     // → the charge's stream
ClaimName return_claim(const ReturnId& id);                           // → the charge's stream
ClaimName unmatched_claim(const ProjectId&, const EndToEndId&);       // → the payment's stream
ClaimName project_claim(const ProjectId& id);                         // → the project's stream
ClaimName api_key_claim(const ProjectId&, const ApiKeyId&);           // → the key's stream
ClaimName channel_claim(const ProjectId&, const ChannelId&);          // → the channel's stream
ClaimName channel_number_claim(const ProjectId&, std::uint32_t);      // → the channel's stream
ClaimName deleted_channel_claim(const ProjectId&, const ChannelId&);  // → the channel's stream

ClaimName checkout_channel_claim(const ChannelId&);  // → the channel's stream
// → the stream of the project's team; one claim for each time the user was added
ClaimName member_claim(const UserId&, const ProjectId&, std::uint32_t number);

// The common prefixes of claims, for listing them.
std::string project_claim_prefix();
std::string api_key_claim_prefix(const ProjectId& project);
std::string channel_claim_prefix(const ProjectId& project);
std::string channel_claim_prefix();  // of any project
std::string checkout_channel_claim_prefix();
std::string member_claim_prefix(const UserId& user);
std::string deleted_channel_claim_prefix(const ProjectId& project);
std::string unmatched_claim_prefix(const ProjectId& project);
std::string unmatched_claim_prefix();  // of any project

// Every kind of event. Using a kind that is missing here does not compile. Columns: the frozen number in
// Envelope.type; the event, which also names its table in events.fbs; its name in the feed. The feed name
// equals the webhook's, where one exists. Events for operators only have an empty name and are in no feed.
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

struct EventKind {
  std::uint16_t number;
  std::string_view name;  // printed by tools and accepted by filters
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
