#include "projections/generations/generation.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "eventstore/ledger.h"
#include "projections/generations/projector.h"
#include "projections/storage/view_marker.h"
#include "tests/support/ledgers/first_row.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
namespace fs = std::filesystem;

// A ledger with some charges, without a server.
struct Fixture {
  explicit Fixture(std::uint64_t seed = 7) : entropy(seed) {
    const auto project =
        execute(domain::CreateProject{{*domain::Label::parse("Loja"), std::nullopt,
                                       *domain::Label::parse("LOJA"), *domain::Label::parse("RECIFE")}})
            .events()
            .front()
            .project;
    for (int i = 0; i < 3; ++i) charges.push_back(create(project));
    execute(domain::PaySandboxCharge{{project, false}, charges.front()});
  }

  eventstore::Completed execute(domain::Command command) {
    auto result = executor.execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt});
    return std::get<eventstore::Completed>(std::move(result));
  }

  domain::ChargeId create(const domain::ProjectId& project) {
    domain::CustomerDetails customer{*domain::PersonName::parse("Ana"),
                                     *domain::Document::parse("52998224725"),
                                     *domain::EmailAddress::parse("ana@example.com"),
                                     *domain::Phone::parse("11987654321"),
                                     {}};
    auto token = domain::DocumentToken::parse(ledger.keyring.name_of_document(project.text(), "52998224725"));
    const auto completed = execute(domain::CreateCharge{
        project, domain::Environment::kSandbox, *token, customer, domain::Cents(100),
        *domain::ProductName::parse("Produto"), 1, std::nullopt,
        *domain::OriginHost::parse("loja.example.com"), std::nullopt, std::nullopt, std::nullopt});
    const auto& event = std::get<domain::ChargeEvent>(completed.events().back().event);
    return std::get<domain::ChargeCreated>(event).id;
  }

  std::unique_ptr<projections::Generation> open(const projections::BuildProgress& progress = {}) const {
    return projections::Generation::open_or_build(views, *ledger.log, tests::test_lmdb_options(), progress);
  }

  // How many events an open has to apply.
  std::uint64_t replayed() const {
    std::uint64_t count = 0;
    open([&](std::uint64_t done, std::uint64_t) { count = done; });
    return count;
  }

  fs::path only_generation() const {
    std::vector<fs::path> found;
    for (const auto& one : projections::find_generations(views)) found.push_back(one.path);
    REQUIRE(found.size() == 1);
    return found.front();
  }

  static eventstore::Ledger make(const fs::path& root, eventstore::Entropy& entropy,
                                 const eventstore::Clock& clock) {
    eventstore::Ledger::create({root}, entropy, clock, tests::test_lmdb_options());
    return eventstore::Ledger::open({root}, tests::test_lmdb_options());
  }

  tests::TemporaryDirectory directory;
  tests::FixedClock clock{domain::Timestamp(1'790'000'000'000)};
  tests::SeededEntropy entropy;
  eventstore::Ledger ledger = make(directory.path(), entropy, clock);
  eventstore::Executor executor{*ledger.log, clock, entropy};
  fs::path views = directory.path() / "views";
  std::vector<domain::ChargeId> charges;
};

void make_dirty(const fs::path& generation, const std::string& boot_id) {
  auto marker = projections::ViewMarker::read(generation).value();
  marker.clean = false;
  if (!boot_id.empty()) marker.boot_id = boot_id;
  marker.write(generation);
}

// The ordinal that its row begins with becomes that of no customer.
void misplace_customer(const fs::path& generation) {
  tests::change_first_row(generation, tests::test_lmdb_options(), "customers",
                          [](std::string& row) { row.replace(0, 4, "\x7f\xff\xff\xff"); });
}

}  // namespace

TEST_CASE("read models are built from the log and show its charges") {
  Fixture fixture;
  const auto generation = fixture.open();
  CHECK(generation->database().find_charge(fixture.charges[0])->status == domain::ChargeStatus::kPaid);
  CHECK(generation->database().find_charge(fixture.charges[1])->status ==
        domain::ChargeStatus::kWaitingPayment);
  CHECK_FALSE(generation->database().find_charge(*domain::ChargeId::parse("cmissing0000")));
  CHECK(generation->database().cursor().position == fixture.ledger.log->head().position);
}

TEST_CASE("a generation that was closed cleanly is opened without a replay") {
  Fixture fixture;
  CHECK(fixture.replayed() == fixture.ledger.log->head().position.value());
  CHECK(fixture.replayed() == 0);
}

TEST_CASE("a killed process's generation is trusted on the same boot and rebuilt after another") {
  Fixture fixture;
  fixture.replayed();
  make_dirty(fixture.only_generation(), "");
  CHECK(fixture.replayed() == 0);
  make_dirty(fixture.only_generation(), "00000000-0000-0000-0000-000000000000");
  CHECK(fixture.replayed() == fixture.ledger.log->head().position.value());
}

TEST_CASE("a generation without COMPLETE or with a damaged marker is built again") {
  Fixture fixture;
  fixture.replayed();
  fs::remove(fixture.only_generation() / "COMPLETE");
  CHECK(fixture.replayed() > 0);
  std::ofstream(fixture.only_generation() / "MARKER") << "clean";
  CHECK(fixture.replayed() > 0);
}

TEST_CASE("a generation whose file has been cut is built again") {
  Fixture fixture;
  fixture.replayed();
  const auto file = fixture.only_generation() / "data.mdb";
  fs::resize_file(file, fs::file_size(file) / 2);
  CHECK(fixture.replayed() == fixture.ledger.log->head().position.value());
}

TEST_CASE("a generation with a row that cannot be listed is built again") {
  Fixture fixture;
  fixture.replayed();
  fs::remove(fixture.only_generation() / projections::kListsFile);
  misplace_customer(fixture.only_generation());
  CHECK(fixture.replayed() == fixture.ledger.log->head().position.value());
  CHECK(fixture.replayed() == 0);
}

TEST_CASE("a build can be broken off, and the next one is whole") {
  struct Enough {};
  Fixture fixture;
  CHECK_THROWS_AS(fixture.open([](std::uint64_t, std::uint64_t) { throw Enough(); }), Enough);
  CHECK(fixture.replayed() == fixture.ledger.log->head().position.value());
  CHECK(fixture.replayed() == 0);
}

TEST_CASE("a generation of another ledger, or ahead of this one, is built again") {
  Fixture fixture;
  Fixture other(8);
  fixture.replayed();
  other.replayed();
  const auto mine = fixture.only_generation();
  fs::remove_all(mine);
  fs::copy(other.only_generation(), mine, fs::copy_options::recursive);
  CHECK(fixture.replayed() == fixture.ledger.log->head().position.value());
}

TEST_CASE("the projector follows its own process's commits and those of others") {
  Fixture fixture;
  const auto generation = fixture.open();
  projections::Projector projector(generation->database(), *fixture.ledger.log);
  // The fixture's executor does not tell this projector, as one in another process would not.
  const auto project = generation->database().find_charge(fixture.charges[0])->project;
  const auto foreign = fixture.create(project);
  REQUIRE(projector.wait_applied(fixture.ledger.log->head().position, std::chrono::seconds(30)));
  CHECK(generation->database().find_charge(foreign));

  eventstore::Executor own(*fixture.ledger.log, fixture.clock, fixture.entropy, &projector);
  const auto paid = own.execute(
      {domain::PaySandboxCharge{{project, false}, foreign}, "operator-test", std::nullopt, "", std::nullopt});
  REQUIRE(projector.wait_applied(std::get<eventstore::Completed>(paid).position, std::chrono::seconds(30)));
  CHECK(generation->database().find_charge(foreign)->status == domain::ChargeStatus::kPaid);
}
