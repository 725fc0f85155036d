#pragma once

#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/unmatched_payment.h"
#include "stores/deliveries/delivery.h"
#include "stores/exports/customer_directory.h"
#include "stores/exports/table.h"

// The rows of the tables that are exported, each of one event or delivery.
namespace pixledger::stores {

// What a charge's event says, where it is of that kind; else null.
template <class Fact>
const Fact* fact_of(const domain::RecordedEvent& event) {
  const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
  return of_charge ? std::get_if<Fact>(of_charge) : nullptr;
}

// Whether it is of a kind that may have sent money back; `domain::refund_done_by` tells what it has.
bool may_be_refund(const domain::RecordedEvent& event);
// Whether it is of a kind that tells of a payment of a charge, or that one is the charge's after all.
bool may_be_payment(const domain::RecordedEvent& event);

struct RowContext {
  const TimeZone& zone;
  CustomerDirectory& customers;  // as of the rows
};

// Whose day a row is asked for by.
enum class ExportBy {
  kRecorded,  // its event's
  kPaid,      // the payment's, as it says itself
};

// A table that has rows of charges' events.
struct ChargeTable {
  Table table;
  bool (*has_row)(const domain::RecordedEvent& event);  // by record
  // By payment: of an event that has a row, when it was paid. Null where the table has no payments.
  std::optional<Timestamp> (*paid_at)(const domain::RecordedEvent& event, const domain::Charge& charge);
  // Of an event that has one, with its charge as of the table.
  Cells (*row)(const RowContext& context, const domain::RecordedEvent& event, const domain::Charge& charge);
};
// Of creations.
const ChargeTable& charge_table();
// Of every payment that was reported, also of those that were not applied to their charge.
const ChargeTable& payment_table();
const ChargeTable& refund_table();

// Of what fitted no charge, in the table of payments.
Cells unmatched_row(const TimeZone& zone, const domain::UnmatchedPayment& payment);

const Table& session_table();
Cells session_row(const TimeZone& zone, const domain::CheckoutSession& session);

const Table& delivery_table();
Cells delivery_row(const TimeZone& zone, const Delivery& delivery);

}  // namespace pixledger::stores
