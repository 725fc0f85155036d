#include <catch2/catch.hpp>

#include "eventstore/reading/short_snapshots.h"
#include "tests/eventstore/log/log_fixtures.h"

// The contract of LedgerLog and LogImport, checked on each implementation.
using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

using Texts = std::vector<std::string>;

std::string leaf_of(const StoredEvent& event) {
  return event.bytes + std::string(bytes_of(event.personal_digest));
}

// "STREAM VERSION POSITION"
Texts stream_entries(StreamCursor& cursor, const std::string& from = {}) {
  Texts entries;
  for (bool more = cursor.seek(from); more; more = cursor.next())
    entries.push_back(std::string(cursor.entry().stream) + " " + std::to_string(cursor.entry().version) +
                      " " + std::to_string(cursor.entry().position.value()));
  return entries;
}

Texts records_from(const LedgerLog& log, Timestamp from) {
  Texts records;
  visit_in_short_snapshots(
      log, [from](const LogSnapshot& snapshot) { return snapshot.idempotency(from); },
      [&records](const LogSnapshot&, const IdempotencyEntry& entry) {
        CHECK(entry.is_as_written);
        CHECK(entry.key.size() == sizeof(Digest));
        records.emplace_back(entry.record);
        return true;
      });
  return records;
}

// Fills a log with every kind of entry.
void fill_with_everything(Log& log) {
  fill(log, 7);
  auto named = batch({record("a", 1, "first", "who", {"claim/1", "claim/2"}), record("b", 1, "other"),
                      record("a", 2, "second", "where", {"claim/3"})},
                     kStart.plus_millis(5));
  named.id_counter = 42;
  named.idempotency = {{sha256("one"), "record of one"}, {sha256("two"), "record of two"}};
  commit(log, named);
}

void import_all(const LedgerLog& log, LogImport& import, const LogIdentity& identity) {
  const auto snapshot = log.snapshot();
  const auto leaves = snapshot->events();
  const auto personal = snapshot->personal();
  std::map<std::string, std::uint32_t> versions;
  for (bool more = leaves->seek(Position()); more; more = leaves->next()) {
    const auto streams = snapshot->streams();
    std::optional<StreamName> name;
    std::vector<ClaimName> claims;
    for (bool found = streams->seek({}); found; found = streams->next()) {
      if (streams->entry().position == leaves->position()) name = StreamName::parse(streams->entry().stream);
    }
    const auto version = ++versions[name->text()];
    const auto held = snapshot->claims();
    for (bool found = held->seek({}); found; found = held->next()) {
      const bool is_first = held->entry().name != "claim/3";
      if (held->entry().holder == name->text() && is_first == (version == 1))
        claims.emplace_back(std::string(held->entry().name));
    }
    import.append({.stream = *name,
                   .version = version,
                   .leaf = leaves->value(),
                   .personal = personal->find(leaves->position()).value_or(""),
                   .claims = claims});
  }
  const auto records = snapshot->idempotency(Timestamp());
  for (bool more = records->seek({}); more; more = records->next()) import.add(records->entry());
  import.finish(identity, snapshot->end());
}

}  // namespace

TEMPLATE_TEST_CASE("a snapshot has leaves, personal data and tree records at their positions", "[log]",
                   InMemory, OnDisk, Shared) {
  TestType fixture;
  auto& log = fixture.get();
  fill(log, 12);
  const auto snapshot = log.snapshot();
  const auto leaves = snapshot->events();
  const auto personal = snapshot->personal();
  const auto tree = snapshot->tree();
  REQUIRE(leaves->seek(Position()));
  REQUIRE(tree->seek(Position(1)));
  std::vector<std::uint64_t> with_personal;
  for (bool more = personal->seek(Position(2)); more; more = personal->next())
    with_personal.push_back(personal->position().value());
  CHECK(with_personal == std::vector<std::uint64_t>{3, 6, 9, 12});
  for (const auto& event : log.read_after(Position(), 100)) {
    INFO("position " << event.position.value());
    CHECK(leaves->position() == event.position);
    CHECK(leaves->value() == leaf_of(event));
    CHECK(tree->value() == log.tree_record(event.position));
    CHECK(personal->find(event.position).value_or("") == event.personal);
    CHECK(leaves->next() == (event.position < Position(12)));
    CHECK(tree->next() == (event.position < Position(12)));
  }
  CHECK_FALSE(leaves->find(Position(0)));
  CHECK_FALSE(leaves->find(Position(13)));
  CHECK_FALSE(leaves->seek(Position(13)));
}

TEMPLATE_TEST_CASE("a snapshot of an empty log has nothing", "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  const auto snapshot = fixture.get().snapshot();
  CHECK_FALSE(snapshot->events()->seek(Position()));
  CHECK_FALSE(snapshot->streams()->seek({}));
  CHECK_FALSE(snapshot->claims()->seek({}));
  CHECK_FALSE(snapshot->idempotency(Timestamp())->seek({}));
  CHECK(snapshot->claim_count() == 0);
  CHECK(snapshot->end().head == Head{});
  CHECK_FALSE(snapshot->end().keyring);
}

TEMPLATE_TEST_CASE("a snapshot does not change while others write, and the next one has their writes",
                   "[log]", InMemory, OnDisk, Shared) {
  TestType fixture;
  auto& log = fixture.get();
  commit(log, batch({record("a", 1), record("b", 1), record("a", 2)}));
  const auto before = log.snapshot();
  const auto cursor = before->streams();
  REQUIRE(cursor->seek({}));
  REQUIRE(cursor->next());
  REQUIRE(cursor->next());
  const auto place = cursor->place();
  commit(log, batch({record("b", 2), record("c", 1)}, kStart.plus_millis(1)));
  log.remove_personal({});
  CHECK(before->end().head == Head{Position(3), kStart});
  CHECK_FALSE(before->events()->find(Position(4)));
  CHECK(stream_entries(*before->streams(), place) == Texts{stream("b").text() + " 1 2"});
  const auto after = log.snapshot();
  CHECK(after->end().head == Head{Position(5), kStart.plus_millis(1)});
  CHECK(stream_entries(*after->streams(), place) ==
        Texts{stream("b").text() + " 1 2", stream("b").text() + " 2 4", stream("c").text() + " 1 5"});
}

TEMPLATE_TEST_CASE("streams come one after the other, and a version is found", "[log]", InMemory, OnDisk,
                   Shared) {
  TestType fixture;
  auto& log = fixture.get();
  commit(log, batch({record("b", 1), record("ab", 1), record("a", 1), record("b", 2), record("a", 2)}));
  const auto snapshot = log.snapshot();
  const auto cursor = snapshot->streams();
  const auto entries = stream_entries(*cursor);
  CHECK(entries == Texts{stream("a").text() + " 1 3", stream("a").text() + " 2 5",
                         stream("ab").text() + " 1 2", stream("b").text() + " 1 1",
                         stream("b").text() + " 2 4"});
  CHECK(cursor->find(stream("b"), 2) == Position(4));
  CHECK(cursor->find(stream("a"), 1) == Position(3));
  CHECK_FALSE(cursor->find(stream("a"), 3));
  CHECK_FALSE(cursor->find(stream("x"), 1));
}

TEMPLATE_TEST_CASE("a snapshot has every claim, and finds no problem in a sound log", "[log]", InMemory,
                   OnDisk, Shared) {
  TestType fixture;
  auto& log = fixture.get();
  fill_with_everything(log);
  log.accept_clock({"a boot", 7});
  const auto snapshot = log.snapshot();
  CHECK(snapshot->claim_count() == 3);
  CHECK(snapshot->claim_holder(ClaimName("claim/2")) == std::string_view(stream("a").text()));
  CHECK_FALSE(snapshot->claim_holder(ClaimName("claim/4")));
  CHECK(snapshot->end().id_counter == 42);
  CHECK_FALSE(snapshot->problem_of_meta());
  CHECK_FALSE(snapshot->problem_of_idempotency());
}

TEMPLATE_TEST_CASE("idempotency records come in the order of their times, from one on", "[log]", InMemory,
                   OnDisk, Shared) {
  TestType fixture;
  auto& log = fixture.get();
  for (std::int64_t i = 1; i <= 4; ++i) commit(log, remembering(std::to_string(i), kStart.plus_millis(i)));
  CHECK(records_from(log, Timestamp()) == Texts{"record of 1", "record of 2", "record of 3", "record of 4"});
  CHECK(records_from(log, kStart.plus_millis(3)) == Texts{"record of 3", "record of 4"});
  CHECK(records_from(log, kStart.plus_millis(5)).empty());
  const auto snapshot = log.snapshot();
  const auto cursor = snapshot->idempotency(kStart.plus_millis(2));
  REQUIRE(cursor->seek({}));
  REQUIRE(cursor->next());
  const auto place = cursor->place();
  const auto again = log.snapshot();
  const auto later = again->idempotency(kStart.plus_millis(2));
  REQUIRE(later->seek(place));
  CHECK(later->entry().time == kStart.plus_millis(3));
  CHECK(later->entry().record == "record of 3");
}

TEMPLATE_TEST_CASE("personal data that are removed are gone, and everything else stays", "[log]", InMemory,
                   OnDisk, Shared) {
  TestType fixture;
  auto& log = fixture.get();
  fill(log, 9);
  const auto before = log.read_after(Position(), 100);
  const auto root = log.tree_record(Position(8));
  // Twice, and also an event without personal data.
  for (int i = 0; i < 2; ++i) log.remove_personal({Position(3), Position(4), Position(9)});
  log.scrub_buffers();
  log.scrub(std::chrono::seconds(10));
  fixture.reopen();
  auto& reopened = fixture.get();
  const auto after = reopened.read_after(Position(), 100);
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    INFO("position " << i + 1);
    CHECK(leaf_of(after[i]) == leaf_of(before[i]));
    CHECK(after[i].personal == (i + 1 == 6 ? before[i].personal : ""));
  }
  CHECK(reopened.tree_record(Position(8)) == root);
  CHECK_FALSE(reopened.snapshot()->personal()->find(Position(3)));
  CHECK(reopened.snapshot()->personal()->find(Position(6)));
}

TEMPLATE_TEST_CASE("an imported log holds the same as its source, and can be written on", "[log]",
                   ImportInMemory, ImportOnDisk) {
  InMemory from;
  fill_with_everything(from.get());
  TestType into;
  const LogIdentity identity{from.get().identity().ledger_id, 5};
  import_all(from.get(), into.import(), identity);
  auto& log = into.log();
  CHECK(log.identity() == identity);
  CHECK(content_of(log) == content_of(from.get()));
  CHECK_FALSE(log.snapshot()->problem_of_meta());
  CHECK_FALSE(log.snapshot()->problem_of_idempotency());
  CHECK(log.begin_write()->id_counter() == 42);
  for (auto* one : {&log, &from.get()}) commit(*one, batch({record("a", 3)}, kStart.plus_millis(9)));
  CHECK(content_of(log) == content_of(from.get()));
}

TEMPLATE_TEST_CASE("an imported log keeps the code of its keys", "[log]", ImportInMemory, ImportOnDisk) {
  TestType into;
  into.import().finish({"000102030405060708090a0b0c0d0e0f", 2}, {{}, 3, sha256("keys"), {}});
  CHECK(into.log().snapshot()->end().keyring == sha256("keys"));
  CHECK(into.log().head() == Head{});
}

TEMPLATE_TEST_CASE("an import refuses a version or a name that exists already", "[log]", ImportInMemory,
                   ImportOnDisk) {
  TestType into;
  const auto name = stream("a");
  const std::string leaf = "envelope" + std::string(bytes_of(sha256("")));
  const std::vector<ClaimName> claims{ClaimName("claim/1")};
  const auto append = [&](const StreamName& to, std::uint32_t version) {
    into.import().append({.stream = to, .version = version, .leaf = leaf, .personal = {}, .claims = claims});
  };
  append(name, 1);
  SECTION("a version") { CHECK_THROWS_AS(append(name, 1), ImportConflict); }
  SECTION("a name") { CHECK_THROWS_AS(append(stream("b"), 1), ImportConflict); }
}
