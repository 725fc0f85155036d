#pragma once

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/delivery_repository_fixture.h"

// Changes of deliveries, for the tests of their database.
namespace pixledger::tests {

using namespace domain;
using namespace stores;

constexpr std::uint64_t kReadUpTo = 9;

template <class Engine>
struct DeliveryChangesFixture : DeliveryDatabaseFixture<Engine> {
  using DeliveryDatabaseFixture<Engine>::store;

  void add(const std::vector<DeliveryChange>& changes) { store.add(changes, sample_cursor(kReadUpTo)); }
  Delivery get(const NewDelivery& made) const { return store.find(made.id).value(); }
  DeliveryStatus status(const NewDelivery& made) const { return get(made).status; }
  // The result of an attempt, for the delivery's current state.
  AttemptRecord result(const NewDelivery& made, DeliveryStatus status, std::int64_t at_ms = 0) const {
    std::optional<std::int64_t> next_ms;
    if (status == DeliveryStatus::kPending) next_ms = at_ms + 1'000;
    return attempt_of(get(made), status, at_ms, next_ms);
  }
  // The result without an attempt, since the channel was inactive when the log had this head.
  AttemptRecord given_up_at(std::uint64_t head, const NewDelivery& made) const {
    auto record = result(made, DeliveryStatus::kFailed);
    record.attempt.reset();
    record.head = Position(head);
    return record;
  }
  void record(const NewDelivery& made, DeliveryStatus status, std::int64_t at_ms = 0) {
    store.record({result(made, status, at_ms)}, kStart.plus_millis(at_ms));
  }
};

inline const ChannelStopped kStopped{sample_channel_id()};
inline const ChannelResumed kResumed{sample_channel_id()};

inline Recovery recovery(std::uint64_t requested_at, unsigned channel = 1,
                         const ProjectId& project = sample_project_id()) {
  return {.channel = sample_channel_id(channel),
          .project = project,
          .requested_at = Position(requested_at),
          .since = kStart,
          .until = kStart.plus_millis(1'000)};
}

}  // namespace pixledger::tests
