#include "tests/support/domain/given_when_then.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/describe_event.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

std::vector<std::string> described(const std::vector<domain::NewEvent>& events) {
  std::vector<std::string> texts;
  for (const auto& event : events) texts.push_back(describe(event) + " of " + event.project.text());
  return texts;
}

}  // namespace

const Then& Then::done() const {
  CHECK(describe(decision_.outcome) == describe(domain::Outcome{}));
  return *this;
}

const Then& Then::refused(domain::Rejection rejection) const {
  CHECK(describe(decision_.outcome) == describe(domain::Outcome{rejection, {}}));
  return *this;
}

const Then& Then::flagged(domain::PaymentFlag flag) const {
  CHECK(describe(decision_.outcome) == describe(domain::Outcome{{}, flag}));
  return *this;
}

const Then& Then::records(const std::vector<domain::NewEvent>& expected) const {
  CHECK(described(decision_.events) == described(expected));
  return *this;
}

Given Then::then() const { return Given(world_); }

Given Given::and_given(const std::vector<domain::NewEvent>& events) const {
  auto world = world_;
  for (const auto& event : events) world.record(event);
  return Given(std::move(world));
}

Given Given::after(std::int64_t millis) const { return at(world_.now().plus_millis(millis)); }

Given Given::at(Timestamp now) const {
  auto world = world_;
  world.set_now(now);
  return Given(std::move(world));
}

Then Given::when(const domain::Command& command) const {
  auto world = world_;
  auto decision = world.execute(command);
  return {std::move(world), std::move(decision)};
}

Given given(const std::vector<domain::NewEvent>& events) { return Given(World(kStart)).and_given(events); }

}  // namespace pixledger::tests
