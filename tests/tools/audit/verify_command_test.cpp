#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <random>

#include "tests/tools/audit/verify_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using eventstore::check_lmdb;
using eventstore::to_val;
using World = VerifyFixture;

TEST_CASE("an untouched ledger is consistent") {
  const World world;
  const std::string result = world.pixledger.done({"verify", "--json"});
  CHECK(json_at(result, "/events") == "7");
  CHECK(json_at(result, "/streams") == "6");
  CHECK(json_at(result, "/rootHash").size() == 64);
  CHECK(json_at(result, "/proves") == "consistency");
  CHECK(world.first_bad_position({"--structure-only"}) == "0");
  CHECK(world.pixledger.done({"verify"}).find("does not prove authenticity") != std::string::npos);
}

TEST_CASE("an empty ledger is consistent") {
  const PixledgerCommand pixledger;
  pixledger.done({"init"});
  CHECK(json_at(pixledger.done({"verify", "--json"}), "/events") == "0");
}

TEST_CASE("a changed byte of an event is found") {
  const World world;
  world.flip_byte("events", big_endian(5), 40);
  CHECK(world.first_bad_position() == "5");
  CHECK(world.first_bad_position({"--structure-only"}) == "5");
  CHECK(world.bad_part() == "ledger");
  const auto told = world.pixledger.run({"verify"});
  CHECK(told.code == 1);
  CHECK(told.out.find("The ledger is damaged. The first bad position is 5: ") != std::string::npos);
  CHECK(told.out.find("restore the last backup") != std::string::npos);
}

TEST_CASE("a removed event is found") {
  const World world;
  world.remove("events", big_endian(3));
  CHECK(world.first_bad_position() == "3");
}

TEST_CASE("a removed newest event is found") {
  const World world;
  world.remove("events", big_endian(7));
  CHECK(world.first_bad_position() == "7");
}

TEST_CASE("changed personal data are found") {
  const World world;
  const std::string key = world.first_key("personal", big_endian(1));
  world.flip_byte("personal", key, 20);
  CHECK(world.first_bad_position() == std::to_string(from_big_endian(key)));
}

TEST_CASE("removed personal data are found where no erasure explains it") {
  const World world;
  const std::string key = world.first_key("personal", big_endian(1));
  world.remove("personal", key);
  CHECK(world.first_bad_position() == std::to_string(from_big_endian(key)));
  CHECK(world.pixledger.run({"verify"}).out.find("no customer's erasure explains it") != std::string::npos);
}

TEST_CASE("a changed leaf and a changed inner node of the tree are found") {
  const World leaf;
  leaf.flip_byte("tree", big_endian(4), 0);
  CHECK(leaf.first_bad_position() == "4");
  const World node;
  node.flip_byte("tree", big_endian(4), 64);
  CHECK(node.first_bad_position() == "4");
}

TEST_CASE("an event that its stream does not name is found") {
  const World world;
  const std::string key = world.first_key("streams", "charge-");
  world.remove("streams", key);
  CHECK(world.first_bad_position() != "0");
}

TEST_CASE("a stream that names an event of another stream is found") {
  const World world;
  world.tamper("streams", [&](MDB_txn* transaction, MDB_dbi streams) {
    eventstore::LmdbCursor cursor(transaction, streams);
    REQUIRE(cursor.seek("project-"));
    std::string beyond(cursor.key());
    beyond.back() = 2;
    const std::string position = big_endian(7);
    MDB_val key = to_val(beyond);
    MDB_val value = to_val(position);
    check_lmdb(mdb_put(transaction, streams, &key, &value, 0), "mdb_put");
  });
  CHECK(world.first_bad_position() == "7");
}

TEST_CASE("a missing claim, one with another holder and one that no event states are found") {
  const World missing;
  missing.remove("claims", missing.first_key("claims", "customer/"));
  CHECK(missing.first_bad_position() == "4");

  const auto put_claim = [](const World& world, const std::string& claim, const std::string& holder) {
    world.tamper("claims", [&](MDB_txn* transaction, MDB_dbi claims) {
      MDB_val key = to_val(claim);
      MDB_val value = to_val(holder);
      check_lmdb(mdb_put(transaction, claims, &key, &value, 0), "mdb_put");
    });
  };
  const World stolen;
  put_claim(stolen, stolen.first_key("claims", "e2e/"), "charge-cabcdefghijkl");
  CHECK(stolen.first_bad_position() == "6");

  const World orphan;
  put_claim(orphan, "customer/cabcdefghijkl", "charge-cabcdefghijkl");
  CHECK(orphan.first_bad_position() == "7");
}

TEST_CASE("a ledger that goes on continues its older checkpoints") {
  const World world;
  const auto old = world.keep("old", world.pixledger.done({"checkpoint"}));
  world.pixledger.done({"project", "create", "--name", "More", "--json"});
  const auto result = world.pixledger.done({"verify", "--against", old, "--json"});
  CHECK(json_at(result, "/proves") == "consistency and continuity");
  CHECK(json_at(result, "/continues") == "7");
  CHECK(world.pixledger.done({"verify", "--structure-only", "--against", old})
            .find("continues the checkpoint") != std::string::npos);
}

TEST_CASE("a ledger whose history was rewritten consistently is found by an older checkpoint") {
  // The same ledger and keys with a forged history.
  const World world;
  const auto before = world.pixledger.directory() / "before";
  const auto data = world.pixledger.data();
  std::filesystem::copy(data, before, std::filesystem::copy_options::recursive);
  world.pixledger.done({"project", "create", "--name", "One", "--json"});
  const auto kept = world.keep("kept", world.pixledger.done({"checkpoint"}));
  std::filesystem::remove_all(data);
  std::filesystem::rename(before, data);
  CHECK(world.first_bad_position({"--against", kept}) == "7");  // cut off
  world.pixledger.done({"project", "create", "--name", "Two", "--json"});
  CHECK(world.first_bad_position() == "0");
  CHECK(world.first_bad_position({"--against", kept}) == "10");
  CHECK(world.first_bad_position({"--structure-only", "--against", kept}) == "10");
  CHECK(world.bad_part({"--against", kept}) == "checkpoint");
  const auto told = world.pixledger.run({"verify", "--against", kept});
  CHECK(told.out.find("The ledger does not continue the checkpoint: ") != std::string::npos);
  CHECK(told.out.find("damaged") == std::string::npos);
  CHECK(told.out.find("This proves that the ledger has had two histories") != std::string::npos);
  // The saved files prove it without the ledger.
  const auto found = world.pixledger.run({"verify", "--against", kept, "--json"});
  CHECK(json_at(found.out, "/twoHistories") == "true");
  const std::filesystem::path evidence = json_at(found.out, "/evidence");
  const auto again = world.pixledger.run(
      {"check-proof", (evidence / "newer").string(), "--after", (evidence / "older").string(), "--json"});
  CHECK(again.code == 1);
  CHECK(json_at(again.out, "/twoHistories") == "true");
  // A finding in the ledger itself is more severe.
  world.flip_byte("events", big_endian(5), 40);
  CHECK(world.bad_part({"--against", kept}) == "ledger");
}

TEST_CASE("a checkpoint that the key has not signed is no evidence of a rewriting, and raises no alarm") {
  const World world;
  const World other;
  const auto key = lines_of(world.pixledger.done({"checkpoint", "--public-key"})).at(0);
  const auto key_of_other = lines_of(other.pixledger.done({"checkpoint", "--public-key"})).at(0);
  const auto refuse = [&](const std::vector<std::string>& more) {
    std::vector<std::string> arguments{"verify", "--json", "--against"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const auto result = world.pixledger.run(arguments);
    CHECK(result.code == 2);
    CHECK(result.out.empty());
    return result.err;
  };
  const auto name_of = [](const std::string& line) {
    return line.substr(0, line.find('+', line.find('+') + 1));
  };
  const auto foreign = world.keep("foreign", other.pixledger.done({"checkpoint"}));
  const auto told = refuse({foreign});
  CHECK(told.find("is not signed by the ledger's key") != std::string::npos);
  CHECK(told.find("names the key " + name_of(key_of_other) + ". ") != std::string::npos);
  CHECK(refuse({foreign, "--public-key", key}).find("that --public-key gives") != std::string::npos);
  auto note = world.pixledger.done({"checkpoint"});
  CHECK(refuse({world.keep("kept", note), "--public-key", key_of_other}).find(name_of(key)) !=
        std::string::npos);
  note[note.find("\n7\n") + 1] = '6';
  CHECK(refuse({world.keep("changed", note)}).find(name_of(key)) != std::string::npos);
  CHECK(refuse({world.keep("torn", note.substr(0, note.find("\n\n")))}).find("has no signature") !=
        std::string::npos);
  CHECK(refuse({(world.pixledger.directory() / "none").string()}).find("cannot read") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(world.pixledger.data() / "operations.json"));
}

TEST_CASE("a checkpoint that the kept key has signed for another ledger is not continued by this one") {
  const World world;
  const World other;
  const auto key = lines_of(other.pixledger.done({"checkpoint", "--public-key"})).at(0);
  const auto kept = world.keep("kept", other.pixledger.done({"checkpoint"}));
  const auto result = world.pixledger.run({"verify", "--against", kept, "--public-key", key, "--json"});
  CHECK(result.code == 1);
  CHECK(json_at(result.out, "/part") == "checkpoint");
  CHECK(json_at(result.out, "/problem").find("was signed for " + key.substr(0, key.find('+'))) !=
        std::string::npos);
  CHECK(std::filesystem::exists(world.pixledger.data() / "operations.json"));
}

TEST_CASE("an operator who kept the public key needs no keys/ to check continuity") {
  const World world;
  const auto kept = world.keep("kept", world.pixledger.done({"checkpoint"}));
  const auto key = lines_of(world.pixledger.done({"checkpoint", "--public-key"})).at(0);
  std::filesystem::remove_all(world.pixledger.data() / "keys");
  CHECK(world.pixledger.run({"verify", "--against", kept, "--public-key", key}).code == 0);
  CHECK(world.pixledger.run({"verify", "--against", kept, "--public-key", world.keep("key", key + "\n")})
            .code == 0);
  CHECK(world.pixledger.run({"verify", "--against", kept, "--public-key", "nonsense"}).code == 2);
  CHECK(world.pixledger.run({"verify", "--against", kept}).code == 2);
}

TEST_CASE("a ledger whose file has been cut is damaged, for verify and for every program") {
  const World world;
  const auto file = world.pixledger.data() / "ledger" / "data.mdb";
  // The last pages may be free ones, whose loss does no harm.
  std::filesystem::resize_file(file, std::filesystem::file_size(file) / 2);
  const auto verified = world.pixledger.run({"verify"});
  CHECK(verified.code == 1);
  CHECK(verified.out.find("is shorter than it says: damaged") != std::string::npos);
  CHECK(world.bad_part() == "ledger");
  const auto listed = world.pixledger.run({"project", "list"});
  CHECK(listed.code == 3);
  CHECK(listed.err.find("is shorter than it says: damaged") != std::string::npos);
  std::filesystem::resize_file(file, 0);
  CHECK(world.bad_part() == "ledger");
  CHECK(world.pixledger.run({"project", "list"}).err.find("is empty: damaged") != std::string::npos);
  CHECK(std::filesystem::file_size(file) == 0);
}

// LMDB trusts its pages: a walk that continues at the last key it reached would never end.
TEST_CASE("keys out of their order are a finding, and no walk in a circle") {
  const World world;
  const auto file = world.pixledger.data() / "ledger" / "data.mdb";
  std::ifstream stored(file, std::ios::binary);
  std::string pages(std::istreambuf_iterator<char>(stored), {});
  const auto last = world.last_key("streams");
  REQUIRE(last.substr(0, 8) == "project-");
  std::size_t changed = 0;
  for (auto at = pages.find(last); at != std::string::npos; at = pages.find(last, at + 1), ++changed)
    pages[at] = '!';
  REQUIRE(changed > 0);
  std::ofstream(file, std::ios::binary) << pages;
  const auto result = world.pixledger.run({"verify", "--json"});
  CHECK(result.code == 1);
  CHECK(json_at(result.out, "/problem") == "keys of the ledger are not in their order");
}

TEST_CASE("damaged pages are a finding, even where reading them crashes") {
  const auto seed = std::random_device()();
  INFO("seed " << seed);
  std::mt19937 random(seed);
  const World world;
  const auto file = world.pixledger.data() / "ledger" / "data.mdb";
  const auto sound = world.pixledger.directory() / "sound.mdb";
  std::filesystem::copy_file(file, sound);
  const auto pages = std::filesystem::file_size(file) / 4096;
  bool found = false;
  for (int i = 0; i < 30; ++i) {
    std::filesystem::copy_file(sound, file, std::filesystem::copy_options::overwrite_existing);
    {
      std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
      stream.seekp(static_cast<std::streamoff>((2 + random() % (pages - 2)) * 4096));
      for (int byte = 0; byte < 64; ++byte) stream.put(static_cast<char>(random()));
    }
    const auto result = world.pixledger.run({"verify", "--json"});
    INFO(result.out << result.err);
    REQUIRE((result.code == 0 || result.code == 1));
    REQUIRE(json_at(result.out, "/consistent") == (result.code == 0 ? "true" : "false"));
    found = found || result.code == 1;
  }
  CHECK(found);
}
