// Verify reads only what came after a kept checkpoint. PIXLEDGER_SEED sets the seed.
#include <algorithm>
#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "eventstore/proof/checkpoint.h"
#include "eventstore/tree/merkle.h"
#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/random_ledger.h"
#include "tests/support/ledgers/stored_random_ledger.h"
#include "tests/tools/audit/verify_fixture.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {
namespace {

// The fixture's ledger of 7 events, a kept checkpoint of them, and what came after: another project (8 to
// 10), and the payment of the charge at position 7.
struct World : VerifyFixture {
  std::string kept = keep("kept", pixledger.done({"checkpoint"}));

  World() {
    const auto created = pixledger.done({"events", "--from", "7", "--to", "7"});
    pixledger.create_project("Outra");
    LedgerWithCharges ledger(pixledger.data());
    ledger.pay(parsed<domain::ProjectId>(json_at(created, "/data/projectId")),
               parsed<domain::ChargeId>(json_at(created, "/data/transactionId")));
  }

  std::string stream_at(const std::string& position) const {
    return json_at(pixledger.done({"events", "--from", position, "--to", position}), "/stream");
  }

  std::string first_bad_since(std::vector<std::string> more = {}) const {
    more.insert(more.begin(), {"--since", kept});
    return first_bad_position(std::move(more));
  }
};

tools::VerifyOptions since(const eventstore::LedgerLog& log, std::uint64_t size) {
  tools::VerifyOptions options;
  options.against = eventstore::Checkpoint{.origin = eventstore::origin_of(log.identity()),
                                           .size = size,
                                           .root = eventstore::tree_root(size, eventstore::TreeOfLog(log))};
  options.only_newer = true;
  return options;
}

}  // namespace

TEST_CASE("verify --since says how much it has not read, and states the root of all events") {
  const World world;
  const auto all = world.pixledger.done({"verify", "--json"});
  const auto newer = world.pixledger.done({"verify", "--since", world.kept, "--json"});
  CHECK(json_at(newer, "/events") == "11");
  CHECK(json_at(newer, "/rootHash") == json_at(all, "/rootHash"));
  CHECK(json_at(newer, "/continues") == "7");
  CHECK(json_at(newer, "/proves") == "continuity, and consistency since");
  CHECK(json_at(newer, "/readModels") == "null");
  CHECK(json_at(newer, "/since/size") == "7");
  CHECK(json_at(newer, "/since/events") == "4");
  CHECK(json_at(newer, "/since/streams") == "4");  // a project, two keys and the charge
  CHECK(world.pixledger.done({"verify", "--since", world.kept}).find("What came after the checkpoint is") ==
        0);
  CHECK(json_at(world.pixledger.done({"verify", "--since", world.kept, "--structure-only", "--json"}),
                "/since/events") == "4");
}

TEST_CASE("verify --since is no verification of the whole, but its finding is one") {
  const World world;
  const auto operations = world.pixledger.data() / "operations.json";
  world.pixledger.done({"verify", "--since", world.kept});
  CHECK_FALSE(std::filesystem::exists(operations));
  world.flip_byte("events", big_endian(9), 40);
  CHECK(world.first_bad_since() == "9");
  CHECK(std::filesystem::exists(operations));
}

TEST_CASE("what was changed after the checkpoint is found with --since") {
  const World world;
  SECTION("an event") {
    world.flip_byte("events", big_endian(11), 40);
    CHECK(world.first_bad_since() == "11");
    CHECK(world.first_bad_since({"--structure-only"}) == "11");
  }
  SECTION("a removed event") {
    world.remove("events", big_endian(8));
    CHECK(world.first_bad_since() == "8");
  }
  SECTION("a node of the tree") {
    world.flip_byte("tree", big_endian(8), 96);
    CHECK(world.first_bad_since() == "8");
  }
  SECTION("an event that its stream does not name") {
    world.remove("streams", world.first_key("streams", world.stream_at("8")));
    CHECK(world.first_bad_since() == "8");
  }
  SECTION("the older version of a stream that goes on") {
    world.remove("streams", world.first_key("streams", world.stream_at("7")));
    CHECK(world.first_bad_since() == "11");
  }
  SECTION("a name that its stream does not hold") {
    world.remove("claims", world.last_key("claims"));
    CHECK(world.first_bad_since() == "8");
  }
}

TEST_CASE(
    "an event that was changed before the checkpoint is not found with --since, but by a whole verify") {
  const World world;
  world.flip_byte("events", big_endian(5), 40);
  CHECK(world.first_bad_since() == "0");
  CHECK(world.first_bad_position({"--against", world.kept}) == "5");
}

TEST_CASE("a node of the tree that was changed before the checkpoint is found where it leads to the root") {
  const World leading;
  leading.flip_byte("tree", big_endian(4), 64);  // the first four of seven leaves
  CHECK(leading.first_bad_since() == "4");
  CHECK(leading.bad_part({"--since", leading.kept}) == "ledger");
  const World other;
  other.flip_byte("tree", big_endian(4), 0);
  CHECK(other.first_bad_since() == "0");
  CHECK(other.first_bad_position() == "4");
}

TEST_CASE("a checkpoint of another history is found with --since as with --against") {
  const World world;
  const auto data = world.pixledger.data();
  const auto before = world.pixledger.directory() / "before";
  std::filesystem::copy(data, before, std::filesystem::copy_options::recursive);
  world.pixledger.create_project("Uma");
  const auto kept = world.keep("other", world.pixledger.done({"checkpoint"}));
  std::filesystem::remove_all(data);
  std::filesystem::rename(before, data);
  const auto compare = [&] {
    const auto since = world.pixledger.run({"verify", "--since", kept, "--json"});
    const auto against = world.pixledger.run({"verify", "--against", kept, "--json"});
    CHECK(since.code == 1);
    CHECK(against.code == 1);
    for (const auto* field : {"/part", "/position", "/problem"})
      CHECK(json_at(since.out, field) == json_at(against.out, field));
    return since.out;
  };
  CHECK(json_at(compare(), "/position") == "11");  // cut off
  world.pixledger.create_project("Duas");
  const auto forked = compare();
  CHECK(json_at(forked, "/part") == "checkpoint");
  CHECK(json_at(forked, "/twoHistories") == "true");
}

TEST_CASE("a file that says nothing about this ledger is refused with --since as with --against") {
  const World world;
  const World other;
  const auto key = lines_of(other.pixledger.done({"checkpoint", "--public-key"})).at(0);
  CHECK(world.pixledger.run({"verify", "--since", other.kept}).code == 2);
  CHECK(world.pixledger.run({"verify", "--since", world.keep("junk", "junk")}).code == 2);
  CHECK(world.pixledger.run({"verify", "--since", ""}).code == 2);
  CHECK(world.pixledger.run({"verify", "--since", world.kept, "--against", world.kept}).code == 2);
  const auto of_other = world.pixledger.run({"verify", "--since", other.kept, "--public-key", key, "--json"});
  CHECK(of_other.code == 1);
  CHECK(json_at(of_other.out, "/part") == "checkpoint");
}

TEST_CASE("a sound ledger is consistent since any of its checkpoints") {
  const StoredRandomLedger ledger(seed_from_environment(21), 600);
  const auto& log = ledger.log();
  const auto all = tools::verify_log(log, {});
  REQUIRE_FALSE(all.finding);
  for (std::uint64_t size = 0; size <= all.events; size += size + 20 < all.events ? 20 : 1) {
    INFO(size << " of " << all.events);
    const auto newer = tools::verify_log(log, since(log, size));
    INFO((newer.finding ? newer.finding->problem : ""));
    REQUIRE_FALSE(newer.finding);
    CHECK(newer.trusted == size);
    CHECK(newer.events == all.events);
    CHECK(newer.root == all.root);
    CHECK(newer.streams <= all.streams);
  }
}

// The version before the newer event is in the index, at a newer event of another charge.
TEST_CASE("a stream that goes on is read although its index names another's event as its first newer one") {
  RandomLedger ledger(seed_from_environment(21), 1000);
  finish_erasures(ledger.log());
  const auto& events = ledger.events();
  const auto is_of_charge = [](const auto& event) {
    return event.stream.kind() == domain::StreamKind::kCharge;
  };
  const auto is_between = [&](const auto& event, const auto& previous) {
    return is_of_charge(event) && event.version == 2 && is_of_charge(previous) &&
           event.stream != previous.stream;
  };
  const auto found_at = std::adjacent_find(events.rbegin(), events.rend(), is_between);
  REQUIRE(found_at != events.rend());
  const auto& goes_on = *found_at;
  const Position hiding(goes_on.position.value() - 1);
  SeededEntropy entropy(7);
  eventstore::MemoryContents contents;
  for (auto stored : ledger.log().read_after({}, events.size())) {
    auto event = eventstore::decode(stored);
    const auto claims = domain::claims_of({event.stream, event.project, event.event});
    if (event.position == goes_on.position) {
      event.version = 3;
      const auto encoded = eventstore::encode(event, entropy);
      stored = {event.position, encoded.bytes, sha256(encoded.personal), encoded.personal};
      contents.streams.at(event.stream).push_back(hiding);
    }
    contents.append(event.stream, stored, claims);
  }
  contents.head.time = ledger.log().head().time;
  const eventstore::MemoryLog log(ledger.log().identity(), std::move(contents));
  const auto found = tools::verify_log(log, since(log, hiding.value() - 1));
  REQUIRE(found.finding);
  CHECK(found.finding->position == hiding);
  CHECK(found.finding->problem.find("but it belongs to " + events.at(hiding.value() - 1).stream.text()) !=
        std::string::npos);
}

TEST_CASE("an idempotency record after the checkpoint is checked with --since") {
  RandomLedger ledger(seed_from_environment(21), 50);
  auto& log = ledger.log();
  const auto size = log.head().position.value();
  const auto kept_at = log.head().time;
  const auto remember = [&](Timestamp time, char key) {
    const auto write = log.begin_write();
    write->append({.time = time,
                   .id_counter = 0,
                   .records = {},
                   .idempotency = {{.key = sha256(std::string(1, key)), .bytes = "no record"}}});
    write->commit();
  };
  finish_erasures(log);
  const auto options = since(log, size);
  REQUIRE_FALSE(tools::verify_log(log, options).finding);
  remember(kept_at.plus_millis(1), 'a');
  CHECK(tools::verify_log(log, options).finding);
}

}  // namespace pixledger::tests
