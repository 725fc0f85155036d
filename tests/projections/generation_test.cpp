#include "projections/generations/generation.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "eventstore/codec/codec.h"
#include "eventstore/ledger.h"
#include "eventstore/lmdb/derived_checkpoints.h"
#include "projections/generations/projector.h"
#include "projections/views/view_tables.h"
#include "tests/support/foreign_reader.h"
#include "tests/support/ledgers/counting_log.h"
#include "tests/support/ledgers/first_row.h"
#include "tests/support/memory_log.h"
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
                                     *EmailAddress::parse("ana@example.com"),
                                     *domain::Phone::parse("11987654321"),
                                     {}};
    auto token = domain::DocumentToken::parse(ledger.keyring.name_of_document(project.text(), "52998224725"));
    const auto completed = execute(domain::CreateCharge{
        project, domain::Environment::kSandbox, *token, customer, domain::Cents(100),
        *domain::ProductName::parse("Produto"), 1, std::nullopt, *OriginHost::parse("loja.example.com"),
        std::nullopt, std::nullopt, std::nullopt});
    const auto& event = std::get<domain::ChargeEvent>(completed.events().back().event);
    return std::get<domain::ChargeCreated>(event).id;
  }

  std::unique_ptr<projections::Generation> open(const projections::BuildProgress& progress = {}) const {
    return projections::Generation::open_or_build(views, *ledger.log, tests::test_lmdb_options(), progress);
  }

  // The number of events that opening must apply.
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

  static eventstore::Ledger make(const fs::path& root, Entropy& entropy, const Clock& clock) {
    eventstore::Ledger::create({root}, entropy, clock, tests::test_lmdb_options());
    return eventstore::Ledger::open({root}, tests::test_lmdb_options());
  }

  tests::TemporaryDirectory directory;
  tests::FixedClock clock{Timestamp(1'790'000'000'000)};
  tests::SeededEntropy entropy;
  eventstore::Ledger ledger = make(directory.path(), entropy, clock);
  eventstore::Executor executor{*ledger.log, clock, entropy};
  fs::path views = directory.path() / "views";
  std::vector<domain::ChargeId> charges;
};

// A forged ledger under the same name: the same events, or fewer, with the last two swapped or not.
struct Rewriting {
  std::size_t without_last = 0;
  bool exchanged = false;
  std::uint32_t epochs_later = 0;
};

eventstore::MemoryLog rewritten(const Fixture& fixture, Rewriting how) {
  auto events = fixture.ledger.log->read_after({}, 1000);
  events.resize(events.size() - how.without_last);
  if (how.exchanged) std::swap(events.end()[-1], events.end()[-2]);
  eventstore::MemoryContents contents;
  for (const auto& event : events) contents.append(eventstore::decode(event).stream, event, {});
  auto identity = fixture.ledger.log->identity();
  identity.epoch += how.epochs_later;
  return eventstore::MemoryLog(identity, std::move(contents));
}

// Opens the read models as a server of that log would. Returns the reported disagreements.
std::vector<projections::Disagreement> start_on(const Fixture& fixture, const eventstore::Log& log) {
  std::vector<projections::Disagreement> told;
  const auto generation = projections::Generation::open_or_build(
      fixture.views, log, tests::test_lmdb_options(), {}, [&](const auto& found) { told.push_back(found); });
  CHECK(generation->database().cursor().position == log.head().position);
  return told;
}

std::vector<std::string> kept_names(const Fixture& fixture) {
  std::vector<std::string> names;
  for (const auto& kept : projections::find_kept_generations(fixture.views))
    names.push_back(kept.path.filename().string());
  return names;
}

std::string name_of(std::uint64_t number) {
  return std::to_string(projections::kViewSetVersion) + "-" + std::to_string(number);
}

// Charges that a killed owner had applied since its newest checkpoint, which it held. Returns how many events
// they are.
std::uint64_t apply_more(Fixture& fixture) {
  const auto before = fixture.ledger.log->head().position.value();
  const auto project = fixture.open()->database().find_charge(fixture.charges[0])->project;
  for (int i = 0; i < 20; ++i) fixture.charges.push_back(fixture.create(project));
  projections::ViewDatabase database(fixture.only_generation(),
                                     eventstore::without_sync(tests::test_lmdb_options()));
  const auto held = database.read();
  database.load_lists(*fixture.ledger.log);
  projections::catch_up(database, *fixture.ledger.log);
  return fixture.ledger.log->head().position.value() - before;
}

// Of all that was written since `before`, the disk has only the meta pages.
void lose_pages(const fs::path& file, const std::string& before) {
  constexpr std::size_t kMetaPagesBytes = 2 * 4096;
  auto content = read_if_there(file).value();
  const auto size = content.size();
  content = content.substr(0, kMetaPagesBytes) + before.substr(kMetaPagesBytes);
  content.resize(size);
  std::ofstream(file, std::ios::binary) << content;
}

// Changes the ordinal at the start of its row to that of no customer.
void misplace_customer(const fs::path& generation) {
  tests::change_first_row(generation, tests::test_lmdb_options(), "customers",
                          [](std::string& row) { row.replace(0, 4, "\x7f\xff\xff\xff"); });
}

}  // namespace

TEST_CASE("a row's fields are counted with those of its parts, but not what rows leave out") {
  STATIC_REQUIRE(projections::row_field_count<domain::Payment>() == 4);
  STATIC_REQUIRE(projections::row_field_count<std::optional<domain::Payment>>() == 4);
  STATIC_REQUIRE(projections::row_field_count<std::vector<domain::CheckoutCharge>>() == 2);
  STATIC_REQUIRE(projections::row_field_count<domain::Metadata>() == 0);
  // All but the metadata, and the two of each charge.
  STATIC_REQUIRE(projections::row_field_count<domain::CheckoutSession>() ==
                 domain::kFieldCount<domain::CheckoutSession> - 1 + 2);
}

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

TEST_CASE("after a kill or a loss of power a generation replays only what came after its checkpoint") {
  Fixture fixture;
  fixture.replayed();
  const auto file = fixture.only_generation() / "data.mdb";
  const auto before = read_if_there(file).value();
  const auto events = apply_more(fixture);
  CHECK_FALSE(projections::find_trusted_generation(fixture.views, fixture.ledger.log->identity()));
  SECTION("a kill") {}
  SECTION("a loss of power") { lose_pages(file, before); }
  const tests::CountingLog log(*fixture.ledger.log);
  projections::Generation::open_or_build(fixture.views, log, tests::test_lmdb_options()).reset();
  CHECK(log.take_count() == events);  // nor are the lists made anew
  CHECK(projections::find_trusted_generation(fixture.views, fixture.ledger.log->identity()));
  CHECK(fixture.replayed() == 0);
  const auto generation = fixture.open();
  for (const auto& charge : fixture.charges) CHECK(generation->database().find_charge(charge));
}

TEST_CASE("a generation that a process reads does not go back under it") {
  Fixture fixture;
  fixture.replayed();
  apply_more(fixture);
  const tests::ForeignReader reader(fixture.only_generation(), tests::test_lmdb_options());
  CHECK(projections::find_trusted_generation(fixture.views, fixture.ledger.log->identity()));
  CHECK(fixture.replayed() == 0);
}

TEST_CASE("a generation without COMPLETE, or whose checkpoint is missing or damaged, is built again") {
  Fixture fixture;
  fixture.replayed();
  fs::remove(fixture.only_generation() / "COMPLETE");
  CHECK(fixture.replayed() > 0);
  fs::remove(fixture.only_generation() / "checkpoint");
  CHECK(fixture.replayed() > 0);
  std::ofstream(fixture.only_generation() / "checkpoint") << std::string(8192, 'x');
  CHECK(fixture.replayed() > 0);
  CHECK(fixture.replayed() == 0);
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

TEST_CASE("a build can be interrupted, and the next one is complete") {
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

TEST_CASE("read models of another history than the ledger's are kept when new ones are built, and reported") {
  Fixture fixture;
  fixture.replayed();
  const auto before = projections::peek_cursor(fixture.only_generation(), tests::test_lmdb_options());
  const auto how = GENERATE(Rewriting{.without_last = 1}, Rewriting{.exchanged = true});
  const auto log = rewritten(fixture, how);
  const auto told = start_on(fixture, log);
  REQUIRE(told.size() == 1);
  CHECK(told[0].generation == name_of(1));
  CHECK(told[0].why.find("at position " + std::to_string(before.position.value())) == 0);
  CHECK(told[0].why.find(to_hex(before.leaf_hash)) != std::string::npos);
  const auto kept = projections::find_kept_generations(fixture.views);
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].path == fixture.views / ("kept-" + name_of(1)));
  CHECK(told[0].kept == kept[0].path);
  CHECK(kept[0].why == told[0].why);
  const auto evidence = projections::peek_cursor(kept[0].path, tests::test_lmdb_options());
  CHECK(evidence.position == before.position);
  CHECK(evidence.leaf_hash == before.leaf_hash);
  CHECK(eventstore::is_derived_readable(kept[0].path, log.identity()));
  // The next start reports nothing, and its read models have a number of their own.
  CHECK(fixture.only_generation().filename() == name_of(2));
  CHECK(start_on(fixture, log).empty());
  CHECK(kept_names(fixture).size() == 1);
}

TEST_CASE("the first two disagreeing generations are kept, and one for each equal disagreement") {
  Fixture fixture;
  fixture.replayed();
  const auto exchanged = rewritten(fixture, {.exchanged = true});
  const auto cut = rewritten(fixture, {.without_last = 1});
  CHECK(start_on(fixture, exchanged).at(0).kept);
  CHECK(start_on(fixture, *fixture.ledger.log).at(0).kept);
  const std::vector<std::string> first_two{"kept-" + name_of(1), "kept-" + name_of(2)};
  CHECK(kept_names(fixture) == first_two);
  const auto third = start_on(fixture, cut);
  REQUIRE(third.size() == 1);
  CHECK_FALSE(third[0].kept);
  CHECK(kept_names(fixture) == first_two);
  // There is room again, but this disagreement is known.
  fs::remove_all(fixture.views / first_two[1]);
  CHECK(start_on(fixture, *fixture.ledger.log).empty());
  const auto like_the_first = start_on(fixture, exchanged);
  REQUIRE(like_the_first.size() == 1);
  CHECK_FALSE(like_the_first[0].kept);
  CHECK(kept_names(fixture) == std::vector<std::string>{first_two[0]});
}

TEST_CASE("read models of an earlier release that disagree with the ledger are kept, too") {
  Fixture fixture;
  fixture.replayed();
  const auto earlier = std::to_string(projections::kViewSetVersion - 1) + "-7";
  fs::rename(fixture.only_generation(), fixture.views / earlier);
  SECTION("disagree") {
    CHECK(start_on(fixture, rewritten(fixture, {.exchanged = true})).at(0).generation == earlier);
    CHECK(kept_names(fixture) == std::vector<std::string>{"kept-" + earlier});
  }
  SECTION("agree") {
    CHECK(start_on(fixture, *fixture.ledger.log).empty());
    CHECK(kept_names(fixture).empty());
  }
}

TEST_CASE("read models that prove nothing are deleted without a report") {
  Fixture fixture;
  fixture.replayed();
  Rewriting how{.without_last = 1};
  SECTION("from before a restore") { how.epochs_later = 1; }
  SECTION("without a checkpoint") { fs::remove(fixture.only_generation() / "checkpoint"); }
  SECTION("damaged") {
    const auto file = fixture.only_generation() / "data.mdb";
    fs::resize_file(file, fs::file_size(file) / 2);
  }
  SECTION("behind") {
    how.without_last = 0;
    const auto any = fixture.open()->database().find_charge(fixture.charges[0])->project;
    fixture.create(any);
  }
  CHECK(start_on(fixture, rewritten(fixture, how)).empty());
  CHECK(kept_names(fixture).empty());
}

TEST_CASE("the projector follows its own process's commits and those of others") {
  Fixture fixture;
  const auto generation = fixture.open();
  projections::Projector projector(generation->database(), *fixture.ledger.log);
  // The fixture's executor does not notify this projector, like one in another process.
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
