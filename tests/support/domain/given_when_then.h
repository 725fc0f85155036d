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

// What a command came to. Each check belongs to the Catch2 test case that calls it.
class Then {
 public:
  // Neither refused nor flagged.
  const Then& done() const;
  const Then& refused(domain::Rejection rejection) const;
  const Then& flagged(domain::PaymentFlag flag) const;
  // Exactly these events, in this order.
  const Then& records(const std::vector<domain::NewEvent>& expected) const;
  const Then& records_nothing() const { return records({}); }

  const domain::Decision& decision() const { return decision_; }
  const World& world() const { return world_; }
  // The world after it, to go on from.
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

  // More events, at the time reached so far.
  Given and_given(const std::vector<domain::NewEvent>& events) const;
  Given after(std::int64_t millis) const;
  Given at(Timestamp now) const;
  // Changes nothing here: the same beginning serves many commands.
  Then when(const domain::Command& command) const;

 private:
  World world_;
};

// At kStart.
Given given(const std::vector<domain::NewEvent>& events);

}  // namespace pixledger::tests
