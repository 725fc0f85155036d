#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/values/email_address.h"
#include "domain/aggregates/charge.h"
#include "domain/values/stream_name.h"
#include "eventstore/reading/payment_search.h"
#include "projections/list/list_query.h"

namespace pixledger::projections {

// Which of a project's charges. What is absent does not restrict; bounds are inclusive.
struct ChargeQuery {
  std::optional<StatusSet> status;
  std::optional<domain::Environment> environment;
  std::optional<domain::ConnectionId> connection;
  std::optional<OriginHost> origin_host;
  std::optional<domain::CustomerId> customer;
  std::optional<EmailAddress> customer_email;  // whatever its case
  std::optional<domain::Cents> amount_min;
  std::optional<domain::Cents> amount_max;
  std::optional<Timestamp> created_from;
  std::optional<Timestamp> created_to;
  std::optional<std::string> search;  // ListFilter::search, or the whole of a charge's id
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

}  // namespace pixledger::projections
