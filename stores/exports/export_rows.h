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

// Customers as of a position, the last few thousand of them in memory. A customer who is erased later is
// returned as erased from then on.
class CustomerDirectory {
 public:
  CustomerDirectory(const eventstore::Log& log, Position as_of) : log_(log), as_of_(as_of) {}

  // Null when there is none. Valid until the next call.
  const domain::Customer* find(const domain::CustomerId& id);

 private:
  struct Known {
    eventstore::StreamName stream;
    std::uint32_t version = 0;  // of the stream, when it was read
    std::optional<domain::Customer> customer;
  };

  const eventstore::Log& log_;
  const Position as_of_;
  std::unordered_map<std::string, Known> known_;
};

// The rows of the tables that are exported, each of one event or delivery.

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

// The columns of what is counted, not exported row by row.

// Charges by day, environment, connection and status; and money that is to be settled, as statuses of its
// own.
const Table& report_table();

// A month's money by day, environment and connection.
const Table& statement_table();

}  // namespace pixledger::stores
