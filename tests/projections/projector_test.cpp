#include "projections/generations/projector.h"

#include <catch2/catch.hpp>

#include "projections/generations/generation.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::chrono::seconds kLongEnough{30};

std::unique_ptr<projections::Generation> build_views(const LedgerInMemory& ledger,
                                                     const std::string& name = "views") {
  auto options = one_gigabyte();
  options.sync = false;
  return projections::Generation::open_or_build(ledger.directory.path() / name, ledger.log, options);
}

}  // namespace

// No one hands it events, and it would poll only after a minute.
TEST_CASE("a projector applies another process's commits when they wake it") {
  LedgerInMemory ledger;
  const auto views = build_views(ledger);
  projections::Projector projector(views->database(), ledger.log);
  for (int i = 0; i < 5; ++i) {
    ledger.create_charge();
    CHECK(projector.wait_applied(ledger.log.head().position, kLongEnough));
  }
  CHECK(views->database().cursor().position == ledger.log.head().position);
}

TEST_CASE("a waiting projector exchanges its database on request") {
  LedgerInMemory ledger;
  const auto views = build_views(ledger);
  projections::Projector projector(views->database(), ledger.log);
  ledger.create_charge();
  REQUIRE(projector.wait_applied(ledger.log.head().position, kLongEnough));
  const auto next = build_views(ledger, "next");
  ledger.create_charge();
  bool is_exchanged = false;
  projector.exchange_database(next->database(), [&] { is_exchanged = true; });
  CHECK(is_exchanged);
  ledger.create_charge();
  CHECK(projector.wait_applied(ledger.log.head().position, kLongEnough));
  CHECK(next->database().cursor().position == ledger.log.head().position);
}
