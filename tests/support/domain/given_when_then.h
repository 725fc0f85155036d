#pragma once

#include <vector>

#include "domain/decisions/decision.h"
#include "tests/support/domain/world.h"

// Tests of decisions as sentences:
//   given({on_project(sample_project()), on_charge(sample_charge())})
//       .after(30 * kMinuteMs)
//       .when(PaySandboxCharge{merchant(), sample_charge_id()})
//       .refused(Rejection::kTransactionStatus)
//       .records({on_charge(ChargeExpired{})});
namespace pixledger::tests {

class Given;

// A command's outcome. Each check belongs to the Catch2 test case that calls it.
class Then {
 public:
  // Checks that it was neither refused nor flagged.
  const Then& done() const;
  const Then& refused(domain::Rejection rejection) const;
  const Then& flagged(domain::PaymentFlag flag) const;
  // Checks that it recorded exactly these events, in this order.
  const Then& records(const std::vector<domain::NewEvent>& expected) const;
  const Then& records_nothing() const { return records({}); }

  const domain::Decision& decision() const { return decision_; }
  const World& world() const { return world_; }
  // The world after it, for the next command.
  Given then() const;

 private:
  friend class Given;
  Then(World world, domain::Decision decision) : world_(std::move(world)), decision_(std::move(decision)) {}

  World world_;
  domain::Decision decision_;
};

class Given {
 public:
  explicit Given(World world) : world_(std::move(world)) {}

  // Adds events, at the current time.
  Given and_given(const std::vector<domain::NewEvent>& events) const;
  Given after(std::int64_t millis) const;
  Given at(Timestamp now) const;
  // Leaves this object unchanged, so that one beginning serves many commands.
  Then when(const domain::Command& command) const;

 private:
  World world_;
};

// At kStart.
Given given(const std::vector<domain::NewEvent>& events);

}  // namespace pixledger::tests
