#include "tools/accounting/export_rows.h"

#include <algorithm>
#include <utility>

#include "eventstore/reading/log_scan.h"
#include "projections/generations/erasure_follower.h"
#include "stores/exports/export_rows.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::CheckoutSession;
using domain::RecordedEvent;
using eventstore::Log;
using stores::ChargeTable;
using stores::CustomerDirectory;
using stores::ExportBy;

constexpr std::size_t kDeliveriesPerRead = 500;

// Goes through the events of the period and project, and folds the charges whose events are wanted.
class Scan {
 public:
  Scan(const Log& log, const ExportQuery& query)
      : log_(log), query_(query), head_(log.head().position), customers_(log, head_) {}

  bool is_by_record() const { return query_.by == ExportBy::kRecorded; }

  // Visits every event of the project that may belong to the period: those recorded in it, or, if the time of
  // payment counts, all since its beginning. A payment's time may be a little ahead of the ledger's clock.
  template <class Handle>
  void each(Handle handle) {
    const auto [after, last] = is_by_record()
                                   ? query_.period.positions(log_, head_)
                                   : std::pair(query_.period.begin(log_, domain::kPaymentAheadMsMax), head_);
    eventstore::for_each_event(log_, after, last, [&](const RecordedEvent& event) {
      if (query_.project && event.project != *query_.project) return;
      if (!is_by_record() || query_.period.contains(event.recorded_at)) handle(event);
    });
  }
  void add(const ChargeTable& table, const RecordedEvent& event, const RowHandler& handle) {
    if (!(is_by_record() ? table.has_row(event) : stores::may_be_payment(event))) return;
    const auto charge = charge_of(event.stream);
    if (!query_.charges.accepts(charge, customers_)) return;
    if (!is_by_record()) {
      const auto paid_at = table.paid_at(event, charge);
      if (!paid_at || !query_.period.contains(*paid_at)) return;
    }
    handle(table.row({query_.period.zone(), customers_}, event, charge));
  }
  void run(const ChargeTable& table, const RowHandler& handle) {
    each([&](const RecordedEvent& event) { add(table, event, handle); });
  }

  Charge charge_of(const domain::StreamName& stream) const {
    auto charge = eventstore::fold_as<Charge>(log_, stream, head_);
    if (!charge) throw eventstore::LogCorrupt("stream " + stream.text() + " does not begin with a charge");
    return *std::move(charge);
  }
  Position head() const { return head_; }
  CustomerDirectory& customers() { return customers_; }

 private:
  const Log& log_;
  const ExportQuery& query_;
  const Position head_;
  CustomerDirectory customers_;
};

}  // namespace

void make_without_erased(const Log& log, const std::function<void()>& make) {
  Position began;
  do {
    began = log.head().position;
    make();
  } while (!projections::erasures_between(log, began, log.head().position).empty());
}

void export_charges(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan(log, query).run(stores::charge_table(), handle);
}

void export_payments(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan scan(log, query);
  scan.each([&](const RecordedEvent& event) {
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event)) {
      // What was assigned is among its charge's.
      const auto payment = std::holds_alternative<domain::PaymentUnmatched>(*of_payment)
                               ? eventstore::fold_as<domain::UnmatchedPayment>(log, event.stream, scan.head())
                               : std::nullopt;
      if (!payment || payment->state == domain::UnmatchedState::kAssigned) return;
      if (scan.is_by_record() || query.period.contains(payment->paid_at))
        if (query.charges.accepts_unmatched(*payment))
          handle(stores::unmatched_row(query.period.zone(), *payment));
      return;
    }
    scan.add(stores::payment_table(), event, handle);
  });
}

void export_refunds(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan(log, query).run(stores::refund_table(), handle);
}

void export_sessions(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan scan(log, query);
  const auto is_accepted = [&](const domain::CheckoutCharge& charge) {
    return query.charges.accepts(scan.charge_of(domain::charge_stream(charge.id)), scan.customers());
  };
  scan.each([&](const RecordedEvent& event) {
    const auto* change = std::get_if<domain::CheckoutEvent>(&event.event);
    if (!change || !std::holds_alternative<domain::CheckoutSessionCreated>(*change)) return;
    const auto session = eventstore::fold_as<CheckoutSession>(log, event.stream, scan.head());
    if (!session) throw eventstore::LogCorrupt("stream " + event.stream.text() + " has no session");
    const auto& charges = session->charges;
    if (query.charges.accepts_all() || std::any_of(charges.begin(), charges.end(), is_accepted))
      handle(stores::session_row(query.period.zone(), *session));
  });
}

void export_deliveries(const Log& log, const stores::DeliveryReader& database, const ExportQuery& query,
                       const RowHandler& handle) {
  Scan scan(log, query);
  const auto is_of_accepted_charge = [&](const stores::Delivery& delivery) {
    return delivery.charge &&
           query.charges.accepts(scan.charge_of(domain::charge_stream(*delivery.charge)), scan.customers());
  };
  std::int64_t after = 0;
  for (auto batch = database.read_after(after, kDeliveriesPerRead); !batch.empty();
       batch = database.read_after(after, kDeliveriesPerRead)) {
    after = batch.back().number;
    for (const auto& delivery : batch) {
      if (delivery.position > scan.head()) continue;  // made since, of what is not looked at here
      if (query.project && delivery.project != *query.project) continue;
      if (!query.period.contains(delivery.created_at)) continue;
      if (!query.charges.accepts_all() && !is_of_accepted_charge(delivery)) continue;
      handle(stores::delivery_row(query.period.zone(), delivery));
    }
  }
}

}  // namespace pixledger::tools
