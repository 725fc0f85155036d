#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::tools {

// Where customers were erased, for who asks at each event that an erasure has taken something from: of a
// document's stream each event is read once, however often is asked and while more are recorded. Throws
// LogCorrupt. The log outlives it.
class CustomerErasures {
 public:
  explicit CustomerErasures(const eventstore::Log& log) : log_(log) {}

  // As of the call; nullopt: there is no such customer, or they have not been erased.
  std::optional<Position> of(const domain::CustomerId& customer);
  // Whether anybody whose document the stream is of was erased after that position, as of the call.
  bool is_any_after(const domain::StreamName& stream, Position position);

 private:
  struct Known {
    std::uint32_t version = 0;  // up to which the stream was read
    Position last;              // of the erasures
    std::unordered_map<domain::CustomerId, Position> erased{};
  };
  const Known& read_on(const domain::StreamName& stream);

  const eventstore::Log& log_;
  std::unordered_map<domain::StreamName, Known> streams_;
};

}  // namespace pixledger::tools
