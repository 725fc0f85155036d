#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "domain/aggregates/customer.h"
#include "eventstore/log/log.h"

namespace pixledger::projections {

// Customers as of a position, the last few thousand of them in memory.
class CustomerDirectory {
 public:
  CustomerDirectory(const eventstore::Log& log, domain::Position as_of) : log_(log), as_of_(as_of) {}

  // Null when there is none. Valid until the next call.
  const domain::Customer* find(const domain::CustomerId& id);

 private:
  const eventstore::Log& log_;
  const domain::Position as_of_;
  std::unordered_map<std::string, std::optional<domain::Customer>> known_;
};

}  // namespace pixledger::projections
