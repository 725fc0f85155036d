#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "eventstore/base64.h"
#include "tests/support/ledger_with_charges.h"
#include "tests/support/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  PixledgerCommand pixledger;
  domain::ProjectId project =
      domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  std::string charge;

  World() {
    LedgerWithCharges ledger(pixledger.data());
    const auto id = ledger.create_charge(project);
    ledger.pay(project, id);
    ledger.create_charge(project);
    charge = id.text();
  }

  std::string file(const std::string& content, const std::string& name = "receipt.json") const {
    const auto path = pixledger.directory() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
  std::string proof() const { return pixledger.done({"prove", "--id", charge}); }
  std::string public_key() const { return lines_of(pixledger.done({"checkpoint", "--public-key"})).at(0); }
  int check(const std::string& content) const {
    const auto result = pixledger.run({"check-proof", file(content), "--json"});
    INFO(content << result.out << result.err);
    REQUIRE(json_at(result.out, "/valid") == (result.code == 0 ? "true" : "false"));
    return result.code;
  }
};

std::string replaced(std::string text, const std::string& what, const std::string& with) {
  const auto at = text.find(what);
  REQUIRE(at != std::string::npos);
  return text.replace(at, what.size(), with);
}

}  // namespace

TEST_CASE("a checkpoint names the ledger, its size and its root") {
  const World world;
  const auto note = world.pixledger.done({"checkpoint"});
  const auto lines = lines_of(note);
  REQUIRE(lines.size() == 5);
  CHECK(lines[0].substr(0, 10) == "pixledger/");
  CHECK(lines[1] == json_at(world.pixledger.done({"verify", "--json"}), "/events"));
  CHECK(lines[3].empty());
  CHECK(lines[4].substr(0, 4) == "\xe2\x80\x94 ");
  const auto json = world.pixledger.done({"checkpoint", "--json"});
  CHECK(json_at(json, "/checkpoint") == note);
  CHECK(json_at(json, "/rootHash") == json_at(world.pixledger.done({"verify", "--json"}), "/rootHash"));
  CHECK(world.public_key().substr(0, lines[0].size() + 1) == lines[0] + "+");
}

TEST_CASE("a proof holds offline, with the public key as a line or in a file, and with the keys") {
  const World world;
  const auto proof = world.file(world.proof());
  const auto key = world.public_key();
  const auto key_file = world.file(key + "\n", "key.txt");
  const PixledgerCommand elsewhere;  // has no data directory
  for (const auto& given : {key, key_file}) {
    const auto result = elsewhere.done({"check-proof", proof, "--public-key", given, "--json"});
    CHECK(json_at(result, "/transactionId") == world.charge);
    CHECK(json_at(result, "/status") == "paid");
    CHECK(json_at(result, "/events") == "2");
  }
  CHECK(world.pixledger.run({"check-proof", proof}).code == 0);
  CHECK_FALSE(std::filesystem::exists(elsewhere.data()));
  CHECK(elsewhere.run({"check-proof", proof, "--public-key", "nonsense"}).code == 2);
  CHECK(elsewhere.run({"check-proof", proof + ".missing", "--public-key", key}).code == 2);
}

TEST_CASE("another ledger's key refuses the proof") {
  const World world;
  const World other;
  const auto proof = world.file(world.proof());
  CHECK(other.pixledger.run({"check-proof", proof}).code == 1);
  CHECK(world.pixledger.run({"check-proof", proof, "--public-key", other.public_key()}).code == 1);
}

TEST_CASE("a whole answer of the API is taken like its data") {
  const World world;
  const auto proof = world.proof();
  CHECK(world.check("{\"success\":true,\"data\":" + proof + "}") == 0);
  CHECK(world.check("{\"success\":true,\"data\":[" + proof + "]}") == 1);
}

TEST_CASE("there is no proof of a charge that does not exist") {
  const World world;
  CHECK(world.pixledger.run({"prove", "--id", "c0000000000000000000000aa"}).code == 1);
  CHECK(world.pixledger.run({"prove", "--id", "nonsense"}).code == 2);
}

TEST_CASE("what a receipt shows to people must be what its bytes say") {
  const World world;
  const auto proof = world.proof();
  REQUIRE(world.check(proof) == 0);
  CHECK(world.check(replaced(proof, "\"amountCents\":1", "\"amountCents\":9")) == 1);
  CHECK(world.check(replaced(proof, "\"type\":\"ChargePaid\"", "\"type\":\"ChargeFailed\"")) == 1);
  CHECK(world.check(replaced(proof, "\"actor\":\"", "\"actor\":\"x")) == 1);
  CHECK(world.check(replaced(proof, "\"event\":{", "\"event\":{\"surprise\":1,")) == 1);
  CHECK(world.check(replaced(proof, "\"event\":{", "\"event\":{\"position\":1,")) == 1);
  CHECK(world.check(replaced(proof, "\"event\":{", "\"event\":{},\"other\":{")) == 1);
  CHECK(world.check(replaced(proof, "{\"transactionId\"",
                             "{\"transactionId\":\"c12345678\",\"transactionId\"")) == 1);
}

TEST_CASE("any character of a proof that is changed is found, or is none that says anything") {
  const World world;
  const auto proof = world.proof();
  const auto key = world.public_key();
  // Every seventh, each as a process of its own.
  for (std::size_t at = 3; at + 2 < proof.size(); at += 7) {
    auto changed = proof;
    changed[at] = changed[at] == '1' ? '2' : '1';
    INFO(at << ": " << proof.substr(at > 20 ? at - 20 : 0, 40));
    CHECK(world.check(changed) == 1);
  }
}

TEST_CASE("what is no receipt is refused") {
  const World world;
  for (const std::string content :
       {"", "{", "[]", "{}", "null", "{\"data\":{}}",
        "{\"transactionId\":1,\"checkpoint\":\"\",\"events\":[]}",
        "{\"transactionId\":\"c12345678\",\"checkpoint\":\"\",\"events\":[]}", "\xff"})
    CHECK(world.check(content) == 1);
}

TEST_CASE("an option that a script left empty does not switch a check off") {
  const PixledgerCommand pixledger;
  pixledger.create_project();
  CHECK(pixledger.run({"verify", "--against", ""}).code == 2);
  CHECK(pixledger.run({"verify", "--public-key", ""}).code == 2);
  CHECK(pixledger.run({"verify", "--public-key", "a+b"}).code == 2);
  CHECK(pixledger.run({"check-proof", "/dev/null", "--public-key", ""}).code == 2);
}
