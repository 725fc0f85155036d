#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/domain/world.h"

namespace pixledger::tests {

using namespace domain;

TEST_CASE("a hundred refusals of a payer are recorded in a day, the rest only refused") {
  const CustomerBlocked block{BlockType::kManual, std::nullopt, std::nullopt};
  World world(kStart);
  for (const auto& event : {on_project(sample_project()), on_customer(sample_customer()), on_customer(block)})
    world.record(event);
  const auto recorded = [&world](const CreateCharge& command) {
    const auto decision = world.execute(command);
    CHECK(decision.outcome.rejection == Rejection::kCustomerBlocked);
    return decision.events.size();
  };
  std::size_t count = 0;
  for (int i = 0; i < 103; ++i) count += recorded(sample_creation());
  CHECK(count == 100);
  world.advance_millis(12 * 60 * kMinuteMs - 1);
  CHECK(recorded(sample_creation()) == 0);
  world.advance_millis(1);
  CHECK(recorded(sample_creation()) == 1);
}

TEST_CASE("the refusals of one payer do not use up another's") {
  World world(kStart);
  for (const auto& event : {on_project(sample_project()),
                            on_blocklist(BlocklistEntryAdded{
                                sample_entry_id(), sample_project_id(),
                                parse_blocklist_value("email", "maria@example.com").value(), std::nullopt})})
    world.record(event);
  for (int i = 0; i < 100; ++i) world.execute(sample_creation());
  auto other = sample_creation();
  other.token = sample_token(2);
  CHECK(world.execute(sample_creation()).events.empty());
  CHECK(world.execute(other).events.size() == 1);
}

}  // namespace pixledger::tests
