#include <catch2/catch.hpp>

#include "base/net/resolver.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/hanging_resolver.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace std::chrono_literals;

namespace {

BoundedResolver::Time in(std::chrono::milliseconds wait) { return std::chrono::steady_clock::now() + wait; }

}  // namespace

TEST_CASE("an answer that comes in time is returned") {
  const HangingResolver resolver("shop.example");
  BoundedResolver bounded(resolver, 1);
  for (int i = 0; i < 3; ++i)
    CHECK(bounded.resolve("shop.example", in(20s)) == std::vector{parsed<IpAddress>("127.0.0.1")});
  CHECK(bounded.resolve("unknown.example", in(20s)).empty());
}

TEST_CASE("a hanging name server delays its callers up to their deadline, and others not at all") {
  HangingResolver resolver("shop.example");
  BoundedResolver bounded(resolver, 2);
  CHECK_THROWS_AS(bounded.resolve(HangingResolver::kHangs, in(10ms)), ResolveTimeout);
  CHECK(bounded.resolve("shop.example", in(20s)).size() == 1);
  // Once both threads hang, the next question gets no thread. A question may time out before a thread takes
  // it.
  while (resolver.hanging() < 2)
    CHECK_THROWS_AS(bounded.resolve(HangingResolver::kHangs, in(10ms)), ResolveTimeout);
  CHECK_THROWS_AS(bounded.resolve("shop.example", in(10ms)), ResolveTimeout);
  resolver.let_go();
  CHECK(bounded.resolve("shop.example", in(20s)).size() == 1);
}

TEST_CASE("an asker whose name servers hang takes only its share of the queries") {
  HangingResolver resolver("shop.example");
  BoundedResolver bounded(resolver, {.questions_max = 4, .of_one_asker_max = 2});
  while (resolver.hanging() < 2)
    CHECK_THROWS_AS(bounded.resolve(HangingResolver::kHangs, in(10ms), "one"), ResolveTimeout);
  for (int i = 0; i < 5; ++i)
    CHECK_THROWS_AS(bounded.resolve(HangingResolver::kHangs, in(10ms), "one"), ResolveTimeout);
  CHECK(resolver.hanging() == 2);
  CHECK_THROWS_AS(bounded.resolve("shop.example", in(10ms), "one"), ResolveTimeout);
  CHECK(bounded.resolve("shop.example", in(20s), "other").size() == 1);
  resolver.let_go();
  CHECK(bounded.resolve("shop.example", in(20s), "one").size() == 1);
}
