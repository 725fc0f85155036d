#include "tests/support/domain/world.h"

#include <algorithm>
#include <stdexcept>

#include "base/values/bit_mixer.h"

namespace pixledger::tests {

using namespace domain;

// Contains only what add_to_read_set asked for.
class World::View final : public States {
 public:
  View(const World& world, const Command& command) : world_(world) { add_to_read_set(command, needs_); }

  const AggregateState* find(const StreamName& stream) const override {
    require(needs_.streams, stream, stream.text());
    const auto found = world_.states_.find(stream);
    return found == world_.states_.end() ? nullptr : &found->second;
  }
  const StreamName* claim_holder(const ClaimName& claim) const override {
    require(needs_.claims, claim, claim.text());
    return world_.claim_holder(claim);
  }
  std::optional<StreamName> holder_of(const ClaimName& claim) const override {
    const auto* const holder = world_.claim_holder(claim);
    return holder ? std::optional(*holder) : std::nullopt;
  }
  std::uint32_t version_of(const StreamName& stream) const override {
    return static_cast<std::uint32_t>(world_.events_of(stream).size());
  }
  std::optional<AggregateState> state_of(const StreamName& stream) const override {
    const auto found = world_.states_.find(stream);
    return found == world_.states_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  template <class Name>
  static void require(const std::vector<Name>& asked_for, const Name& name, const std::string& text) {
    if (std::find(asked_for.begin(), asked_for.end(), name) == asked_for.end())
      throw std::logic_error("the decision looks at " + text + ", which add_to_read_set did not ask for");
  }

  const World& world_;
  ReadSet needs_;
};

void World::record(NewEvent event) {
  for (auto& claim : claims_of(event)) {
    const auto [held, fresh] = claims_.emplace(std::move(claim), event.stream);
    if (!fresh && held->second != event.stream)
      throw std::logic_error(held->first.text() + " belongs to " + held->second.text());
  }
  auto& stream = streams_[event.stream];
  stream.push_back(events_.size());

  const auto folded = states_.find(event.stream);
  std::optional<AggregateState> state;
  if (folded != states_.end()) state = folded->second;
  state = apply(std::move(state), event.event, now_);
  if (state)
    states_.insert_or_assign(event.stream, std::move(*state));
  else
    states_.erase(event.stream);

  events_.push_back({Position(events_.size() + 1),
                     std::move(event.stream),
                     static_cast<std::uint32_t>(stream.size()),
                     now_,
                     std::move(event.project),
                     "test",
                     {},
                     std::move(event.event)});
}

Decision World::execute(const Command& command) {
  const Context context{now_, {now_, id_counter_, {'t', 'e', 's', 't'}, splitmix64(1, id_counter_)}};
  auto decision = decide(command, View(*this, command), context);
  id_counter_ += kIdsPerDecisionMax;
  for (const auto& event : decision.events) record(event);
  return decision;
}

std::vector<RecordedEvent> World::events_of(const StreamName& stream) const {
  std::vector<RecordedEvent> events;
  const auto found = streams_.find(stream);
  if (found == streams_.end()) return events;
  for (const auto index : found->second) events.push_back(events_[index]);
  return events;
}

const StreamName* World::claim_holder(const ClaimName& claim) const {
  const auto found = claims_.find(claim);
  return found == claims_.end() ? nullptr : &found->second;
}

}  // namespace pixledger::tests
