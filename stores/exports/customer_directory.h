#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>

#include "domain/aggregates/customer.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {

// Customers as of a position, the last few thousand of them in memory. A customer who is erased later is
// returned as erased from then on.
class CustomerDirectory {
 public:
  CustomerDirectory(const eventstore::Log& log, Position as_of) : log_(log), as_of_(as_of) {}

  // Null when there is none. Valid until the next call.
  const domain::Customer* find(const domain::CustomerId& id);

 private:
  struct Known {
    eventstore::StreamName stream;
    std::uint32_t version = 0;  // of the stream, when it was read
    std::optional<domain::Customer> customer;
  };

  const eventstore::Log& log_;
  const Position as_of_;
  std::unordered_map<std::string, Known> known_;
};

}  // namespace pixledger::stores
