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

// Which of a project's charges. What is absent does not restrict. `search` may be the whole of a charge's id.
struct ChargeQuery : ColumnFilter {
  std::optional<domain::CustomerId> customer;
  std::optional<EmailAddress> customer_email;  // whatever its case
  // What `search` is the whole name of besides, if anything; means nothing without it.
  struct Named {
    std::vector<domain::StreamName> payers{};  // a document's: those who have it now
    std::optional<eventstore::ChargePayment> payment{};
  };
  Named named;

  std::optional<domain::ExternalId> external_id;  // the whole of it; a charge's id where it stands for one
  std::optional<eventstore::ChargePayment> payment;
  bool has_unapplied = false;                   // only those with money to settle
  std::vector<domain::MetadataEntry> metadata;  // has all of them; keys differ
};

// Which of a project's customers.
struct CustomerQuery {
  CustomerFilter listed{};                     // of which the reader sets what names customers
  std::optional<domain::StreamName> stream{};  // a document's: the one who has it now
  std::optional<EmailAddress> email{};         // whatever its case
  std::optional<std::string> search{};         // CustomerFilter::search, or the whole of a customer's id
  std::vector<domain::StreamName> named{};     // documents that `search` is: those who have them now
  std::optional<bool> is_blocked{};            // at `now`
  Timestamp now{};
};

// The most that one filter may look at, in rows: some tenths of a second.
inline constexpr std::size_t kFilterRowsMax = 250'000;

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
  ListReader(const ViewDatabase& database, domain::ProjectId project, WorkCheck check = {},
             std::size_t filter_rows_max = kFilterRowsMax);

  Page<ListedTransaction> charges(const ChargeQuery& query, const PageRequest& page) const;
  Page<domain::Customer> customers(const CustomerQuery& query, const PageRequest& page) const;

  // Nullopt also for another project's.
  std::optional<ListedTransaction> transaction(const domain::ChargeId& id) const;
  std::optional<domain::Customer> customer(const domain::CustomerId& id) const;
  // Creations that were refused to this customer up to that position, newest first, at most `max`. After an
  // erasure those are of whoever comes with the document then.
  std::vector<FraudEvent> fraud_events(const domain::CustomerId& id, Position up_to, std::size_t max) const;

 private:
  struct Found {
    domain::Customer customer;
    std::uint32_t ordinal;
    domain::DocumentToken token;
  };
  using Ordinals = std::vector<std::uint32_t>;
  std::optional<Found> find(const domain::CustomerId& id) const;
  // The customer that the query names, if that one has the e-mail address which it names besides.
  Ordinals customer_of(const ChargeQuery& query) const;
  // Has the filter name customers as the query asks. The parameter that would have to look at too much, or
  // an empty text.
  std::string_view name_customers(const CustomerQuery& query, CustomerFilter& filter) const;
  // Whose block lasts. Nullopt, as below, when it would have to look at too many.
  std::optional<Ordinals> blocked_customers(Timestamp now, OrdinalRange range) const;
  std::optional<Ordinals> customers_with_email(const EmailAddress& email, OrdinalRange range) const;
  // The charge whose whole id the text is.
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
