#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/process/command_line.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/pix/payment_ids.h"
#include "domain/values/cuid.h"
#include "domain/values/document.h"
#include "eventstore/log/log.h"
#include "projections/views/list_reader.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/exports/export_rows.h"
#include "tools/cli/option_values.h"

namespace pixledger::tools {

// The filters that the API's list has, as flags.
struct ChargeFilterOptions {
  std::string status, environment, connection, origin_host, customer, customer_email, search;
  std::optional<std::int64_t> amount_min, amount_max;

  void add_to(CommandLine& command);
};

// Which charges are wanted; means what the API's list means by the same filters (and knows failed charges).
class ChargeFilter {
 public:
  // Throws UsageError.
  explicit ChargeFilter(const ChargeFilterOptions& options);

  // `customers` is asked only when the customer matters.
  bool accepts(const domain::Charge& charge, stores::CustomerDirectory& customers) const;
  // A payment that fits no charge has an environment and a connection only.
  bool accepts_unmatched(const domain::UnmatchedPayment& payment) const;
  // Whether it accepts every charge.
  bool accepts_all() const;

 private:
  bool looks_at_charges() const;
  bool has_text(const domain::Charge& charge, const domain::Customer* customer) const;

  projections::ChargeQuery query_;
  std::string search_;  // folded
  // What the search may name.
  std::optional<domain::TypedDocument> document_;
  std::optional<domain::TypedEndToEndId> payment_;
  std::optional<domain::TypedChargeId> charge_;
};

// The tables that are exported, in the order in which things happened. Everything is as of one position of
// the log, and one row after the other is made and handed over.

struct ExportQuery {
  std::optional<domain::ProjectId> project;
  // Selects by the creation of charges and sessions, by the record of payments, refunds and deliveries, or by
  // the day of payment of charges and payments.
  Period period;
  ChargeFilter charges;
  stores::ExportBy by = stores::ExportBy::kRecorded;
};

using RowHandler = std::function<void(const stores::Cells&)>;

// For tables that are kept until they are whole: calls `make`, and again for as long as a customer was erased
// meanwhile.
void make_without_erased(const eventstore::Log& log, const std::function<void()>& make);

void export_charges(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

// Every payment that was reported, also those that were not applied to their charge, and, where charges are
// not filtered, those that fitted none.
void export_payments(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

void export_refunds(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

// Checkout sessions as they have become, also those that nobody paid; where charges are filtered, those that
// have such a one.
void export_sessions(const eventstore::Log& log, const ExportQuery& query, const RowHandler& handle);

// As the webhook worker's database has them now, of events up to that position.
void export_deliveries(const eventstore::Log& log, const stores::DeliveryReader& database,
                       const ExportQuery& query, const RowHandler& handle);

}  // namespace pixledger::tools
