#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/checkout_session.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/unmatched_payment.h"
#include "eventstore/log/log.h"
#include "stores/deliveries/delivery.h"
#include "stores/exports/table.h"

namespace pixledger::stores {

// Customers as of a position; caches the last few thousand. Once a later erasure is read, the customer is
// returned as erased.
class CustomerDirectory {
 public:
  CustomerDirectory(const eventstore::Log& log, Position as_of) : log_(log), as_of_(as_of) {}

  // Null if unknown. Valid until the next call.
  const domain::Customer* find(const domain::CustomerId& id);

 private:
  struct Known {
    eventstore::StreamName stream;
    std::uint32_t version = 0;  // of the stream when it was read
    std::optional<domain::Customer> customer;
  };

  const eventstore::Log& log_;
  const Position as_of_;
  std::unordered_map<std::string, Known> known_;
};

// Rows of the exported tables, each of one event or delivery.

// The charge event's fact if it has that type; else null.
template <class Fact>
const Fact* fact_of(const domain::RecordedEvent& event) {
  const auto* of_charge = std::get_if<domain::ChargeEvent>(&event.event);
  return of_charge ? std::get_if<Fact>(of_charge) : nullptr;
}

// True if the event's type may return money; `refund_done_by` gives the refund.
bool may_be_refund(const domain::RecordedEvent& event);
// True if the event's type reports a payment of a charge, or applies one to it later.
bool may_be_payment(const domain::RecordedEvent& event);

struct RowContext {
  const TimeZone& zone;
  CustomerDirectory& customers;  // as of the rows
};

// The time that selects a row's day.
enum class ExportBy {
  kRecorded,  // the event's record
  kPaid,      // the payment's own time
};

// A table with rows of charge events.
struct ChargeTable {
  Table table;
  bool (*has_row)(const domain::RecordedEvent& event);  // when selecting by record
  // When selecting by payment: the payment time of an event with a row. Null if the table has no payments.
  std::optional<Timestamp> (*paid_at)(const domain::RecordedEvent& event, const domain::Charge& charge);
  // The row of an event, with its charge as of the table.
  Cells (*row)(const RowContext& context, const domain::RecordedEvent& event, const domain::Charge& charge);
};
// Created charges.
const ChargeTable& charge_table();
// All reported payments, including those not applied to their charge.
const ChargeTable& payment_table();
const ChargeTable& refund_table();

// The row of a payment that matches no charge, in the table of payments.
Cells unmatched_row(const TimeZone& zone, const domain::UnmatchedPayment& payment);

const Table& session_table();
Cells session_row(const TimeZone& zone, const domain::CheckoutSession& session);

const Table& delivery_table();
Cells delivery_row(const TimeZone& zone, const Delivery& delivery);

// Columns of aggregates, which are not exported event by event.

// Charges by day, environment, connection and status; money to settle appears under separate statuses.
const Table& report_table();

// A month's money by day, environment and connection.
const Table& statement_table();

}  // namespace pixledger::stores
