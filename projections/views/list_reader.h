#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/values/internet_address.h"
#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "domain/values/stream_name.h"
#include "eventstore/reading/payment_search.h"
#include "projections/list/list_query.h"
#include "projections/views/row_codec.h"
#include "projections/views/view_database.h"

namespace pixledger::projections {

// Selects charges of a project. An absent field does not filter. `search` may be a whole charge id.
struct ChargeQuery : ColumnFilter {
  std::optional<domain::CustomerId> customer;
  std::optional<EmailAddress> customer_email;  // case-insensitive
  // Exact names that `search` also matches; ignored without `search`.
  struct Named {
    std::vector<domain::StreamName> payers{};  // documents: the customers who hold them now
    std::optional<eventstore::ChargePayment> payment{};
  };
  Named named;

  std::optional<domain::ExternalId> external_id;  // the whole id; a charge's id if it stands for a missing
                                                  // external id
  std::optional<eventstore::ChargePayment> payment;
  bool has_unapplied = false;                   // only charges with money to settle
  bool is_partly_refunded = false;              // only such charges
  std::vector<domain::MetadataEntry> metadata;  // charges that have all entries; keys are distinct
};

// Selects customers of a project.
struct CustomerQuery {
  CustomerFilter listed{};                     // the reader fills in the customers' ordinals
  std::optional<domain::StreamName> stream{};  // a document: the customer who holds it now
  std::optional<EmailAddress> email{};         // case-insensitive
  std::optional<std::string> search{};         // CustomerFilter::search, or a whole customer id
  std::vector<domain::StreamName> named{};     // documents that `search` matches: the customers who hold them
                                               // now
  std::optional<bool> is_blocked{};            // at `now`
  Timestamp now{};
};

// The most rows that one filter may scan: some tenths of a second.
inline constexpr std::size_t kFilterRowsMax = 250'000;

struct PageRequest {
  std::uint64_t offset = 0;
  std::uint32_t limit = 10;
};

// Newest first, with the number of all matches.
template <class Item>
struct Page {
  std::uint64_t total = 0;
  std::vector<Item> items;
  std::string_view too_wide{};  // the filter that would scan too many rows; nothing is listed then
};

struct ListedTransaction {
  domain::Charge charge;
  std::optional<CustomerSummary::Shown> customer;  // as they are now; nullopt: erased
};

// Lists of one project, all as of the same log position. Use one per request: it holds a read transaction.
class ListReader {
 public:
  // Searches and filters that scan rows call `check`; an exception from it ends them.
  ListReader(const ViewDatabase& database, domain::ProjectId project, WorkCheck check = {},
             std::size_t filter_rows_max = kFilterRowsMax);

  Page<ListedTransaction> charges(const ChargeQuery& query, const PageRequest& page) const;
  Page<domain::Customer> customers(const CustomerQuery& query, const PageRequest& page) const;

  // Nullopt also for ids of another project.
  std::optional<ListedTransaction> transaction(const domain::ChargeId& id) const;
  std::optional<domain::Customer> customer(const domain::CustomerId& id) const;
  // Returns at most `max` creations that were rejected for this customer up to that position, newest first.
  // After an erasure, they belong to the next customer with that document.
  std::vector<FraudEvent> fraud_events(const domain::CustomerId& id, Position up_to, std::size_t max) const;

 private:
  struct Found {
    domain::Customer customer;
    std::uint32_t ordinal;
    domain::DocumentToken token;
  };
  using Ordinals = std::vector<std::uint32_t>;
  std::optional<Found> find(const domain::CustomerId& id) const;
  // Returns the customer that the query names, if its e-mail address matches the query's.
  Ordinals customer_of(const ChargeQuery& query) const;
  // Fills in the filter's customers from the query. Returns the parameter that would scan too many rows, or
  // an empty text.
  std::string_view name_customers(const CustomerQuery& query, CustomerFilter& filter) const;
  // Customers whose block has not ended. Nullopt, as below, if this would scan too many rows.
  std::optional<Ordinals> blocked_customers(Timestamp now, OrdinalRange range) const;
  std::optional<Ordinals> customers_with_email(const EmailAddress& email, OrdinalRange range) const;
  // The charge whose whole id is the search text.
  Ordinals charges_named(const ChargeQuery& query) const;
  Ordinals payers(const std::vector<domain::StreamName>& documents) const;
  ListFilter filter_of(const ChargeQuery& query) const;
  ListedTransaction transaction_at(std::uint32_t ordinal) const;

  const ViewTables& tables_;
  domain::ProjectId project_;
  WorkCheck check_;
  std::size_t rows_max_;
  ViewDatabase::Snapshot snapshot_;
};

}  // namespace pixledger::projections
