#pragma once

#include <map>
#include <vector>

#include "domain/aggregates/event.h"
#include "domain/decisions/dispatch.h"

namespace pixledger::tests {

// A ledger without log, codec and threads: decides and records one command at a time, as the executor does.
// A decision sees exactly what add_to_read_set asked for; one that asks for more throws std::logic_error, and
// so does an event whose claim another stream holds.
class World {
 public:
  explicit World(Timestamp now) : now_(now) {}

  Timestamp now() const { return now_; }
  void advance_millis(std::int64_t millis) { now_ = now_.plus_millis(millis); }
  void set_now(Timestamp now) { now_ = now; }

  // Records an event without a decision.
  void record(domain::NewEvent event);
  domain::Decision execute(const domain::Command& command);

  const std::vector<domain::RecordedEvent>& events() const { return events_; }
  std::vector<domain::RecordedEvent> events_of(const domain::StreamName& stream) const;
  const std::map<domain::StreamName, domain::AggregateState>& states() const { return states_; }
  const domain::StreamName* claim_holder(const domain::ClaimName& claim) const;

  // Returns the stream's aggregate, or nullptr.
  template <class Aggregate>
  const Aggregate* find(const domain::StreamName& stream) const {
    const auto found = states_.find(stream);
    return found == states_.end() ? nullptr : std::get_if<Aggregate>(&found->second);
  }

 private:
  class View;

  Timestamp now_;
  std::uint32_t id_counter_ = 0;
  std::vector<domain::RecordedEvent> events_;
  std::map<domain::StreamName, std::vector<std::size_t>> streams_;
  std::map<domain::StreamName, domain::AggregateState> states_;
  std::map<domain::ClaimName, domain::StreamName> claims_;
};

}  // namespace pixledger::tests
