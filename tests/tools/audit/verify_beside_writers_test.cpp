#include <catch2/catch.hpp>
#include <utility>

#include "base/platform/owner_lock.h"
#include "projections/generations/generation.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/temporary_directory.h"
#include "tools/audit/verifier.h"
#include "tools/audit/view_verification.h"

using namespace pixledger;

namespace {

struct Fixture {
  tests::PixledgerCommand pixledger;
  domain::ProjectId project =
      tests::parsed<domain::ProjectId>(tests::json_at(pixledger.create_project(), "/projectId"));
  tests::LedgerWithCharges ledger{pixledger.data()};
  std::filesystem::path views = pixledger.data() / "views";
  tests::TemporaryDirectory scratch;
  tools::ViewVerificationOptions options;

  Fixture() {
    add_charge();
    options.lmdb = tests::one_gigabyte();
    options.scratch = scratch.path();
    options.find_generation = [this] { return find_generation(); };
    REQUIRE(tools::verify_read_models(ledger.log(), options)->differences.none());
  }

  // Shown by the read models as well.
  void add_charge() {
    ledger.pay(project, ledger.create_charge(project));
    projections::Generation::open_or_build(views, ledger.log(), tests::one_gigabyte()).reset();
  }
  std::optional<std::filesystem::path> find_generation() {
    return projections::find_trusted_generation(views, ledger.log().identity());
  }
};

}  // namespace

TEST_CASE("a ledger that goes on while it is verified is not taken for wrong") {
  Fixture fixture;
  tools::VerifyOptions options;
  // Once, after the verification has taken note of where it ends.
  bool went_on = false;
  options.progress = [&](std::uint64_t, std::uint64_t) {
    if (!std::exchange(went_on, true)) fixture.add_charge();
  };
  const auto result = tools::verify_log(fixture.ledger.log(), options);
  INFO((result.finding ? result.finding->problem : ""));
  CHECK_FALSE(result.finding);
  CHECK(result.events < fixture.ledger.log().head().position.value());
}

TEST_CASE("read models that have gone on before they are compared are not taken for wrong") {
  Fixture fixture;
  // Once, after the position to build to has been asked for.
  bool went_on = false;
  fixture.options.find_generation = [&] {
    const auto found = fixture.find_generation();
    if (!std::exchange(went_on, true)) fixture.add_charge();
    return found;
  };
  const auto compared = tools::verify_read_models(fixture.ledger.log(), fixture.options);
  REQUIRE(compared);
  INFO(compared->differences.text());
  CHECK(compared->differences.none());
  CHECK(compared->differences.as_of == fixture.ledger.log().head().position);
}

TEST_CASE("read models that others have replaced before they could be opened are not taken for damaged") {
  Fixture fixture;
  const auto gone = fixture.views / "gone";
  bool asked = false;
  fixture.options.find_generation = [&] {
    return std::exchange(asked, true) ? fixture.find_generation() : std::optional(gone);
  };
  CHECK(tools::verify_read_models(fixture.ledger.log(), fixture.options)->differences.none());
  fixture.options.find_generation = [&] { return std::optional(gone); };
  CHECK(tools::verify_read_models(fixture.ledger.log(), fixture.options)->differences.fault);
}

TEST_CASE("personal data are no finding while they are being removed") {
  const tests::StoredRandomLedger ledger(1, 600, tests::StoredRandomLedger::Erasures::kLeftUnfinished);
  tools::VerifyOptions options;
  options.erasing_lock = ledger.directory() / "erasing";
  {
    const auto removing = OwnerLock::try_take(options.erasing_lock);
    REQUIRE(removing);
    CHECK_FALSE(tools::verify_log(ledger.log(), options).finding);
  }
  const auto left = tools::verify_log(ledger.log(), options);
  REQUIRE(left.finding);
  CHECK(left.finding->part == tools::Part::kErasure);
}
