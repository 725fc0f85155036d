#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <unordered_map>
#include <vector>

#include "domain/aggregates/event.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/log/log.h"
#include "tools/audit/finding.h"

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

// What the log says of customers' erasures.
struct Erasures {
  std::vector<Position> recorded{};  // the positions of its CustomerErased
  std::filesystem::path lock{};      // held while somebody removes what one took away; may be empty
};

// What the log holds of an event's personal bytes.
struct HeldPersonal {
  Digest digest{};  // of those that were recorded
  bool is_there = false;
};

// Personal data are missing where a customer's erasure explains it, and nowhere else; what an erasure takes
// away is gone. Told the events of one stream after the other.
class PersonalRules {
 public:
  // Erasures that come later are looked up when something is missing. Throws LogCorrupt.
  PersonalRules(const eventstore::LedgerLog& log, const Erasures& erasures);

  void begin_stream();
  std::optional<Finding> check(const domain::RecordedEvent& event, const HeldPersonal& personal);

 private:
  void look_for_customer(const domain::RecordedEvent& event);
  bool is_being_removed(Position position) const;

  const eventstore::LedgerLog& log_;
  const std::filesystem::path lock_;
  const Digest none_ = sha256("");
  std::unordered_map<domain::CustomerId, Position> erased_;
  std::unordered_map<domain::StreamName, domain::CustomerId> erased_in_;  // the last one of each stream
  CustomerErasures later_;                                                // also those that it was not told

  std::optional<domain::CustomerId> customer_;  // whom the stream is about
};

}  // namespace pixledger::tools
