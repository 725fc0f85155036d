#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "eventstore/log/log.h"
#include "projections/views/list_reader.h"

namespace pixledger::tests {

// The correct answers of a list, computed slowly: by folding the whole log and testing each charge.
class ListOracle {
 public:
  // As of the log's head.
  explicit ListOracle(const eventstore::Log& log);

  // Ids, newest first.
  std::vector<std::string> charges(const domain::ProjectId& project,
                                   const projections::ChargeQuery& query) const;
  std::vector<std::string> customers(const domain::ProjectId& project,
                                     const projections::CustomerFilter& filter) const;

  // In the order of creation.
  const std::vector<domain::Charge>& all_charges() const { return charges_; }
  const std::vector<domain::Customer>& all_customers() const { return customers_; }

 private:
  bool matches(const domain::Charge& charge, const projections::ChargeQuery& query) const;
  const domain::Customer& customer_of(const domain::Charge& charge) const;

  std::vector<domain::Charge> charges_;
  std::vector<domain::Customer> customers_;
  std::unordered_map<std::string, domain::StreamName> streams_of_documents_;  // by customer
  std::unordered_map<std::string, std::size_t> customer_places_;
};

}  // namespace pixledger::tests
