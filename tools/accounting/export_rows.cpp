#include "tools/accounting/export_rows.h"

#include <algorithm>

#include "domain/values/erased_name.h"
#include "eventstore/reading/log_scan.h"
#include "tools/cli/aggregates.h"

namespace pixledger::tools {
namespace {

using domain::Charge;
using domain::CheckoutSession;
using domain::RecordedEvent;
using domain::Timestamp;
using eventstore::Log;

constexpr std::size_t kDeliveriesPerRead = 500;

Cell time_cell(const TimeZone& zone, const std::optional<Timestamp>& moment) {
  return moment ? Cell(zone.text_of(*moment)) : Cell();
}
Cell text_cell(std::string_view text) { return std::string(text); }
Cell number_cell(std::uint64_t number) { return static_cast<std::int64_t>(number); }
Cell cents_cell(const std::optional<domain::Cents>& amount) {
  return amount ? Cell(amount->value()) : Cell();
}
template <class Text>
Cell optional_text(const std::optional<Text>& text) {
  return text ? Cell(text->text()) : Cell();
}

// Goes through the events of the period and project, and folds the charges whose events are wanted.
class Scan {
 public:
  Scan(const Log& log, const ExportQuery& query)
      : log_(log), query_(query), head_(log.head().position), customers_(log, head_) {}

  // Every event of the period and project.
  template <class Handle>
  void each(Handle handle) {
    const auto [after, last] = query_.period.positions(log_, head_);
    eventstore::for_each_event(log_, after, last, [&](const RecordedEvent& event) {
      if (query_.project && event.project != *query_.project) return;
      if (query_.period.contains(event.recorded_at)) handle(event);
    });
  }
  // `wanted` tells by the event alone, `row` gets the event with its charge.
  template <class Wanted, class MakeRow>
  void run(Wanted wanted, MakeRow row) {
    each([&](const RecordedEvent& event) {
      if (!wanted(event)) return;
      const auto charge = charge_of(event.stream);
      if (query_.charges.accepts(charge, customers_)) row(event, charge);
    });
  }

  Charge charge_of(const domain::StreamName& stream) const {
    auto charge = eventstore::fold_as<Charge>(log_, stream, head_);
    if (!charge) throw eventstore::LogCorrupt("stream " + stream.text() + " does not begin with a charge");
    return *std::move(charge);
  }
  domain::Position head() const { return head_; }
  CustomerDirectory& customers() { return customers_; }

 private:
  const Log& log_;
  const ExportQuery& query_;
  const domain::Position head_;
  CustomerDirectory customers_;
};

Cells charge_row(const TimeZone& zone, const Charge& charge, const domain::Customer* customer) {
  const auto* details = customer && customer->details ? &*customer->details : nullptr;
  const auto& payment = charge.payment;
  return {charge.id.text(),
          charge.project.text(),
          text_cell(domain::to_string(charge.environment)),
          text_cell(domain::to_string(charge.status)),
          charge.external_id ? charge.external_id->text() : charge.id.text(),
          charge.amount.value(),
          charge.product.text(),
          std::int64_t{charge.quantity},
          charge.origin_host.text(),
          charge.connection.text(),
          charge.customer.text(),
          details ? Cell(details->name.text()) : text_cell(domain::kErasedName),
          details ? Cell(details->document.text()) : Cell(),
          details ? Cell(details->email.text()) : Cell(),
          details ? Cell(details->phone.text()) : Cell(),
          time_cell(zone, charge.created_at),
          time_cell(zone, charge.expires_at),
          time_cell(zone, charge.updated_at),
          payment ? Cell(payment->end_to_end_id.text()) : Cell(),
          payment ? time_cell(zone, payment->paid_at) : Cell(),
          payment ? Cell(payment->amount.value()) : Cell(),
          payment ? cents_cell(payment->fee) : Cell(),
          charge.refunded.value(),
          time_cell(zone, charge.refunded_at),
          number_cell(charge.unapplied.size()),
          payment ? Cell(payment->amount.value()) : Cell(),
          charge.metadata.empty() ? Cell() : Cell(charge.metadata),
          charge.checkout_session ? Cell(charge.checkout_session->text()) : Cell()};
}

Cells session_row(const TimeZone& zone, const CheckoutSession& session) {
  const auto* newest = domain::newest_charge(session);
  return {session.id.text(),
          session.project.text(),
          text_cell(domain::to_string(session.environment)),
          text_cell(domain::to_string(session.status)),
          session.external_id ? session.external_id->text() : session.id.text(),
          session.amount.value(),
          session.product.text(),
          std::int64_t{session.quantity},
          session.origin_host.text(),
          newest ? Cell(newest->id.text()) : Cell(),
          optional_text(session.paid),
          number_cell(session.charges.size()),
          time_cell(zone, session.created_at),
          time_cell(zone, session.expires_at),
          time_cell(zone, session.updated_at),
          session.metadata.empty() ? Cell() : Cell(session.metadata)};
}

// What has become of a reported payment.
struct PaymentFate {
  std::string_view outcome;
  std::optional<domain::Cents> fee{};
  std::optional<domain::Cents> gone_back{};  // of what did not pay the charge: through its bank
};

PaymentFate fate_of(const Charge& charge, const domain::EndToEndId& id) {
  for (const auto& payment : charge.unapplied)
    if (payment.end_to_end_id == id) return {.outcome = "unapplied", .gone_back = domain::gone_back(payment)};
  for (const auto& payment : charge.returned)
    if (payment.end_to_end_id == id) return {.outcome = "returned", .gone_back = domain::gone_back(payment)};
  return {.outcome = "applied", .fee = charge.payment ? charge.payment->fee : std::nullopt};
}

Cells payment_row(const TimeZone& zone, const RecordedEvent& event, const Charge& charge) {
  const auto* paid = fact_of<domain::ChargePaid>(event);
  const auto* unapplied = fact_of<domain::PaymentLeftUnapplied>(event);
  const auto& id = paid ? paid->end_to_end_id : unapplied->end_to_end_id;
  const auto fate = fate_of(charge, id);
  return {id.text(),
          charge.id.text(),
          charge.project.text(),
          text_cell(domain::to_string(charge.environment)),
          (paid ? paid->amount : unapplied->amount).value(),
          cents_cell(fate.fee),
          time_cell(zone, paid ? paid->paid_at : unapplied->paid_at),
          time_cell(zone, event.recorded_at),
          unapplied ? text_cell(domain::to_string(unapplied->flag)) : Cell(),
          text_cell(fate.outcome),
          cents_cell(fate.gone_back)};
}

constexpr std::string_view kUnmatched = "UNMATCHED";  // where others have their flag

Cells unmatched_row(const TimeZone& zone, const domain::UnmatchedPayment& payment) {
  return {payment.end_to_end_id.text(),
          Cell(),
          payment.project.text(),
          text_cell(domain::to_string(payment.environment)),
          payment.amount.value(),
          Cell(),
          time_cell(zone, payment.paid_at),
          time_cell(zone, payment.recorded_at),
          text_cell(kUnmatched),
          text_cell(domain::is_open(payment) ? "unmatched" : domain::to_string(payment.state)),
          domain::gone_back(payment).value()};
}

// Of a refund of 0.1.0 nothing names it.
const domain::Refund* refund_told_by(const RecordedEvent& event, const Charge& charge) {
  std::optional<domain::RefundId> id;
  if (const auto* refunded = fact_of<domain::ChargeRefunded>(event)) id = refunded->id;
  if (const auto* done = fact_of<domain::RefundDone>(event)) id = done->id;
  if (const auto* reversed = fact_of<domain::PaymentReversed>(event)) id = reversed->id;
  const auto found =
      std::find_if(charge.refund_list.begin(), charge.refund_list.end(), [&](const domain::Refund& refund) {
        return refund.id == id && refund.status == domain::RefundStatus::kDone;
      });
  return found == charge.refund_list.end() ? nullptr : &*found;
}

Cells refund_row(const TimeZone& zone, const RecordedEvent& event, const Charge& charge) {
  const auto* named = refund_told_by(event, charge);
  const auto refund = domain::refund_done_by(std::get<domain::ChargeEvent>(event.event), charge).value();
  return {charge.id.text(),
          charge.project.text(),
          text_cell(domain::to_string(charge.environment)),
          charge.payment ? Cell(charge.payment->end_to_end_id.text()) : Cell(),
          refund.amount.value(),
          optional_text(refund.reason),
          time_cell(zone, event.recorded_at),
          event.actor,
          event.request_id.empty() ? Cell() : Cell(event.request_id),
          charge.refunded.value(),
          named ? Cell(named->id.text()) : Cell(),
          named ? text_cell(domain::to_string(named->origin)) : text_cell("merchant"),
          named ? time_cell(zone, named->settled_at) : time_cell(zone, event.recorded_at)};
}

Cells delivery_row(const TimeZone& zone, const projections::Delivery& delivery) {
  return {delivery.id.text(),
          delivery.channel.text(),
          delivery.project.text(),
          optional_text(delivery.charge),
          text_cell(domain::to_string(delivery.environment)),
          text_cell(projections::event_name(delivery)),
          text_cell(domain::to_string(delivery.version)),
          std::int64_t{delivery.sequence},
          number_cell(delivery.position.value()),
          text_cell(projections::to_string(delivery.status)),
          number_cell(delivery.attempts),
          time_cell(zone, delivery.created_at),
          time_cell(zone, delivery.next_attempt_at)};
}

}  // namespace

const Columns kChargeColumns = {
    "transactionId",   "projectId",        "environment",   "status",       "externalId",
    "amountCents",     "product",          "quantity",      "originDomain", "connectionId",
    "customerId",      "customerName",     "document",      "email",        "phone",
    "createdAt",       "expiresAt",        "updatedAt",     "endToEndId",   "paidAt",
    "paidCents",       "feeCents",         "refundedCents", "refundedAt",   "unappliedPayments",
    "paidAmountCents",  // as the API has it; paidCents is the older name
    "metadata",        "checkoutSessionId"};

const Columns kPaymentColumns = {"endToEndId",  "transactionId", "projectId",    "environment",
                                 "amountCents", "feeCents",      "paidAt",       "recordedAt",
                                 "flag",        "outcome",       "returnedCents"};

const Columns kRefundColumns = {"transactionId", "projectId",  "environment", "endToEndId", "amountCents",
                                "reason",        "recordedAt", "actor",       "requestId",  "refundedCents",
                                "refundId",      "origin",     "settledAt"};

const Columns kSessionColumns = {"checkoutSessionId", "projectId",     "environment",       "status",
                                 "externalId",        "amountCents",   "product",           "quantity",
                                 "originDomain",      "transactionId", "paidTransactionId", "transactions",
                                 "createdAt",         "expiresAt",     "updatedAt",         "metadata"};

const Columns kDeliveryColumns = {"deliveryId", "channelId",  "projectId",    "transactionId", "environment",
                                  "event",      "apiVersion", "sequence",     "position",      "status",
                                  "attempts",   "createdAt",  "nextAttemptAt"};

void export_charges(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan scan(log, query);
  scan.run([](const RecordedEvent& event) { return fact_of<domain::ChargeCreated>(event) != nullptr; },
           [&](const RecordedEvent&, const Charge& charge) {
             handle(charge_row(query.period.zone(), charge, scan.customers().find(charge.customer)));
           });
}

void export_payments(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan scan(log, query);
  scan.each([&](const RecordedEvent& event) {
    if (const auto* of_payment = std::get_if<domain::PaymentEvent>(&event.event)) {
      // What was assigned is among its charge's.
      const auto payment = std::holds_alternative<domain::PaymentUnmatched>(*of_payment)
                               ? eventstore::fold_as<domain::UnmatchedPayment>(log, event.stream, scan.head())
                               : std::nullopt;
      if (payment && payment->state != domain::UnmatchedState::kAssigned && query.charges.accepts_all())
        handle(unmatched_row(query.period.zone(), *payment));
      return;
    }
    if (!fact_of<domain::ChargePaid>(event) && !fact_of<domain::PaymentLeftUnapplied>(event)) return;
    const auto charge = scan.charge_of(event.stream);
    if (query.charges.accepts(charge, scan.customers()))
      handle(payment_row(query.period.zone(), event, charge));
  });
}

void export_refunds(const Log& log, const ExportQuery& query, const RowHandler& handle) {
  Scan(log, query).run(may_be_refund, [&](const RecordedEvent& event, const Charge& charge) {
    handle(refund_row(query.period.zone(), event, charge));
  });
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
      handle(session_row(query.period.zone(), *session));
  });
}

void export_deliveries(const Log& log, const projections::DeliveryReader& database, const ExportQuery& query,
                       const RowHandler& handle) {
  Scan scan(log, query);
  const auto is_of_accepted_charge = [&](const projections::Delivery& delivery) {
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
      handle(delivery_row(query.period.zone(), delivery));
    }
  }
}

}  // namespace pixledger::tools
