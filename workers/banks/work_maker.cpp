#include "workers/banks/work_maker.h"

#include <utility>

#include "domain/aggregates/charge_payments.h"
#include "eventstore/reading/state_reader.h"
#include "workers/banks/command_submitter.h"

namespace pixledger::workers {
namespace {

using stores::BankChange;
using stores::BankNoted;
using stores::BankWorkId;
using stores::BankWorkKind;
using stores::ChargeClosed;
using stores::ChargeWaits;
using stores::CodeDecided;
using stores::WorkBegun;
using stores::WorkEnded;
using stores::WorkHastened;

struct ChangesOf {
  const domain::RecordedEvent& recorded;
  const eventstore::Log& log;
  using Result = std::vector<BankChange>;

  // A template takes groups of events and nothing else: no event that is missing below becomes a group again.
  template <class... Events>
  Result operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }

  Result operator()(const domain::ProjectCreated&) const { return {}; }
  Result operator()(const domain::StoreSettingsChanged&) const { return {}; }
  Result operator()(const domain::ConnectionAdded& event) const { return noted(event.connection); }
  Result operator()(const domain::ConnectionChanged& event) const {
    auto changes = noted(event.connection);
    if (!changes.empty()) changes.push_back(WorkHastened{event.connection.id});
    return changes;
  }
  Result operator()(const domain::DefaultConnectionSet&) const { return {}; }

  Result operator()(const domain::ChargeCreated& event) const {
    if (!event.through_bank) return {};
    Result changes{ChargeWaits{event.id, event.connection}};
    if (event.code_awaited_until)
      changes.push_back(WorkBegun{.id = {BankWorkKind::kMakeCode, recorded.stream},
                                  .connection = event.connection,
                                  .since = recorded.recorded_at});
    else
      changes.push_back(CodeDecided{event.connection, domain::to_string(domain::CodeKind::kStatic)});
    return changes;
  }
  Result operator()(const domain::ChargeCodeSet& event) const {
    Result changes{ended(BankWorkKind::kMakeCode),
                   CodeDecided{charge().connection, domain::to_string(event.kind)}};
    // The bank may have made one nevertheless, which nobody was given.
    if (event.kind == domain::CodeKind::kStatic) changes.push_back(begun(BankWorkKind::kRemoveCode));
    return changes;
  }
  Result operator()(const domain::ChargeCancelRequested&) const { return {begun(BankWorkKind::kTakeBack)}; }
  Result operator()(const domain::ChargeCancelDropped&) const { return {ended(BankWorkKind::kTakeBack)}; }
  Result operator()(const domain::ChargeCancelled&) const {
    return {ended(BankWorkKind::kTakeBack), no_longer_waits()};
  }
  Result operator()(const domain::ChargeExpired&) const { return closed(); }
  Result operator()(const domain::ChargeFailed&) const {
    auto changes = closed();
    const auto about = charge();
    if (about.through_bank && about.code_awaited_until)
      changes.push_back(CodeDecided{about.connection, "none"});
    return changes;
  }
  Result operator()(const domain::RefundRequested& event) const {
    const auto about = charge();
    if (!about.payment)
      throw eventstore::LogCorrupt("a refund of " + recorded.stream.text() + ", which was not paid");
    const auto account = account_of(about, domain::payment_of(about, event.end_to_end_id));
    return {return_begun(BankWorkKind::kRefund, event.id, account)};
  }
  Result operator()(const domain::RefundDone& event) const {
    return {return_ended(BankWorkKind::kRefund, event.id)};
  }
  Result operator()(const domain::RefundFailed& event) const {
    return {return_ended(BankWorkKind::kRefund, event.id)};
  }
  Result operator()(const domain::UnappliedReturnRequested& event) const {
    return {return_begun(BankWorkKind::kSendBack, event.id, account_of(charge(), event.end_to_end_id))};
  }
  Result operator()(const domain::UnappliedReturnFailed& event) const {
    return {return_ended(BankWorkKind::kSendBack, event.id)};
  }
  Result operator()(const domain::UnappliedPaymentReturned& event) const {
    if (!event.id) return {};
    return {return_ended(BankWorkKind::kSendBack, *event.id)};
  }
  Result operator()(const domain::ChargePaid&) const { return paid(); }
  Result operator()(const domain::UnappliedPaymentAccepted&) const { return paid(); }

  Result operator()(const domain::PaymentReturnRequested& event) const {
    const auto payment = state<domain::UnmatchedPayment>(recorded.stream);
    if (!payment) throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " has no payment");
    return {return_begun(BankWorkKind::kSendBack, event.id, payment->connection)};
  }
  Result operator()(const domain::PaymentReturned& event) const {
    return {return_ended(BankWorkKind::kSendBack, event.id)};
  }
  Result operator()(const domain::PaymentReturnFailed& event) const {
    return {return_ended(BankWorkKind::kSendBack, event.id)};
  }
  Result operator()(const domain::PaymentUnmatched&) const { return {}; }
  Result operator()(const domain::PaymentAssigned&) const { return {}; }
  Result operator()(const domain::PaymentClosed&) const { return {}; }

  Result operator()(const domain::ChargeProcessingStarted&) const { return {}; }
  Result operator()(const domain::ChargeRefunded&) const { return {}; }
  Result operator()(const domain::PaymentLeftUnapplied&) const { return {}; }
  Result operator()(const domain::PaymentReversed&) const { return {}; }
  Result operator()(const domain::UnappliedPaymentReversed&) const { return {}; }
  Result operator()(const domain::UnappliedPaymentAdded&) const { return {}; }
  Result operator()(const domain::UnmatchedPaymentReversed&) const { return {}; }

  Result operator()(const domain::ApiKeyEvent&) const { return {}; }
  Result operator()(const domain::ChannelEvent&) const { return {}; }
  Result operator()(const domain::BlocklistEvent&) const { return {}; }
  Result operator()(const domain::CustomerEvent&) const { return {}; }
  Result operator()(const domain::RefusalEvent&) const { return {}; }
  Result operator()(const domain::ConnectionConfigured& event) const { return {WorkHastened{event.id}}; }
  Result operator()(const domain::CallbackRegistered&) const { return {}; }
  Result operator()(const domain::CallbackRemoved&) const { return {}; }
  Result operator()(const domain::CheckoutEvent&) const { return {}; }
  Result operator()(const domain::TeamEvent&) const { return {}; }

 private:
  // As of the event.
  template <class Aggregate>
  std::optional<Aggregate> state(const domain::StreamName& stream) const {
    return eventstore::fold_as<Aggregate>(log, stream, recorded.position);
  }
  domain::Charge charge() const {
    auto charge = state<domain::Charge>(recorded.stream);
    if (!charge)
      throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " does not begin with a charge");
    return *std::move(charge);
  }
  // Where the money of a charge's payment lies: a payment that was assigned may have come another way.
  domain::ConnectionId account_of(const domain::Charge& charge, const domain::EndToEndId& payment) const {
    const auto unmatched = state<domain::UnmatchedPayment>(domain::payment_stream(payment));
    // What another project has shown first lies where this one's connection has read it.
    const bool is_own = unmatched && unmatched->project == charge.project;
    return is_own ? unmatched->connection : charge.connection;
  }
  WorkBegun begun(BankWorkId id, const domain::ConnectionId& connection) const {
    return {.id = std::move(id), .connection = connection, .since = recorded.recorded_at};
  }
  WorkBegun begun(BankWorkKind kind) const { return begun({kind, recorded.stream}, charge().connection); }
  WorkEnded ended(BankWorkKind kind) const { return {{kind, recorded.stream}}; }
  WorkBegun return_begun(BankWorkKind kind, const domain::RefundId& id,
                         const domain::ConnectionId& connection) const {
    return begun({kind, recorded.stream, id.text()}, connection);
  }
  WorkEnded return_ended(BankWorkKind kind, const domain::RefundId& id) const {
    return {{kind, recorded.stream, id.text()}};
  }
  Result noted(const domain::Connection& connection) const {
    if (!connection.api_pix) return {};
    return {BankNoted{connection.id, recorded.project, recorded.recorded_at}};
  }
  ChargeClosed no_longer_waits() const {
    const auto id = domain::ChargeId::parse(recorded.stream.key());
    if (!id)
      throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " is not that of a charge");
    return {*id};
  }
  // What is closed is not to be paid: a code of the bank's, or one that it may have made unheard, goes.
  Result closed() const {
    const auto about = charge();
    if (!about.through_bank) return {};
    Result changes{ended(BankWorkKind::kMakeCode), no_longer_waits()};
    const bool awaited_code = about.code_fallback.has_value();
    if (awaited_code)
      changes.push_back(begun({BankWorkKind::kRemoveCode, recorded.stream}, about.connection));
    return changes;
  }
  // The bank has closed its own code by itself where it told of the payment; one that nobody was given stays.
  Result paid() const {
    const bool by_banks_code =
        recorded.actor == kProvidersActor && charge().code_kind == domain::CodeKind::kDynamic;
    return by_banks_code ? Result{no_longer_waits()} : closed();
  }
};

}  // namespace

std::vector<BankChange> bank_changes_of(const domain::RecordedEvent& event, const eventstore::Log& log) {
  return std::visit(ChangesOf{event, log}, event.event);
}

}  // namespace pixledger::workers
