#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// From a command to its decision: which streams and claims it needs, and which `decide` answers it.
namespace pixledger::domain {

// What a command needs to know before it can be decided.
struct ReadSet {
  std::vector<StreamName> streams;
  std::vector<ClaimName> claims;
};

// Appends, so that one load serves a whole batch of commands.
void add_to_read_set(const Command& command, ReadSet& read_set);

// A class rather than an alias, for the same reason as Event.
class AggregateState : public std::variant<Project, ApiKey, Channel, Blocklist, Customer, Charge,
                                           BankConnection, UnmatchedPayment, CheckoutSession, Team> {
 public:
  using variant::variant;
  AggregateState(const AggregateState& other);
  AggregateState(AggregateState&& other) noexcept;
  AggregateState& operator=(const AggregateState& other);
  AggregateState& operator=(AggregateState&& other) noexcept;
  ~AggregateState();
};

// The folded states a decision may look at. Null when there is no such aggregate (or it was not asked for).
class States {
 public:
  virtual const AggregateState* find(const StreamName& stream) const = 0;
  virtual const StreamName* claim_holder(const ClaimName& claim) const = 0;
  // Of any claim, asked for or not: a look-up of its own, for the rare decision whose claims only a state
  // tells.
  virtual std::optional<StreamName> holder_of(const ClaimName& claim) const = 0;
  // How many events any stream has, asked for or not: a look-up of its own, for the rare decision that
  // counts.
  virtual std::uint32_t version_of(const StreamName& stream) const = 0;

 protected:
  ~States() = default;
};

Decision decide(const Command& command, const States& states, const Context& context);

// The next state of an aggregate. Never refuses: an event is a fact.
std::optional<AggregateState> apply(std::optional<AggregateState> state, const Event& event, Timestamp at);

}  // namespace pixledger::domain
