#include <catch2/catch.hpp>
#include <utility>

#include "projections/generation.h"
#include "tests/support/ledger_with_charges.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/pixledger_command.h"
#include "tests/support/sample_values.h"
#include "tools/verifier.h"

using namespace pixledger;

TEST_CASE("read models that have gone further than the verification looks are not taken for wrong") {
  const tests::PixledgerCommand pixledger;
  const auto project =
      tests::parsed<domain::ProjectId>(tests::json_at(pixledger.create_project(), "/projectId"));
  tests::LedgerWithCharges ledger(pixledger.data());
  const auto views = pixledger.data() / "views";
  const auto add_charge = [&] {
    ledger.pay(project, ledger.create_charge(project));
    projections::Generation::open_or_build(views, ledger.log(), tests::one_gigabyte()).reset();
  };
  add_charge();

  tools::VerifyOptions options;
  options.generation = projections::find_trusted_generation(views, ledger.log().identity());
  options.lmdb = tests::one_gigabyte();
  REQUIRE(options.generation);
  CHECK(tools::verify_log(ledger.log(), options).read_models == tools::ReadModels::kEqual);

  // Once, after the verification has taken note of where it ends, and before it looks at the read models.
  bool went_on = false;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(went_on, true)) add_charge();
  };
  const auto result = tools::verify_log(ledger.log(), options);
  INFO((result.finding ? result.finding->problem : ""));
  CHECK_FALSE(result.finding);
  CHECK(result.events < ledger.log().head().position.value());
  CHECK(result.read_models == tools::ReadModels::kEqualSoFar);
}
