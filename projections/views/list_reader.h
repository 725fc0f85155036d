#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/values/stream_name.h"
#include "projections/list/list_query.h"
#include "projections/views/charge_query.h"
#include "projections/views/fraud_event.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

struct PageRequest {
  std::uint64_t offset = 0;
  std::uint32_t limit = 10;
};

// Newest first, with the number of all that match.
template <class Item>
struct Page {
  std::uint64_t total = 0;
  std::vector<Item> items;
  std::string_view too_wide{};  // the filter that would have to look at too much: nothing is listed then
};

struct ListedTransaction {
  domain::Charge charge;
  std::optional<domain::Customer> customer;  // as it is now; absent never, but for damaged views
};

// Lists of one project, all as of the same position of the log. For one request: it holds a read transaction.
class ListReader {
 public:
  // `check` is asked by searches and by filters that look at rows, and what it throws ends them.
  ListReader(const ViewDatabase& database, domain::ProjectId project, WorkCheck check = {});

  Page<ListedTransaction> charges(const ChargeQuery& query, const PageRequest& page) const;
  Page<domain::Customer> customers(const CustomerQuery& query, const PageRequest& page) const;

  // Nullopt also for another project's.
  std::optional<domain::Customer> customer(const domain::CustomerId& id) const;
  // Creations that were refused to this customer, newest first, at most `max`.
  std::vector<FraudEvent> fraud_events(const domain::CustomerId& id, std::size_t max) const;

 private:
  struct Found {
    domain::Customer customer;
    std::uint32_t ordinal;
    domain::DocumentToken token;
  };
  std::optional<Found> find(const domain::CustomerId& id) const;
  std::optional<std::vector<std::uint32_t>> customers_of(const ChargeQuery& query) const;
  CustomerFilter filter_of(const CustomerQuery& query) const;
  // Whose block lasts.
  std::vector<std::uint32_t> blocked_customers(domain::Timestamp now) const;
  std::vector<std::uint32_t> customers_with_email(const domain::EmailAddress& email) const;
  // The charge whose whole id the text is.
  std::vector<std::uint32_t> charges_named(const std::string& search) const;
  ListFilter filter_of(const ChargeQuery& query) const;
  ListedTransaction transaction_at(std::uint32_t ordinal) const;

  const ViewTables& tables_;
  domain::ProjectId project_;
  WorkCheck check_;
  ViewDatabase::Snapshot snapshot_;
};

}  // namespace pixledger::projections
