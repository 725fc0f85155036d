#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "domain/decisions/command.h"
#include "domain/decisions/decision.h"

// Maps a command to the streams and claims that it needs, and to its `decide`.
namespace pixledger::domain {

// The streams and claims to load before deciding a command.
struct ReadSet {
  std::vector<StreamName> streams;
  std::vector<ClaimName> claims;
};

// Appends, so that one load serves a whole batch of commands.
void add_to_read_set(const Command& command, ReadSet& read_set);

// A class instead of an alias, for the same reason as Event.
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

// The folded states available to a decision. Null if the aggregate does not exist or was not in the read set.
class States {
 public:
  virtual const AggregateState* find(const StreamName& stream) const = 0;
  virtual const StreamName* claim_holder(const ClaimName& claim) const = 0;
  // The holder of any claim, in the read set or not. Costs a separate look-up: only for claims that a loaded
  // state names.
  virtual std::optional<StreamName> holder_of(const ClaimName& claim) const = 0;
  // The number of events in any stream, in the read set or not. Costs a separate look-up.
  virtual std::uint32_t version_of(const StreamName& stream) const = 0;
  // The state of any stream, in the read set or not. Costs a read of the whole stream.
  virtual std::optional<AggregateState> state_of(const StreamName& stream) const = 0;

 protected:
  ~States() = default;
};

Decision decide(const Command& command, const States& states, const Context& context);

// The next state of an aggregate. Never fails: an event is a fact.
std::optional<AggregateState> apply(std::optional<AggregateState> state, const Event& event, Timestamp at);

}  // namespace pixledger::domain
