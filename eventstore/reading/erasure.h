#pragma once

#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "domain/aggregates/customer.h"
#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

// Customers whose personal data is erased, and which personal bytes that takes away. The event comes first:
// from its position on the customer counts as erased, whether their bytes are gone yet or not.
namespace pixledger::eventstore {

class StateHistory;

// The customer of that id, whoever their document's stream has gone on to. As of an earlier position they
// are shown as they were then, but for what has been erased since: that is gone from then as well, and
// `erased_at` says when it went. Throws LogCorrupt.
std::optional<domain::Customer> find_customer(const Log& log, const domain::CustomerId& id,
                                              Position up_to = kNoLimit);
// The same for who asks again and again: reads what the history does not know yet, and the whole stream only
// of those whose document has registered somebody else since.
std::optional<domain::Customer> find_customer(StateHistory& history, const domain::CustomerId& id,
                                              Position up_to);

struct Erasure {
  domain::CustomerId customer;
  StreamName stream;
  Position registered;
  Position erased;
  Timestamp erased_at;
};
// Nullopt when there is no such customer, or they have not been erased.
std::optional<Erasure> find_erasure(const Log& log, const domain::CustomerId& id);
// Of a position that holds a CustomerErased. Throws LogCorrupt when it holds something else.
Erasure erasure_at(const Log& log, Position position);

// Tells which events erasures take the personal bytes of: those that registered and changed the customer,
// those of their charges, of the checkout sessions that these were made for and of what was refused to their
// document, as far as they were recorded before the erasure. Knows nothing but what it is told, so it serves
// a ledger as well as a backup of one.
class ErasedPersonalData {
 public:
  void add(const Erasure& erasure);

  // Whom a session has had a charge for; before its events are asked for. Whoever does not tell gets the
  // sessions of erased customers from sessions().
  void add_payer(const StreamName& session, const domain::CustomerId& customer) {
    session_payers_[session].push_back(customer);
  }

  // The events in the order of their positions.
  bool takes(const domain::RecordedEvent& event);
  // Of the events so far.
  const std::vector<domain::ChargeId>& charges() const { return charges_; }
  // That those were made for.
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

// What erasures take away from a log: reads it up to the last erasure, since a document may have been refused
// long before it was a customer's.
struct ErasedRecords {
  std::vector<Position> positions;  // of the events, whether they had personal bytes or not
  std::vector<domain::ChargeId> charges;
};
ErasedRecords records_erased_by(const Log& log, const std::vector<Erasure>& erasures);

}  // namespace pixledger::eventstore
