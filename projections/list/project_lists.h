#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "domain/aggregates/charge.h"
#include "domain/aggregates/customer.h"
#include "projections/list/list_snapshot.h"
#include "projections/list/transaction_list.h"

namespace pixledger::projections {

// What the lists show of a customer; empty for one who was erased.
struct CustomerTextPair {
  std::string name;
  std::string email;
};
CustomerTextPair texts_of(const std::optional<domain::CustomerDetails>& details);

// What one event means to its project's list.
struct CustomerListed {
  domain::ProjectId project;
  Timestamp created_at;
  CustomerTextPair texts;
  domain::Environment environment;
};
struct CustomerTextsListed {
  domain::ProjectId project;
  std::uint32_t customer;
  CustomerTextPair texts;
};
struct ChargeListed {
  domain::ProjectId project;
  const domain::ChargeCreated* charge;  // outlives the change
  Timestamp created_at;
  std::uint32_t customer;
};
struct ChargeStatusListed {
  domain::ProjectId project;
  std::uint32_t charge;
  domain::ChargeStatus status;
};
using ListChange = std::variant<CustomerListed, CustomerTextsListed, ChargeListed, ChargeStatusListed>;
using ListChanges = std::vector<ListChange>;

// The transaction lists of all projects. Not thread-safe: every call is made under one mutex of the caller;
// the versions that it gives are read without.
class ProjectLists {
 public:
  ProjectLists() = default;
  // Goes on from what a snapshot holds.
  explicit ProjectLists(std::map<domain::ProjectId, TransactionList> lists);

  void apply(const ListChanges& changes);

  // Of a project without charges and customers: an empty one.
  std::shared_ptr<const ListVersion> version(const domain::ProjectId& project) const;
  std::vector<ProjectListVersion> versions() const;
  MemoryUse memory_use() const;

 private:
  std::unordered_map<domain::ProjectId, TransactionList> lists_;
};

}  // namespace pixledger::projections
