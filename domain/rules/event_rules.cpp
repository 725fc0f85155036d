#include "domain/rules/event_rules.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <string>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/event.h"
#include "domain/decisions/decide.h"
#include "domain/decisions/decision.h"

namespace pixledger::domain {
namespace {

// Helpers of all rules.

using Problem = std::optional<std::string>;

struct Rule {
  bool holds;
  const char* otherwise;
};

// Checks the rules in order and returns the first that fails.
Problem first_broken(std::initializer_list<Rule> rules) {
  for (const Rule& rule : rules) {
    if (!rule.holds) return rule.otherwise;
  }
  return std::nullopt;
}

constexpr const char* kNotFirst = "its stream has begun already";
constexpr const char* kNothingThere = "its stream has not begun";
constexpr const char* kCounted = "that had gone back before";
constexpr const char* kOtherStream = "it belongs to another stream or project";

// --- charges ---

constexpr const char* kStatus = "the charge's status did not allow it";

bool is_not_ahead(Timestamp paid_at, Timestamp at) { return paid_at <= at.plus_millis(kPaymentAheadMsMax); }

bool is_in_time(const Payment& payment, Timestamp at) {
  return at <= payment.paid_at.plus_millis(kRefundWindowMs);
}

// Returned money must not exceed what was paid for the charge.
Problem more_than_paid(const Charge& charge, Cents amount) {
  const auto back = charge.refunded + amount;
  if (amount > Cents(0) && back <= charge.payment->amount) return std::nullopt;
  return "more goes back of " + charge_stream(charge.id).text() + " than was paid: " + to_decimal(back) +
         " of " + to_decimal(charge.payment->amount);
}

// Nor must the money returned of one payment through its bank exceed that payment.
Problem more_than_paid(const Charge& charge, const std::optional<EndToEndId>& added, Cents amount) {
  if (auto problem = more_than_paid(charge, amount)) return problem;
  const auto of = counted_payment(charge, payment_of(charge, added));
  if (!of) return "the payment does not count for the charge";
  if (of->gone_back + amount <= of->payment.amount) return std::nullopt;
  return "more goes back of payment " + of->payment.end_to_end_id.text() +
         " than it was: " + to_decimal(of->gone_back + amount) + " of " + to_decimal(of->payment.amount);
}

struct ChargeRules {
  const Charge* charge;
  const RecordedEvent& recorded;
  Timestamp at = recorded.recorded_at;

  Problem operator()(const ChargeCreated& event) const {
    return first_broken({{charge == nullptr, kNotFirst},
                         {recorded.stream == charge_stream(event.id), kOtherStream},
                         {event.amount > Cents(0) && event.quantity > 0, "it is of nothing"},
                         {event.expires_at >= at, "it had expired before"}});
  }
  Problem operator()(const ChargePaid& event) const {
    if (!charge) return kNothingThere;
    return first_broken(
        {{!charge->payment, "the charge had been paid"},
         {!has_payment(*charge, event.end_to_end_id), "the payment was known already"},
         {is_not_ahead(event.paid_at, at), "the payment is in the future"},
         {!flag_of(*charge, event.amount, event.paid_at), "the payment does not fit the charge"},
         {!event.fee || *event.fee <= event.amount, kFeeTooHigh}});
  }
  Problem operator()(const ChargeProcessingStarted&) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_payment(*charge, at), kStatus}});
  }
  Problem operator()(const ChargeExpired&) const {
    if (!charge) return kNothingThere;
    return first_broken(
        {{charge->status == ChargeStatus::kWaitingPayment, kStatus},
         {charge->environment == Environment::kSandbox || at >= charge->expires_at, "it was not due"}});
  }
  Problem operator()(const ChargeCancelled&) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_payment(*charge, at), kStatus}});
  }
  Problem operator()(const ChargeFailed&) const {
    if (!charge) return kNothingThere;
    return first_broken({{can_fail(*charge, at) || awaits_code(*charge), kStatus}});
  }
  Problem operator()(const ChargeRefunded& event) const {
    if (!charge) return kNothingThere;
    if (charge->status != ChargeStatus::kPaid || !charge->payment) return kStatus;
    if (auto problem = more_than_paid(*charge, event.amount)) return problem;
    const auto payments = counted_payments(*charge);
    return first_broken({{std::any_of(payments.begin(), payments.end(),
                                      [&](const auto& counted) { return is_in_time(counted.payment, at); }),
                          kNoTimeLeft}});
  }
  Problem operator()(const PaymentLeftUnapplied& event) const {
    if (!charge) return kNothingThere;
    return first_broken({{event.amount > Cents(0), "it is of nothing"},
                         {!has_payment(*charge, event.end_to_end_id), "the payment was known already"},
                         {is_not_ahead(event.paid_at, at), "the payment is in the future"},
                         {flag_of(*charge, event.amount, event.paid_at) == event.flag,
                          "its flag is not the one that the charge's state gives"}});
  }
  Problem operator()(const UnappliedPaymentAccepted& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken({{payment != nullptr, kNoSuchPayment},
                         {payment && !payment->return_id, kOnItsWay},
                         {!charge->payment, "the charge had been paid"}});
  }
  Problem operator()(const UnappliedPaymentAdded& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken({{payment != nullptr, kNoSuchPayment},
                         {payment && !payment->return_id, kOnItsWay},
                         {charge->status == ChargeStatus::kPaid && charge->payment, kStatus},
                         {charge->added.size() + 1 < kCountedPaymentsMax, "more payments count than may"},
                         {payment && (!event.fee || *event.fee <= payment->amount), kFeeTooHigh}});
  }
  Problem operator()(const UnappliedPaymentReturned& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken(
        {{payment != nullptr, kNoSuchPayment},
         {payment && (!payment->return_id || payment->return_id == event.id), kOnItsWay},
         {event.id.has_value() == event.returned_at.has_value(), "it names half of a return"},
         {!event.returned_at || is_not_ahead(*event.returned_at, at), "it went back in the future"}});
  }
  Problem operator()(const UnappliedReturnRequested& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    if (!payment) return kNoSuchPayment;
    return first_broken(
        {{!payment->return_id, kOnItsWay},
         {at <= payment->paid_at.plus_millis(kRefundWindowMs), "the time for returns was over"}});
  }
  Problem operator()(const UnappliedReturnFailed& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    return first_broken({{payment && payment->return_id == event.id, "it was not on its way back"}});
  }
  Problem operator()(const UnappliedPaymentReversed& event) const {
    if (!charge) return kNothingThere;
    const auto* payment = unapplied(event.end_to_end_id);
    if (!payment) payment = find_payment(charge->returned, event.end_to_end_id);
    if (!payment) return kNoSuchPayment;
    const bool is_new = !has_counted(payment->reversed, event.id, event.return_id);
    const bool is_there = sum_of(payment->reversed) + event.amount <= payment->amount;
    return first_broken({{!payment->returned_at && is_new, kCounted},
                         {event.amount > Cents(0) && is_there, "more goes back than arrived"},
                         {is_not_ahead(event.reversed_at, at), "it went back in the future"}});
  }
  Problem operator()(const ChargeCodeSet& event) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_code(*charge), "the charge awaited no code"},
                         {event.kind == CodeKind::kDynamic || event.pix_code == charge->pix_code,
                          "the static code is not the charge's"}});
  }
  Problem operator()(const ChargeCancelRequested&) const {
    if (!charge) return kNothingThere;
    return first_broken({{awaits_payment(*charge, at) && charge->code_kind == CodeKind::kDynamic &&
                              !charge->cancel_requested_at,
                          kStatus}});
  }
  Problem operator()(const ChargeCancelDropped&) const {
    if (!charge) return kNothingThere;
    return first_broken({{charge->cancel_requested_at.has_value(), "nobody had asked for it"}});
  }
  Problem operator()(const RefundRequested& event) const {
    if (!charge) return kNothingThere;
    if (charge->status != ChargeStatus::kPaid || !charge->payment) return kStatus;
    const auto of = counted_payment(*charge, payment_of(*charge, event.end_to_end_id));
    if (!of) return kNoSuchPayment;
    return first_broken(
        {{charge->through_bank, "no bank moves the charge's money"},
         {!refund(event.id), "there was such a refund already"},
         {event.amount > Cents(0) && event.amount <= of->left(), "more is refunded than was paid"},
         {is_in_time(of->payment, at), kNoTimeLeft}});
  }
  Problem operator()(const RefundDone& event) const {
    if (!charge) return kNothingThere;
    if (!is_pending(event.id) || !charge->payment) return kNoSuchRefund;
    const auto& done = *refund(event.id);
    if (auto problem = more_than_paid(*charge, done.payment, done.amount)) return problem;
    return first_broken({{is_not_ahead(event.settled_at, at), "it was done in the future"}});
  }
  Problem operator()(const RefundFailed& event) const {
    if (!charge) return kNothingThere;
    return first_broken({{is_pending(event.id), kNoSuchRefund}});
  }
  Problem operator()(const PaymentReversed& event) const {
    if (!charge) return kNothingThere;
    if (!charge->payment) return kStatus;
    if (auto problem = more_than_paid(*charge, event.end_to_end_id, event.amount)) return problem;
    return first_broken({{is_not_ahead(event.reversed_at, at), "it came back in the future"}});
  }

 private:
  static constexpr const char* kNoSuchRefund = "there was no such refund pending";
  static constexpr const char* kNoSuchPayment = "there was no such payment";
  static constexpr const char* kOnItsWay = "the payment was on its way back";
  static constexpr const char* kNoTimeLeft = "the time for refunds was over";
  static constexpr const char* kFeeTooHigh = "the fee is above the payment";

  const UnappliedPayment* unapplied(const EndToEndId& id) const {
    return find_payment(charge->unapplied, id);
  }

  const Refund* refund(const RefundId& id) const {
    const auto found = std::find_if(charge->refund_list.begin(), charge->refund_list.end(),
                                    [&](const Refund& other) { return other.id == id; });
    return found == charge->refund_list.end() ? nullptr : &*found;
  }
  bool is_pending(const RefundId& id) const {
    const auto* found = refund(id);
    return found && found->status == RefundStatus::kPending;
  }
};

// Returns why the event must not come next in its charge's stream, or nullopt.
Problem broken_charge_rule(const Charge* charge, const RecordedEvent& recorded, const ChargeEvent& event) {
  return std::visit(ChargeRules{charge, recorded}, event);
}

// --- all other events ---

constexpr const char* kNoMember = "there was no such member";
constexpr const char* kLastOwner = "it leaves the project without an owner";

struct TeamRules {
  const Team* team;

  Problem operator()(const MemberAdded& event) const {
    return first_broken({{!find_member(team, event.user), "it was a member already"},
                         {event.number == (team ? team->added + 1 : 1), "its number is not the next"},
                         {!team || team->members.size() < kMembersMax, "the project had all it can have"}});
  }
  Problem operator()(const MemberRoleChanged& event) const {
    const auto* member = find_member(team, event.user);
    return first_broken({{member != nullptr, kNoMember},
                         {member && member->role != event.role, "it changes nothing"},
                         {member && !is_last_owner(*team, *member), kLastOwner}});
  }
  Problem operator()(const MemberInvited& event) const {
    return first_broken({{find_member(team, event.user) != nullptr, kNoMember}});
  }
  Problem operator()(const MemberRemoved& event) const {
    const auto* member = find_member(team, event.user);
    return first_broken(
        {{member != nullptr, kNoMember}, {member && !is_last_owner(*team, *member), kLastOwner}});
  }
};

Problem broken_team_rule(const Team* team, const TeamEvent& event) {
  return std::visit(TeamRules{team}, event);
}

constexpr const char* kNotOpen = "the session was not open";

struct CheckoutRules {
  const CheckoutSession* session;
  const RecordedEvent& recorded;
  Timestamp at = recorded.recorded_at;

  Problem operator()(const CheckoutSessionCreated& event) const {
    return first_broken({{session == nullptr, kNotFirst},
                         {recorded.stream == checkout_stream(event.id), kOtherStream},
                         {event.amount > Cents(0) && event.quantity > 0, "it is of nothing"},
                         {event.expires_at > at, "it had expired before"}});
  }
  Problem operator()(const CheckoutChargeAdded& event) const {
    return first_broken({{is_open() && at < session->expires_at, kNotOpen},
                         {!has(event.charge), "the charge was there already"},
                         {session->charges.size() < kChargesPerCheckoutMax, "it had all it can have"}});
  }
  Problem operator()(const CheckoutSessionCompleted& event) const {
    return first_broken({{has(event.charge), "the charge does not belong to the session"}});
  }
  Problem operator()(const CheckoutSessionCancelled&) const { return first_broken({{is_open(), kNotOpen}}); }
  Problem operator()(const CheckoutSessionExpired&) const {
    return first_broken({{is_open(), kNotOpen}, {at >= session->expires_at, "it was not due"}});
  }

 private:
  bool is_open() const { return session->status == CheckoutStatus::kOpen; }
  bool has(const ChargeId& id) const {
    return std::any_of(session->charges.begin(), session->charges.end(),
                       [&](const CheckoutCharge& charge) { return charge.id == id; });
  }
};

Problem broken_checkout_rule(const CheckoutSession* session, const RecordedEvent& recorded,
                             const CheckoutEvent& event) {
  if (!std::holds_alternative<CheckoutSessionCreated>(event)) {
    if (!session) return kNothingThere;
    if (environment_of(event) != session->environment) return "it is of the other environment";
  }
  return std::visit(CheckoutRules{session, recorded}, event);
}

constexpr const char* kSettled = "the payment was settled";

struct PaymentRules {
  const UnmatchedPayment* payment;
  const RecordedEvent& recorded;
  Timestamp at = recorded.recorded_at;

  Problem operator()(const PaymentUnmatched& event) const {
    return first_broken({{payment == nullptr, kNotFirst},
                         {recorded.stream == payment_stream(event.end_to_end_id), kOtherStream},
                         {event.amount > Cents(0), "it is of nothing"},
                         {is_not_ahead(event.paid_at), "the payment is in the future"}});
  }
  Problem operator()(const PaymentAssigned&) const { return open_before(); }
  Problem operator()(const PaymentClosed&) const { return open_before(); }
  Problem operator()(const PaymentReturnRequested&) const {
    if (!payment) return kNothingThere;
    return first_broken(
        {{may_lie_aside(), kSettled},
         {at <= payment->paid_at.plus_millis(kRefundWindowMs), "the time for returns was over"}});
  }
  Problem operator()(const PaymentReturned& event) const {
    if (!payment) return kNothingThere;
    return first_broken({{may_lie_aside() || is_returning(event.id), kSettled},
                         {is_not_ahead(event.returned_at), "it went back in the future"}});
  }
  Problem operator()(const UnmatchedPaymentReversed& event) const {
    if (!payment) return kNothingThere;
    const bool is_returning = payment->state == UnmatchedState::kReturning;
    return first_broken(
        {{may_lie_aside() || is_returning, kSettled},
         {!has_counted(payment->reversed, event.id, event.return_id), kCounted},
         {event.amount > Cents(0) && sum_of(payment->reversed) + event.amount <= payment->amount,
          "more goes back than arrived"},
         {is_not_ahead(event.reversed_at), "it went back in the future"}});
  }
  Problem operator()(const PaymentReturnFailed& event) const {
    if (!payment) return kNothingThere;
    return first_broken({{is_returning(event.id), "it was not on its way back"}});
  }

 private:
  bool is_not_ahead(Timestamp moment) const { return moment <= at.plus_millis(kPaymentAheadMsMax); }
  bool is_returning(const RefundId& id) const {
    return payment->state == UnmatchedState::kReturning && payment->return_id == id;
  }
  // Closing moves no money. Checks only the payment: whether a charge has it now depends on the claim of its
  // end-to-end id.
  bool may_lie_aside() const { return is_open(*payment) || payment->state == UnmatchedState::kClosed; }
  Problem open_before() const {
    if (!payment) return kNothingThere;
    return first_broken({{is_open(*payment), kSettled}});
  }
};

Problem broken_payment_rule(const UnmatchedPayment* payment, const RecordedEvent& recorded,
                            const PaymentEvent& event) {
  return std::visit(PaymentRules{payment, recorded}, event);
}

constexpr const char* kNoConnection = "there was no such connection";

// Only connections of this provider have terms. Older ones may use its name without terms, because the name
// was not reserved.
bool fits_provider(const Connection& connection) {
  if (!connection.api_pix) return true;
  const auto deadline = connection.api_pix->code_deadline_ms;
  return connection.provider_id == kApiPixProvider && deadline >= kCodeDeadlineMsMin &&
         deadline <= kCodeDeadlineMsMax;
}

struct ProjectRules {
  const Project* project;
  const RecordedEvent& recorded;

  Problem operator()(const ProjectCreated& event) const {
    return first_broken({{project == nullptr, kNotFirst}, {event.id == recorded.project, kOtherStream}});
  }
  Problem operator()(const StoreSettingsChanged&) const {
    return first_broken({{project != nullptr, kNothingThere}});
  }
  Problem operator()(const ConnectionAdded& event) const {
    if (!project) return kNothingThere;
    const auto& added = event.connection;
    return first_broken(
        {{!connection_of(*project, added.id), "the connection was there already"},
         {!has_alias(*project, added.environment, added.alias), "its alias was taken"},
         {project->connections.size() < kConnectionsPerProjectMax, "the project had all it can have"},
         {added.is_enabled(), "it is disabled from the start"},
         {fits_provider(added), "its terms are not those of its provider"}});
  }
  Problem operator()(const ConnectionChanged& event) const {
    if (!project) return kNothingThere;
    const auto& now = event.connection;
    const auto* before = connection_of(*project, now.id);
    if (!before) return kNoConnection;
    const bool is_default = default_connection(*project, before->environment) == before;
    return first_broken({{now.environment == before->environment && now.provider_id == before->provider_id &&
                              now.api_pix.has_value() == before->api_pix.has_value(),
                          "it became a connection of another kind"},
                         {now.alias == before->alias || !has_alias(*project, now.environment, now.alias),
                          "its alias was taken"},
                         {now.is_enabled() || !is_default, "the default was disabled"},
                         {fits_provider(now), "its terms are not those of its provider"},
                         {now != *before, "it changes nothing"}});
  }
  Problem operator()(const DefaultConnectionSet& event) const {
    if (!project) return kNothingThere;
    const auto* connection = connection_of(*project, event.connection);
    if (!connection || connection->environment != event.environment) return kNoConnection;
    return first_broken({{connection->is_enabled(), "the connection was disabled"}});
  }
};

struct BankRules {
  const BankConnection* connection;
  const RecordedEvent& recorded;

  Problem operator()(const ConnectionConfigured& event) const {
    const auto rate = event.configuration.rate;
    return first_broken({{recorded.stream == connection_stream(event.id), kOtherStream},
                         {connection != nullptr || recorded.version == 1, kNothingThere},
                         {rate >= 1 && rate <= kBankRateMax, "its rate is out of range"}});
  }
  Problem operator()(const CallbackRegistered&) const {
    return first_broken({{connection != nullptr, kNoConnection}});
  }
  Problem operator()(const CallbackRemoved&) const {
    if (!connection) return kNoConnection;
    return first_broken({{connection->callback_url.has_value(), "there was no callback"}});
  }
};

Problem broken_project_rule(const Project* project, const RecordedEvent& recorded,
                            const ProjectEvent& event) {
  return std::visit(ProjectRules{project, recorded}, event);
}

Problem broken_bank_rule(const BankConnection* connection, const RecordedEvent& recorded,
                         const BankConnectionEvent& event) {
  return std::visit(BankRules{connection, recorded}, event);
}

constexpr const char* kNoCustomer = "there was no such customer";
constexpr const char* kNoChannel = "there was no such channel";
constexpr const char* kNotOfV1 = "a channel on v1 subscribes to events that v1 does not have";
constexpr const char* kInactive = "the channel was not active";
constexpr const char* kOtherEnvironment = "it belongs to the stream of another environment";

// The state as the event's aggregate; null before the first event.
template <class Aggregate>
const Aggregate* as(const AggregateState* state) {
  return state ? std::get_if<Aggregate>(state) : nullptr;
}

struct CustomerRules {
  const Customer* customer;
  const RecordedEvent& recorded;
  bool is_there = customer != nullptr && !customer->erased_at;

  Problem operator()(const CustomerRegistered& event) const {
    return first_broken(
        {{!is_there, kNotFirst}, {event.environment == recorded.stream.environment(), kOtherEnvironment}});
  }
  Problem operator()(const CustomerUpdated&) const { return first_broken({{is_there, kNoCustomer}}); }
  Problem operator()(const CustomerBlocked& event) const {
    return first_broken(
        {{is_there, kNoCustomer},
         {!event.expires_at || *event.expires_at > recorded.recorded_at, "the block had ended before"}});
  }
  Problem operator()(const CustomerUnblocked&) const {
    return first_broken({{is_there, kNoCustomer},
                         {is_there && is_blocked(*customer, recorded.recorded_at), "there was no block"}});
  }
  Problem operator()(const CustomerErased& event) const {
    return first_broken({{is_there, kNoCustomer}, {is_there && customer->id == event.id, kOtherStream}});
  }
};

struct BlocklistRules {
  const Blocklist* list;
  const RecordedEvent& recorded;

  bool has_entry(const BlocklistEntryId& id) const {
    return list && std::any_of(list->entries.begin(), list->entries.end(),
                               [&](const BlocklistEntry& entry) { return entry.id == id; });
  }
  Problem operator()(const BlocklistEntryAdded& event) const {
    return first_broken({{!has_entry(event.id), "the entry was there already"},
                         {!list || list->entries.size() < kBlocklistEntriesMax, "the blocklist was full"},
                         {event.environment == recorded.stream.environment(), kOtherEnvironment}});
  }
  Problem operator()(const BlocklistEntryRemoved& event) const {
    return first_broken({{has_entry(event.id), "there was no such entry"}});
  }
};

struct ApiKeyRules {
  const ApiKey* key;
  const RecordedEvent& recorded;

  Problem operator()(const ApiKeyIssued& event) const {
    return first_broken(
        {{key == nullptr, kNotFirst}, {recorded.stream == api_key_stream(event.id), kOtherStream}});
  }
  Problem operator()(const ApiKeyExpirySet& event) const {
    if (!key) return kNothingThere;
    return first_broken(
        {{is_usable(*key, recorded.recorded_at), "the key could not be used any more"},
         {!key->expires_at || event.expires_at <= *key->expires_at, "the key's life is longer"}});
  }
  Problem operator()(const ApiKeyRevoked&) const {
    if (!key) return kNothingThere;
    return first_broken({{!key->revoked_at, "the key had been revoked"}});
  }
};

struct ChannelRules {
  const Channel* channel;
  const RecordedEvent& recorded;

  Problem operator()(const ChannelAdded& event) const {
    // A deleted channel cannot be added again.
    return first_broken({{channel == nullptr && recorded.version == 1, kNotFirst},
                         {recorded.stream == channel_stream(event.id), kOtherStream},
                         {has_all(event.version, event.events), kNotOfV1}});
  }
  Problem operator()(const ChannelChanged& event) const {
    if (!channel) return kNoChannel;
    return first_broken({{event.version >= channel->version, "the form of its webhooks goes back"},
                         {has_all(event.version, event.events), kNotOfV1}});
  }
  Problem operator()(const ChannelDeleted& event) const {
    if (!channel) return kNoChannel;
    return first_broken({{event.id == channel->id && event.project == channel->project, kOtherStream}});
  }
  Problem operator()(const ChannelSecretRotated& event) const {
    if (!channel) return kNoChannel;
    const auto longest = recorded.recorded_at.plus_millis(kSecretGraceSecondsMax * 1000);
    return first_broken({{event.grace_ends_at >= recorded.recorded_at && event.grace_ends_at <= longest,
                          "the old secret signs for another time than one may choose"}});
  }
  Problem operator()(const ChannelDisabled&) const {
    if (!channel) return kNoChannel;
    return first_broken(
        {{channel->is_active, kInactive}, {!channel->checkout_session, "a session's channel stays active"}});
  }
  Problem operator()(const ChannelTestRequested&) const {
    return first_broken({{channel != nullptr, kNoChannel}});
  }
  Problem operator()(const DeliveryRedeliveryRequested&) const {
    if (!channel) return kNoChannel;
    return first_broken({{channel->is_active, kInactive}});
  }
  Problem operator()(const DeliveriesRecoveryRequested& event) const {
    if (!channel) return kNoChannel;
    return first_broken({{channel->is_active, kInactive},
                         {event.until <= recorded.recorded_at, "it is about what was yet to happen"}});
  }
};

struct RefusalRules {
  const RecordedEvent& recorded;

  Problem operator()(const ChargeRefused& event) const {
    return first_broken({{recorded.version <= kRefusalsRecordedPerDayMax, "there are too many of them"},
                         {event.environment == recorded.stream.environment(), kOtherEnvironment}});
  }
};

bool names_project(const StreamName& stream, const ProjectId& project) {
  const auto key = stream.key();
  return key.substr(0, project.text().size()) == project.text() &&
         (key.size() == project.text().size() || key[project.text().size()] == '-');
}

// Whether the event is in a stream of its kind and of its envelope's project.
struct Place {
  const AggregateState* state;
  const RecordedEvent& recorded;

  bool is_in(StreamKind kind) const { return recorded.stream.kind() == kind; }
  bool is_in_projects(StreamKind kind) const {
    return is_in(kind) && names_project(recorded.stream, recorded.project);
  }
  template <class Aggregate>
  bool is_of_project() const {
    const auto* aggregate = as<Aggregate>(state);
    return !aggregate || aggregate->project == recorded.project;
  }

  bool operator()(const ProjectEvent&) const { return is_in_projects(StreamKind::kProject); }
  bool operator()(const ApiKeyEvent&) const { return is_in(StreamKind::kApiKey) && is_of_project<ApiKey>(); }
  bool operator()(const ChannelEvent&) const {
    return is_in(StreamKind::kChannel) && is_of_project<Channel>();
  }
  bool operator()(const BlocklistEvent&) const { return is_in_projects(StreamKind::kBlocklist); }
  bool operator()(const CustomerEvent&) const { return is_in_projects(StreamKind::kCustomer); }
  bool operator()(const ChargeEvent&) const { return is_in(StreamKind::kCharge) && is_of_project<Charge>(); }
  bool operator()(const RefusalEvent&) const { return is_in_projects(StreamKind::kRefusals); }
  bool operator()(const BankConnectionEvent&) const {
    return is_in(StreamKind::kConnection) && is_of_project<BankConnection>();
  }
  bool operator()(const PaymentEvent&) const {
    return is_in(StreamKind::kPayment) && is_of_project<UnmatchedPayment>();
  }
  bool operator()(const CheckoutEvent&) const {
    return is_in(StreamKind::kCheckoutSession) && is_of_project<CheckoutSession>();
  }
  bool operator()(const TeamEvent&) const { return is_in_projects(StreamKind::kTeam); }
};

struct Rules {
  const AggregateState* state;
  const RecordedEvent& recorded;

  Problem operator()(const ProjectEvent& event) const {
    return broken_project_rule(as<Project>(state), recorded, event);
  }
  Problem operator()(const ApiKeyEvent& event) const {
    return std::visit(ApiKeyRules{as<ApiKey>(state), recorded}, event);
  }
  Problem operator()(const ChannelEvent& event) const {
    return std::visit(ChannelRules{as<Channel>(state), recorded}, event);
  }
  Problem operator()(const BlocklistEvent& event) const {
    return std::visit(BlocklistRules{as<Blocklist>(state), recorded}, event);
  }
  Problem operator()(const CustomerEvent& event) const {
    return std::visit(CustomerRules{as<Customer>(state), recorded}, event);
  }
  Problem operator()(const ChargeEvent& event) const {
    return broken_charge_rule(as<Charge>(state), recorded, event);
  }
  Problem operator()(const RefusalEvent& event) const { return std::visit(RefusalRules{recorded}, event); }
  Problem operator()(const BankConnectionEvent& event) const {
    return broken_bank_rule(as<BankConnection>(state), recorded, event);
  }
  Problem operator()(const PaymentEvent& event) const {
    return broken_payment_rule(as<UnmatchedPayment>(state), recorded, event);
  }
  Problem operator()(const CheckoutEvent& event) const {
    return broken_checkout_rule(as<CheckoutSession>(state), recorded, event);
  }
  Problem operator()(const TeamEvent& event) const { return broken_team_rule(as<Team>(state), event); }
};

}  // namespace

std::optional<std::string> broken_rule(const AggregateState* state, const RecordedEvent& event) {
  if (!std::visit(Place{state, event}, event.event)) return kOtherStream;
  return std::visit(Rules{state, event}, event.event);
}

}  // namespace pixledger::domain
