#include "eventstore/proof/event_id.h"

#include <set>

#include "eventstore/codec/codec.h"
#include "tests/eventstore/executor/executor_fixture.h"
#include "tests/eventstore/keys/keyring_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using namespace pixledger::tests;

namespace {

domain::ProjectId project_id(const char* text) { return domain::ProjectId::parse(text).value(); }

// A ledger of a few events, and keys.
struct World : ExecutorFixture {
  NewKeys made;
  Keyring keyring = Keyring::open(made.keys);
  EventIds ids{keyring, log, {}, project};

  World() {
    for (int i = 0; i < 5; ++i) done(creation());
  }
  Position head() const { return log.head().position; }
};

}  // namespace

TEST_CASE("the id of an event leads to it, and no two are the same") {
  const World world;
  std::set<std::string> seen;
  for (auto position = Position(); position <= world.head(); position = position.next()) {
    const auto id = world.ids.of(position);
    CHECK(seen.insert(id).second);
    const auto named = world.ids.parse(id);
    REQUIRE(named);
    CHECK(named->position == position);
    CHECK(world.ids.has(*named));
  }
  CHECK_THROWS_AS(world.ids.of(world.head().next()), LogCorrupt);
}

TEST_CASE("an event has one id, made from the event or from its position") {
  const World world;
  for (const auto& event : world.log.read_after({}, 100))
    CHECK(world.ids.of(event) == world.ids.of(event.position));
}

TEST_CASE("an id survives a restore, and another event at its position has another id") {
  World world;
  const auto kept = world.ids.of(Position(3));
  const auto cut_off = world.ids.of(world.head());
  MemoryContents contents;
  for (const auto& event : world.log.read_after({}, world.head().value() - 1))
    contents.append(decode(event).stream, event, {});
  auto another = world.log.read_after({}, 1).front();
  another.position = world.head();
  contents.append(decode(another).stream, another, {});
  auto identity = world.log.identity();
  identity.epoch += 7;
  const MemoryLog restored(identity, std::move(contents));
  const EventIds ids(world.keyring, restored,
                     {{world.log.identity().epoch, Position(world.head().value() - 1)}}, world.project);
  CHECK(ids.of(Position(3)) == kept);
  CHECK(ids.has(ids.parse(kept).value()));
  CHECK(ids.of(world.head()) != cut_off);
  REQUIRE(ids.parse(cut_off));
  CHECK_FALSE(ids.has(*ids.parse(cut_off)));
  CHECK(ids.last_in_common(*ids.parse(cut_off)) == Position(world.head().value() - 1));
}

TEST_CASE(
    "an id tells how far its history is that of a ledger restored more than once, or that nobody knows") {
  World world;
  const auto events = world.log.read_after({}, 100);
  REQUIRE(events.size() >= 6);
  const auto ledger = world.log.identity().ledger_id;
  // `own` events of the first epoch, and others after them.
  const auto log_of = [&](std::uint32_t epoch, std::size_t own, std::size_t all) {
    MemoryContents contents;
    for (std::size_t i = 0; i < all; ++i) {
      const auto& event = i < own ? events[i] : events[0];
      contents.append(decode(event).stream, event, {});
    }
    return std::make_unique<MemoryLog>(LogIdentity{ledger, epoch}, std::move(contents));
  };
  const auto ids_of = [&](const MemoryLog& log, const std::vector<EndedEpoch>& ended) {
    return EventIds(world.keyring, log, ended, world.project);
  };
  // A restore to position 2, and another in its place, to position 5.
  const auto replaced = log_of(20, 2, 8);
  const auto log = log_of(30, 5, 9);
  const std::vector<EndedEpoch> replaced_ended{{1, Position(2)}};
  const std::vector<EndedEpoch> ended{{1, Position(5)}};
  const auto of_replaced = ids_of(*replaced, replaced_ended);
  const auto ids = ids_of(*log, ended);
  const auto resumes_at = [&](const EventIds& now, const std::string& id) {
    const auto named = now.parse(id).value();
    return now.has(named) ? named.position : now.last_in_common(named);
  };
  CHECK(resumes_at(ids, of_replaced.of(Position(2))) == Position(2));
  for (const std::uint64_t position : {3, 5, 6, 8})
    CHECK(resumes_at(ids, of_replaced.of(Position(position))) == Position());
  for (const std::uint64_t position : {1, 5}) {
    CHECK(resumes_at(ids, world.ids.of(Position(position))) == Position(position));
    CHECK(world.ids.of(Position(position)) == ids.of(Position(position)));
  }
  CHECK(resumes_at(ids, world.ids.of(Position(6))) == Position(5));
  // The same restored again, and cut to position 7 or to 4.
  const auto again = log_of(40, 5, 9);
  const auto of_seven = ids_of(*again, {{1, Position(5)}, {30, Position(7)}});
  CHECK(resumes_at(of_seven, world.ids.of(Position(6))) == Position(5));
  CHECK(resumes_at(of_seven, ids.of(Position(7))) == Position(7));
  CHECK(resumes_at(of_seven, ids.of(Position(9))) == Position(7));
  const auto shorter = log_of(50, 4, 9);
  const auto of_four = ids_of(*shorter, {{1, Position(4)}, {30, Position(4)}});
  CHECK(resumes_at(of_four, world.ids.of(Position(5))) == Position(4));
  CHECK(resumes_at(of_four, ids.of(Position(7))) == Position(4));
  CHECK(resumes_at(of_four, of_replaced.of(Position(3))) == Position());
}

TEST_CASE("nothing else is an id: of another project, ledger or keyring, or changed anywhere") {
  const World world;
  const auto id = world.ids.of(Position(3));
  const EventIds of_another_project(world.keyring, world.log, {}, project_id("cother0000000000000000001"));
  CHECK_FALSE(of_another_project.parse(id));
  const MemoryLog other({std::string(32, 'b'), 1});
  CHECK_FALSE(EventIds(world.keyring, other, {}, world.project).parse(id));
  SeededEntropy entropy(12);
  const auto other_keys = world.made.directory.path() / "other";
  Keyring::create(other_keys, entropy, kKeysMadeAt);
  const auto other_keyring = Keyring::open(other_keys);
  CHECK_FALSE(EventIds(other_keyring, world.log, {}, world.project).parse(id));
  for (std::size_t i = 0; i < id.size(); ++i) {
    auto changed = id;
    changed[i] = changed[i] == '0' ? '1' : '0';
    CHECK_FALSE(world.ids.parse(changed));
  }
  CHECK_FALSE(world.ids.parse(""));
  CHECK_FALSE(world.ids.parse(id + "0"));
  CHECK_FALSE(world.ids.parse(std::string(32, 'z')));
  auto upper = id;
  for (auto& c : upper) c = static_cast<char>(std::toupper(c));
  CHECK_FALSE(world.ids.parse(upper));
}

TEST_CASE("ids are the same for ever") {
  const NewKeys made;
  const auto keyring = Keyring::open(made.keys);
  const MemoryLog log({"0123456789abcdef0123456789abcdef", 9});
  const EventIds ids(keyring, log, {}, project_id("cmb3k9x2a0000log1x8f2k9qa"));
  CHECK(ids.of(Position()) == "04c7a8b19fe7b8cf0000000040b27f97");
  CHECK(ids.of({Position(1'000'000), "envelope", sha256("personal"), "personal"}) ==
        "cc909bc26ad9eb70c7f7958f230120a4");
}
