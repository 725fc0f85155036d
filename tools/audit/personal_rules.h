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

// Positions of customers' erasures, looked up for events whose personal data is missing. Reads each event of
// a document's stream once, however often it is called and even while events are added. Throws LogCorrupt.
// The log must outlive it.
class CustomerErasures {
 public:
  explicit CustomerErasures(const eventstore::Log& log) : log_(log) {}

  // As of the call; nullopt: the customer does not exist or has not been erased.
  std::optional<Position> of(const domain::CustomerId& customer);
  // True if any customer with the stream's document was erased after that position, as of the call.
  bool is_any_after(const domain::StreamName& stream, Position position);

 private:
  struct Known {
    std::uint32_t version = 0;  // the stream has been read up to this version
    Position last;              // of the last erasure
    std::unordered_map<domain::CustomerId, Position> erased{};
  };
  const Known& read_on(const domain::StreamName& stream);

  const eventstore::Log& log_;
  std::unordered_map<domain::StreamName, Known> streams_;
};

// The log's record of customers' erasures.
struct Erasures {
  std::vector<Position> recorded{};  // positions of its CustomerErased events
  std::filesystem::path lock{};      // held while the data of an erasure is being removed; may be empty
};

// The personal bytes of an event in the log.
struct HeldPersonal {
  Digest digest{};  // of the recorded bytes
  bool is_there = false;
};

// Checks that personal data is missing only if a customer's erasure explains it, and that erased data is
// gone. Takes the events of one stream after the other.
class PersonalRules {
 public:
  // Looks up later erasures if data is missing. Throws LogCorrupt.
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
  std::unordered_map<domain::StreamName, domain::CustomerId> erased_in_;  // the last erased customer of each
                                                                          // stream
  CustomerErasures later_;                                                // also those not passed in

  std::optional<domain::CustomerId> customer_;  // the stream's customer
};

}  // namespace pixledger::tools
