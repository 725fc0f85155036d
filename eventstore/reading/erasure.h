#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

// Customers whose personal data is erased, and which personal bytes that removes. The event comes first: from
// its position on the customer counts as erased, even while the bytes still exist.
namespace pixledger::eventstore {

class StateHistory;

// Returns the customer with that id, even if their document's stream now belongs to another customer. As of
// an earlier position it is as it was then, but without the data erased since; `erased_at` is the time of
// that erasure. Throws LogCorrupt.
std::optional<domain::Customer> find_customer(const Log& log, const domain::CustomerId& id,
                                              Position up_to = kNoLimit);
// The same for repeated calls: reads only what the history does not know yet. Reads the whole stream only if
// the document has registered another customer since.
std::optional<domain::Customer> find_customer(StateHistory& history, const domain::CustomerId& id,
                                              Position up_to);

struct Erasure {
  domain::CustomerId customer;
  StreamName stream;
  Position registered;
  Position erased;
  Timestamp erased_at;
};
// Returns nullopt if there is no such customer, or they have not been erased.
std::optional<Erasure> find_erasure(const Log& log, const domain::CustomerId& id);
// Reads the CustomerErased at a position. Throws LogCorrupt if it holds another event.
Erasure erasure_at(const Log& log, Position position);

// Decides which events lose their personal bytes to erasures: those about the customer, their charges, the
// charges' checkout sessions, and refusals of their document. Only events from before the erasure count.
// Reads no log, so it serves a ledger as well as a backup of one.
class ErasedPersonalData {
 public:
  void add(const Erasure& erasure);

  // Adds the payer of a session's charge; to be called before takes() gets the session's events. Without
  // these calls, use sessions() for the sessions of erased customers.
  void add_payer(const StreamName& session, const domain::CustomerId& customer) {
    session_payers_[session].push_back(customer);
  }

  // Must be called with the events in the order of their positions.
  bool takes(const domain::RecordedEvent& event);
  // Charges of erased customers among the events so far.
  const std::vector<domain::ChargeId>& charges() const { return charges_; }
  // The sessions that those charges were made for.
  const std::set<StreamName>& sessions() const { return sessions_; }

 private:
  bool takes_from_customer(const domain::RecordedEvent& event) const;
  bool takes_from_charge(const domain::RecordedEvent& event);
  bool takes_from_refusal(const domain::RecordedEvent& event) const;
  bool takes_from_session(const domain::RecordedEvent& event) const;
  bool is_of_erased(const domain::CustomerId& customer, Position position) const;

  std::unordered_map<StreamName, std::vector<Erasure>> by_stream_;
  std::unordered_map<domain::CustomerId, Position> by_customer_;
  std::unordered_map<StreamName, Position> charge_streams_;  // of erased customers, with their erasures
  std::vector<domain::ChargeId> charges_;
  std::set<StreamName> sessions_;
  std::unordered_map<StreamName, std::vector<domain::CustomerId>> session_payers_;
};

// Finds what erasures remove from a log. Reads up to the last erasure, since a document may have been refused
// long before its customer was registered.
struct ErasedRecords {
  std::vector<Position> positions;  // of the events, whether they had personal bytes or not
  std::vector<domain::ChargeId> charges;
};
ErasedRecords records_erased_by(const Log& log, const std::vector<Erasure>& erasures);

}  // namespace pixledger::eventstore
