#include "base/platform/owner_lock.h"

#include <catch2/catch.hpp>

#include "tests/support/temporary_directory.h"

using namespace pixledger;

TEST_CASE("a file has many users at once or one owner, never both") {
  const pixledger::tests::TemporaryDirectory directory;
  const auto file = directory.path() / "lock";
  auto one = UserLock::try_take(file);
  auto other = UserLock::try_take(file);
  REQUIRE(one);
  REQUIRE(other);
  CHECK_FALSE(OwnerLock::try_take(file));
  one.reset();
  other->move_to(7);
  CHECK_FALSE(OwnerLock::try_take(file));
  other.reset();
  auto owner = OwnerLock::try_take(file);
  REQUIRE(owner);
  CHECK_FALSE(UserLock::try_take(file));
  owner.reset();
  CHECK(UserLock::try_take(file));
}

TEST_CASE("every user of a file sees whether all its users are at a stage") {
  const pixledger::tests::TemporaryDirectory directory;
  const auto file = directory.path() / "lock";
  CHECK(UserLock::are_all_at(3, file));
  const auto one = UserLock::try_take(file);
  auto other = UserLock::try_take(file);
  CHECK(UserLock::are_all_at(UserLock::kFirstStage, file));
  one->move_to(3);
  CHECK_FALSE(UserLock::are_all_at(3, file));
  CHECK_FALSE(UserLock::are_all_at(UserLock::kFirstStage, file));
  other->move_to(4);
  CHECK_FALSE(UserLock::are_all_at(3, file));
  other->move_to(3);
  CHECK(UserLock::are_all_at(3, file));
  other->move_to(2);
  CHECK_FALSE(UserLock::are_all_at(3, file));
  other.reset();
  CHECK(UserLock::are_all_at(3, file));
}
