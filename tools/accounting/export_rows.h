#pragma once

#include <functional>
#include <optional>

#include "domain/values/cuid.h"
#include "eventstore/log/log.h"
#include "stores/deliveries/delivery_reader.h"
#include "stores/exports/export_rows.h"
#include "tools/accounting/charge_filter.h"
#include "tools/cli/period.h"

// The tables that are exported, in the order in which things happened. Everything is as of one position of
// the log, and one row after the other is made and handed over.
namespace pixledger::tools {

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
