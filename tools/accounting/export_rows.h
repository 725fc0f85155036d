#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/process/command_line.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/contact.h"
#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "eventstore/log/log.h"
#include "projections/views/list_reader.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/exports/export_rows.h"
#include "tools/cli/option_values.h"

namespace pixledger::tools {

// The filters of the API's list, as flags.
struct ChargeFilterOptions {
  std::string status, environment, connection, origin_host, customer, customer_email, search;
  std::optional<std::int64_t> amount_min, amount_max;
  bool partly_refunded = false;

  void add_to(CommandLine& command);
};

// Selects charges, with the same meaning as the API's list filters (and also failed charges).
class ChargeFilter {
 public:
  // Throws UsageError.
  explicit ChargeFilter(const ChargeFilterOptions& options);

  // Reads `customers` only if the customer matters.
  bool accepts(const domain::Charge& charge, stores::CustomerDirectory& customers) const;
  // A payment that matches no charge has an environment and a connection only.
  bool accepts_unmatched(const domain::UnmatchedPayment& payment) const;
  // True if it accepts every charge.
  bool accepts_all() const;

 private:
  bool looks_at_charges() const;
  bool has_text(const domain::Charge& charge, const domain::Customer* customer) const;

  projections::ChargeQuery query_;
  std::string search_;  // folded
  // The search text, if it is a document, a phone or a payment id.
  std::optional<domain::TypedDocument> document_;
  std::optional<domain::TypedPhone> phone_;
  std::optional<domain::TypedEndToEndId> payment_;
  std::optional<domain::TypedChargeId> charge_;
};

// The exported tables, in order of events. Everything is as of one log position; rows are made and handled
// one by one.

struct ExportQuery {
  std::optional<domain::ProjectId> project;
  // Selects by creation of charges and sessions; by record of payments, refunds and deliveries; or by payment
  // day of charges and payments.
  Period period;
  ChargeFilter charges;
  stores::ExportBy by = stores::ExportBy::kRecorded;
};

using RowHandler = std::function<void(const stores::Cells&)>;

// For tables that are buffered until complete: calls `make`, and repeats it while customers were erased
// meanwhile.
void make_without_erased(const eventstore::Log& log, const std::function<void()>& make);

void export_charges(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

// All reported payments, including those not applied to their charge. Without a charge filter, also those
// that match no charge.
void export_payments(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

void export_refunds(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

// Checkout sessions in their final state, including unpaid ones; with a charge filter, sessions with a
// matching charge.
void export_sessions(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

// Deliveries in the webhook worker's database now, for events up to that position.
void export_deliveries(const eventstore::Log& log, const stores::DeliveryReader& database,
                       const ExportQuery& query, const RowHandler& handle);

}  // namespace pixledger::tools
