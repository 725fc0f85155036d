#include "workers/providers/work_maker.h"

#include <utility>

#include "eventstore/reading/state_reader.h"

namespace pixledger::workers {
namespace {

using projections::BankChange;
using projections::BankNoted;
using projections::BankWorkId;
using projections::BankWorkKind;
using projections::ChargeClosed;
using projections::ChargeWaits;
using projections::CodeDecided;
using projections::WorkBegun;
using projections::WorkEnded;

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
  Result operator()(const domain::ConnectionChanged& event) const { return noted(event.connection); }
  Result operator()(const domain::DefaultConnectionSet&) const { return {}; }

  Result operator()(const domain::ChargeCreated& event) const {
    if (!event.through_bank) return {};
    Result changes{ChargeWaits{event.id, event.connection}};
    if (event.code_awaited_until)
      changes.push_back(WorkBegun{.id = {BankWorkKind::kMakeCode, event.id},
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
    auto work = begun(BankWorkKind::kRefund);
    work.id.refund = event.id.text();
    return {std::move(work)};
  }
  Result operator()(const domain::RefundDone& event) const { return {refund_ended(event.id)}; }
  Result operator()(const domain::RefundFailed& event) const { return {refund_ended(event.id)}; }

  Result operator()(const domain::ChargePaid&) const { return {no_longer_waits()}; }
  Result operator()(const domain::ChargeProcessingStarted&) const { return {}; }
  Result operator()(const domain::ChargeRefunded&) const { return {}; }
  Result operator()(const domain::PaymentLeftUnapplied&) const { return {}; }
  Result operator()(const domain::UnappliedPaymentAccepted&) const { return {}; }
  Result operator()(const domain::UnappliedPaymentReturned&) const { return {}; }
  Result operator()(const domain::PaymentReversed&) const { return {}; }

  Result operator()(const domain::ApiKeyEvent&) const { return {}; }
  Result operator()(const domain::ChannelEvent&) const { return {}; }
  Result operator()(const domain::BlocklistEvent&) const { return {}; }
  Result operator()(const domain::CustomerEvent&) const { return {}; }
  Result operator()(const domain::RefusalEvent&) const { return {}; }
  Result operator()(const domain::BankConnectionEvent&) const { return {}; }

 private:
  domain::Charge charge() const {
    auto charge = eventstore::fold_as<domain::Charge>(log, recorded.stream, recorded.position);
    if (!charge)
      throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " does not begin with a charge");
    return *std::move(charge);
  }
  static BankWorkId id_of(BankWorkKind kind, const domain::Charge& charge) { return {kind, charge.id}; }
  WorkBegun begun(BankWorkKind kind) const {
    const auto about = charge();
    return {.id = id_of(kind, about), .connection = about.connection, .since = recorded.recorded_at};
  }
  WorkEnded ended(BankWorkKind kind) const { return {id_of(kind, charge())}; }
  WorkEnded refund_ended(const domain::RefundId& refund) const {
    auto id = id_of(BankWorkKind::kRefund, charge());
    id.refund = refund.text();
    return {std::move(id)};
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
    Result changes{WorkEnded{id_of(BankWorkKind::kMakeCode, about)}, no_longer_waits()};
    if (about.code_kind == domain::CodeKind::kDynamic || about.code_awaited_until)
      changes.push_back(WorkBegun{.id = id_of(BankWorkKind::kRemoveCode, about),
                                  .connection = about.connection,
                                  .since = recorded.recorded_at});
    return changes;
  }
};

}  // namespace

std::vector<BankChange> bank_changes_of(const domain::RecordedEvent& event, const eventstore::Log& log) {
  return std::visit(ChangesOf{event, log}, event.event);
}

}  // namespace pixledger::workers
