#pragma once

#include <optional>
#include <string>

#include "base/process/command_line.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/aggregates/unmatched_payment.h"
#include "domain/pix/typed_document.h"
#include "eventstore/log/log.h"
#include "projections/views/list_reader.h"
#include "stores/exports/customer_directory.h"

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
  std::string search_;                             // folded
  std::optional<domain::TypedDocument> document_;  // that is searched for
};

}  // namespace pixledger::tools
