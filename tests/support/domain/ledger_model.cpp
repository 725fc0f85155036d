#include "tests/support/domain/ledger_model.h"

#include <algorithm>

#include "tests/support/domain/describe_event.h"

namespace pixledger::tests {

using namespace domain;

namespace {

using Status = ChargeStatus;

struct Transition {
  const char* event;
  Status from;
  Status to;
};

// All transitions of a charge. Unapplied money and returns change no status.
constexpr Transition kTransitions[] = {
    {"ChargePaid", Status::kWaitingPayment, Status::kPaid},
    {"ChargePaid", Status::kProcessing, Status::kPaid},
    {"ChargePaid", Status::kExpired, Status::kPaid},
    {"ChargeProcessingStarted", Status::kWaitingPayment, Status::kProcessing},
    {"ChargeExpired", Status::kWaitingPayment, Status::kExpired},
    {"ChargeCancelled", Status::kWaitingPayment, Status::kCancelled},
    {"ChargeFailed", Status::kWaitingPayment, Status::kFailed},
    {"ChargeFailed", Status::kProcessing, Status::kFailed},
    {"ChargeRefunded", Status::kPaid, Status::kPaid},
    {"ChargeRefunded", Status::kPaid, Status::kRefunded},
    {"UnappliedPaymentAccepted", Status::kWaitingPayment, Status::kPaid},
    {"UnappliedPaymentAccepted", Status::kProcessing, Status::kPaid},
    {"UnappliedPaymentAccepted", Status::kExpired, Status::kPaid},
    {"UnappliedPaymentAccepted", Status::kCancelled, Status::kPaid},
    {"UnappliedPaymentAccepted", Status::kFailed, Status::kPaid},
};

// "ChargePaid" of "ChargePaid{…}".
std::string kind_of(const RecordedEvent& event) {
  const auto text = describe(event.event);
  return text.substr(0, text.find('{'));
}

}  // namespace

// Applies one event to the model.
struct LedgerModel::Observe {
  LedgerModel& model;
  const RecordedEvent& event;
  bool expired_by_hand;  // the sandbox's operation may expire a charge before its time

  ChargeFacts& charge() const { return model.charges_.at(event.stream.text()); }
  std::string here() const {
    return " (" + describe(event) + ", at " + std::to_string(event.recorded_at.millis()) + ")";
  }

  void move(Status to) const {
    auto& facts = charge();
    const auto kind = kind_of(event);
    const bool allowed = std::any_of(
        std::begin(kTransitions), std::end(kTransitions),
        [&](const Transition& t) { return kind == t.event && facts.status == t.from && to == t.to; });
    if (!allowed) model.problem("no way leads from " + std::string(to_string(facts.status)) + here());
    facts.status = to;
  }
  void arrive(const EndToEndId& id, PaymentFact payment) const {
    if (!model.end_to_end_ids_.insert(id.text()).second) model.problem("a payment counts twice" + here());
    charge().payments.emplace(id.text(), payment);
  }
  void settle(const EndToEndId& id, Fate fate) const {
    const auto found = charge().payments.find(id.text());
    if (found == charge().payments.end() || found->second.fate != Fate::kUnapplied)
      return model.problem("a payment is settled that is not open" + here());
    found->second.fate = fate;
  }

  std::vector<PaymentFact> applied() const {
    std::vector<PaymentFact> payments;
    for (const auto& [id, payment] : charge().payments)
      if (payment.fate == Fate::kApplied) payments.push_back(payment);
    return payments;
  }
  Cents paid_in_all() const {
    Cents sum(0);
    for (const auto& payment : applied()) sum = sum + payment.amount;
    return sum;
  }

  template <class... Events>
  void operator()(const std::variant<Events...>& any) const {
    std::visit(*this, any);
  }

  void operator()(const ChargeCreated& created) const {
    if (created.project != event.project) model.problem("a charge is recorded for another project" + here());
    if (created.expires_at <= event.recorded_at) model.problem("a charge is born expired" + here());
    const ChargeFacts facts{Status::kWaitingPayment,
                            created.environment,
                            created.project,
                            created.expires_at,
                            event.recorded_at,
                            std::nullopt,
                            created.amount,
                            Cents(0),
                            {}};
    if (!model.charges_.emplace(event.stream.text(), facts).second)
      model.problem("a charge exists twice" + here());
  }
  void operator()(const ChargePaid& paid) const {
    const auto& facts = charge();
    if (facts.expired_at && paid.paid_at >= *facts.expired_at)
      model.problem("paid after it expired" + here());
    if (facts.status != Status::kProcessing && paid.paid_at >= facts.expires_at)
      model.problem("paid after its expiry" + here());
    if (paid.amount != facts.amount) model.problem("paid with another amount" + here());
    if (paid.fee && (*paid.fee < Cents(0) || *paid.fee > paid.amount))
      model.problem("a fee above the payment" + here());
    arrive(paid.end_to_end_id, {paid.amount, paid.paid_at, Fate::kApplied});
    move(Status::kPaid);
  }
  void operator()(const ChargeProcessingStarted&) const { move(Status::kProcessing); }
  void operator()(const ChargeExpired&) const {
    auto& facts = charge();
    const bool by_hand = expired_by_hand && facts.environment == Environment::kSandbox;
    if (event.recorded_at < facts.expires_at && !by_hand) model.problem("expired before its time" + here());
    facts.expired_at = event.recorded_at;
    move(Status::kExpired);
  }
  void operator()(const ChargeCancelled&) const { move(Status::kCancelled); }
  void operator()(const ChargeFailed&) const { move(Status::kFailed); }
  void operator()(const ChargeRefunded& refund) const {
    auto& facts = charge();
    const auto payments = applied();
    if (payments.empty()) return model.problem("refunded what was never paid" + here());
    if (std::all_of(payments.begin(), payments.end(), [&](const PaymentFact& paid) {
          return event.recorded_at > paid.paid_at.plus_millis(90LL * 24 * 3'600'000);
        }))
      model.problem("refunded too late" + here());
    facts.refunded = facts.refunded + refund.amount;
    if (refund.amount <= Cents(0) || facts.refunded > paid_in_all())
      model.problem("refunded more than was paid" + here());
    move(facts.refunded == paid_in_all() ? Status::kRefunded : Status::kPaid);
  }
  void operator()(const PaymentLeftUnapplied& left) const {
    arrive(left.end_to_end_id, {left.amount, left.paid_at, Fate::kUnapplied});
  }
  void operator()(const UnappliedPaymentAccepted& accepted) const {
    settle(accepted.end_to_end_id, Fate::kApplied);
    move(Status::kPaid);
  }
  void operator()(const UnappliedPaymentAdded& added) const {
    if (charge().status != Status::kPaid) model.problem("a payment is added to none" + here());
    settle(added.end_to_end_id, Fate::kApplied);
    if (applied().size() > 4) model.problem("a fifth payment counts" + here());
  }
  void operator()(const UnappliedPaymentReturned& returned) const {
    settle(returned.end_to_end_id, Fate::kReturned);
  }
  // Events from banks, which the random commands never cause.
  void operator()(const ChargeCodeSet&) const { unexpected(); }
  void operator()(const ChargeCancelRequested&) const { unexpected(); }
  void operator()(const ChargeCancelDropped&) const { unexpected(); }
  void operator()(const RefundRequested& refund) const {
    auto& facts = charge();
    if (applied().empty()) return model.problem("refunds what was never paid" + here());
    facts.pending = facts.pending + refund.amount;
    if (refund.amount <= Cents(0) || facts.refunded + facts.pending > paid_in_all())
      model.problem("more is to go back than was paid" + here());
  }
  void operator()(const RefundDone&) const { unexpected(); }
  void operator()(const RefundFailed&) const { unexpected(); }
  void operator()(const PaymentReversed&) const { unexpected(); }
  void operator()(const UnappliedReturnRequested&) const { unexpected(); }
  void operator()(const UnappliedReturnFailed&) const { unexpected(); }
  void operator()(const UnappliedPaymentReversed&) const { unexpected(); }
  void operator()(const PaymentUnmatched&) const { unexpected(); }
  void operator()(const PaymentAssigned&) const { unexpected(); }
  void operator()(const PaymentClosed&) const { unexpected(); }
  void operator()(const PaymentReturnRequested&) const { unexpected(); }
  void operator()(const PaymentReturned&) const { unexpected(); }
  void operator()(const PaymentReturnFailed&) const { unexpected(); }
  void operator()(const UnmatchedPaymentReversed&) const { unexpected(); }
  void operator()(const CheckoutSessionCreated&) const { unexpected(); }
  void operator()(const CheckoutChargeAdded&) const { unexpected(); }
  void operator()(const CheckoutSessionCompleted&) const { unexpected(); }
  void operator()(const CheckoutSessionCancelled&) const { unexpected(); }
  void operator()(const CheckoutSessionExpired&) const { unexpected(); }
  void operator()(const MemberAdded&) const { unexpected(); }
  void operator()(const MemberRoleChanged&) const { unexpected(); }
  void operator()(const MemberRemoved&) const { unexpected(); }
  void operator()(const MemberInvited&) const { unexpected(); }
  void unexpected() const { model.problem("nobody asked for it" + here()); }

  void operator()(const CustomerRegistered& registered) const {
    const auto document = registered.details.value().document.text();
    model.payers_[event.stream.text()] = {};
    if (registered.environment != event.stream.environment())
      model.problem("a customer in the other environment's stream" + here());
    if (!model.registered_.emplace(event.project.text(), registered.environment, document).second)
      model.problem("a second customer of one document" + here());
    model.payers_[event.stream.text()].document = document;
  }
  void operator()(const CustomerUpdated& updated) const {
    if (model.payers_.at(event.stream.text()).document != updated.details.value().document.text())
      model.problem("a customer changes its document" + here());
  }
  void operator()(const CustomerBlocked& blocked) const {
    model.payers_.at(event.stream.text()).blocked_until = blocked.expires_at;
  }
  void operator()(const CustomerUnblocked&) const {
    model.payers_.at(event.stream.text()).blocked_until.reset();
  }
  void operator()(const CustomerErased&) const {
    const auto document = model.payers_.at(event.stream.text()).document;
    if (model.registered_.erase({event.project.text(), *event.stream.environment(), document}) != 1)
      model.problem("a customer is erased twice" + here());
    model.payers_.erase(event.stream.text());
  }

  void operator()(const BlocklistEntryAdded& added) const {
    model.listed_[event.stream.text()].emplace(added.id.text(), added.value.value());
  }
  void operator()(const BlocklistEntryRemoved& removed) const {
    if (model.listed_[event.stream.text()].erase(removed.id.text()) != 1)
      model.problem("an entry is removed that is not there" + here());
  }

  void operator()(const ProjectCreated& created) const {
    for (const auto& connection : created.connections) add(connection);
  }
  void operator()(const StoreSettingsChanged&) const {}
  void operator()(const ConnectionAdded& added) const { add(added.connection); }
  void add(const Connection& added) const {
    auto& connections = model.connections_[event.project.text()];
    for (const auto& other : connections) {
      if (other.id == added.id.text()) model.problem("a connection exists twice" + here());
      if (other.environment == added.environment && other.alias == added.alias.text())
        model.problem("an alias is used twice" + here());
    }
    connections.push_back(
        {.id = added.id.text(), .environment = added.environment, .alias = added.alias.text()});
    if (connections.size() > 100) model.problem("a hundred and first connection" + here());
  }
  // Returns the connection of that id. Reports a problem if it is unknown.
  LedgerModel::ConnectionFact& connection(const ConnectionId& id) const {
    for (auto& known : model.connections_[event.project.text()])
      if (known.id == id.text()) return known;
    model.problem("an event of a connection that is not there" + here());
    static LedgerModel::ConnectionFact none{};
    return none;
  }
  void operator()(const ConnectionChanged& changed) const {
    auto& fact = connection(changed.connection.id);
    fact.alias = changed.connection.alias.text();
    fact.is_enabled = changed.connection.is_enabled();
    unsigned with_alias = 0;
    for (const auto& other : model.connections_[event.project.text()])
      with_alias += other.environment == fact.environment && other.alias == fact.alias;
    if (with_alias != 1) model.problem("an alias is used twice" + here());
  }
  void operator()(const DefaultConnectionSet& chosen) const {
    const auto& fact = connection(chosen.connection);
    for (auto& other : model.connections_[event.project.text()])
      if (other.environment == fact.environment) other.is_default = other.id == fact.id;
  }
  void operator()(const ConnectionConfigured& configured) const { connection(configured.id); }
  void operator()(const CallbackRegistered&) const { callback(true); }
  void operator()(const CallbackRemoved&) const { callback(false); }
  void callback(bool begins) const {
    auto& callbacks = model.callbacks_;
    const auto& stream = event.stream.text();
    if (begins)
      callbacks.insert(stream);
    else if (callbacks.erase(stream) != 1)
      model.problem("a callback is removed that is not there" + here());
  }
  void operator()(const ApiKeyIssued&) const {}
  void operator()(const ApiKeyExpirySet&) const {}
  void operator()(const ApiKeyRevoked&) const {}
  void operator()(const ChannelAdded& added) const {
    auto& channels = model.channels_[event.project.text()];
    channels.emplace(added.id.text(), true);
    if (channels.size() > 10) model.problem("an eleventh channel" + here());
  }
  // Whether the event's channel is active. Reports a problem if the channel is unknown.
  bool& channel() const {
    static bool none = false;
    auto& channels = model.channels_[event.project.text()];
    const auto found = channels.find(std::string(event.stream.key()));
    if (found != channels.end()) return found->second;
    model.problem("an event of a channel that is not there" + here());
    return none;
  }
  void active_channel() const {
    if (!channel()) model.problem("asked of a channel that is not active" + here());
  }
  void operator()(const ChannelChanged& changed) const { channel() = changed.is_active; }
  void operator()(const ChannelDeleted& deleted) const {
    if (model.channels_[event.project.text()].erase(deleted.id.text()) != 1)
      model.problem("a channel is deleted that is not there" + here());
  }
  void operator()(const ChannelSecretRotated&) const { channel(); }
  void operator()(const ChannelDisabled&) const {
    active_channel();
    channel() = false;
  }
  void operator()(const ChannelTestRequested&) const { channel(); }
  void operator()(const DeliveryRedeliveryRequested&) const { active_channel(); }
  void operator()(const DeliveriesRecoveryRequested&) const { active_channel(); }
  void operator()(const ChargeRefused&) const {
    if (++model.refused_[event.stream.text()] > 100) model.problem("too many refusals recorded" + here());
  }
};

void LedgerModel::observe(const Command& command, const Outcome& outcome,
                          const std::vector<RecordedEvent>& events) {
  // Before the events change the model.
  check_outcome(command, outcome, events);
  const bool by_hand = std::holds_alternative<ExpireSandboxCharge>(command);
  for (const auto& event : events) {
    ++seen_[kind_of(event)];
    if (event.recorded_at < last_time_) problem("time runs backwards: " + describe(event));
    last_time_ = event.recorded_at;
    std::visit(Observe{*this, event, by_hand}, event.event);
    const auto charge = charges_.find(event.stream.text());
    if (charge != charges_.end()) charge->second.updated_at = event.recorded_at;
  }
}

void LedgerModel::check_outcome(const Command& command, const Outcome& outcome,
                                const std::vector<RecordedEvent>& events) {
  if (outcome.rejection) {
    ++seen_["rejection " + std::to_string(static_cast<int>(*outcome.rejection))];
    for (const auto& event : events) {
      const auto kind = kind_of(event);
      if (kind != "ChargeExpired" && kind != "ChargeRefused")
        problem("a refused command records " + describe(event));
    }
  }
  if (outcome.flag) ++seen_["flag " + std::to_string(static_cast<int>(*outcome.flag))];
  if (const auto* creation = std::get_if<CreateCharge>(&command)) check_creation(*creation, outcome, events);
}

void LedgerModel::check_creation(const CreateCharge& command, const Outcome& outcome,
                                 const std::vector<RecordedEvent>& events) {
  const bool barred =
      outcome.rejection == Rejection::kCustomerBlocked || outcome.rejection == Rejection::kBlocklisted;
  if (barred) {
    if (events.empty()) {
      if (!has_full_day(command)) problem("a refused creation is not recorded");
      return;
    }
    const auto stream =
        refusals_stream(command.project, command.environment, command.token, events[0].recorded_at);
    if (events.size() != 1 || events[0].stream != stream || kind_of(events[0]) != "ChargeRefused")
      problem("a refused creation is not in " + stream.text());
    if (!is_barred(command, events[0].recorded_at))
      problem("a payer is refused for no reason, project " + command.project.text());
  }
  if (!outcome.done()) return;
  if (events.empty() || kind_of(events.back()) != "ChargeCreated")
    return problem("a creation that creates nothing");
  if (is_barred(command, events.back().recorded_at))
    problem("a barred payer gets " + describe(events.back()));
  check_connection(command, events.back());
}

}  // namespace pixledger::tests
