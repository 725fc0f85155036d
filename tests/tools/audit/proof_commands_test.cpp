#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>

#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"
#include "tools/audit/signed_file.h"

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

// Every JSON text with one change of the value: a field added to an object, a name or a scalar changed.
std::vector<std::string> changed_ones(const std::string& json) {
  std::vector<std::string> changed;
  const auto put = [&](std::size_t at, std::size_t length, const std::string& text) {
    changed.push_back(json.substr(0, at) + text + json.substr(at + length));
  };
  for (std::size_t at = 0; at < json.size(); ++at) {
    if (json[at] == '{') {
      put(at + 1, 0, json[at + 1] == '}' ? "\"surprise\":1" : "\"surprise\":1,");
    } else if (json[at] == '"') {
      const auto begin = at++;
      while (json[at] != '"') at += json[at] == '\\' ? 2 : 1;
      put(at, 0, "x");
      if (json[at + 1] != ':') put(begin, at + 1 - begin, "null");
    } else if (const auto end = json.find_first_of(",]}\n", at); std::isalnum(json[at]) != 0) {
      const auto scalar = json.substr(at, end - at);
      put(at, scalar.size(), scalar == "null" ? "\"x\"" : scalar == "true" ? "false" : scalar + "1");
      put(at, scalar.size(), "[" + scalar + "]");
      at = end - 1;
    }
  }
  return changed;
}

}  // namespace

TEST_CASE("a checkpoint names the ledger, its size and its root") {
  const World world;
  const auto note = world.pixledger.done({"checkpoint"});
  const auto lines = lines_of(note);
  REQUIRE(lines.size() == 6);
  CHECK(lines[0].substr(0, 10) == "pixledger/");
  CHECK(lines[1] == json_at(world.pixledger.done({"verify", "--json"}), "/events"));
  CHECK(lines[3] == "stream - 0");
  CHECK(lines[4].empty());
  CHECK(lines[5].substr(0, 4) == "\xe2\x80\x94 ");
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

TEST_CASE("a checkpoint, a proof and a key hold as editors and mail programs of Windows keep them") {
  const World world;
  const auto windows = [](const std::string& text) {
    std::string kept = "\xef\xbb\xbf";
    for (const char c : text) kept += c == '\n' ? std::string("\r\n") : std::string(1, c);
    return kept;
  };
  const auto note = world.pixledger.done({"checkpoint"});
  const auto key = world.file(windows(world.public_key() + "\n"), "key.txt");
  const PixledgerCommand elsewhere;
  for (const auto& kept : {windows(note), windows(world.proof()), windows(note).substr(3)})
    elsewhere.done({"check-proof", world.file(kept), "--public-key", key});
  const auto older = world.file(windows(note), "older");
  CHECK(world.pixledger.run({"verify", "--against", older}).code == 0);
  auto changed = windows(note);
  changed.insert(changed.rfind("\r\n"), "x");
  CHECK(elsewhere.run({"check-proof", world.file(changed), "--public-key", key}).code == 1);
}

TEST_CASE("another ledger's key refuses the proof") {
  const World world;
  const World other;
  const auto proof = world.file(world.proof());
  CHECK(other.pixledger.run({"check-proof", proof}).code == 1);
  CHECK(world.pixledger.run({"check-proof", proof, "--public-key", other.public_key()}).code == 1);
}

TEST_CASE("the key's line of another epoch does not check a proof, and the answer says which epoch does") {
  const World world;
  const auto line = world.public_key();
  const auto backup = (world.pixledger.directory() / "backup").string();
  world.pixledger.done({"backup", backup, "--with-keys"});
  const auto restored = (world.pixledger.directory() / "restored").string();
  const auto on_restored = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--data", restored, "--map-size", "1GiB"});
    const auto ran = run_process(built_program("pixledger"), arguments);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return ran.out;
  };
  on_restored({"restore", backup});
  const auto proof = world.file(on_restored({"prove", "--id", world.charge}));
  const auto checked = world.pixledger.run({"check-proof", proof, "--public-key", line});
  CHECK(checked.code == 1);
  CHECK(checked.out.find(", and --public-key names another epoch") != std::string::npos);
  const auto older = world.file(world.proof(), "older.json");
  const auto after = world.pixledger.run({"check-proof", proof, "--public-key", line, "--after", older});
  CHECK(after.out == checked.out);
  const auto right = lines_of(on_restored({"checkpoint", "--public-key"})).at(0);
  CHECK(world.pixledger.run({"check-proof", proof, "--public-key", right}).code == 0);
}

TEST_CASE("a whole answer of the API is taken like its data") {
  const World world;
  const auto proof = world.proof();
  CHECK(world.check("{\"success\":true,\"data\":" + proof + "}") == 0);
  CHECK(world.check("{\"success\":true,\"data\":[" + proof + "]}") == 1);
  CHECK(world.check("{\"success\":false,\"data\":" + proof + "}") == 1);
  CHECK(world.check("{\"success\":true,\"message\":\"paid twice\",\"data\":" + proof + "}") == 1);
}

TEST_CASE("there is no proof of a charge that does not exist") {
  const World world;
  CHECK(world.pixledger.run({"prove", "--id", "c0000000000000000000000aa"}).code == 1);
  CHECK(world.pixledger.run({"prove", "--id", "nonsense"}).code == 2);
  CHECK(json_at(world.pixledger.done({"prove", "--id", world.charge, "--json"}), "/transactionId") ==
        world.charge);
}

TEST_CASE("a receipt's readable part must match its bytes") {
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

TEST_CASE("a change of any character of a proof is found") {
  const World world;
  const auto proof = world.proof();
  const auto open = tools::opener_with(world.public_key());
  for (std::size_t at = 0; at + 1 < proof.size(); ++at) {
    auto changed = proof;
    changed[at] = changed[at] == '1' ? '2' : '1';
    INFO(at << ": " << proof.substr(at > 20 ? at - 20 : 0, 40));
    CHECK(tools::check_receipt_file(changed, open).problem);
  }
}

TEST_CASE("whatever is added to a proof, or changed in it, is refused") {
  const World world;
  const auto proof = world.proof();
  const auto open = tools::opener_with(world.public_key());
  for (const auto& text : {proof, "{\"success\":true,\"data\":" + proof + "}"}) {
    REQUIRE_FALSE(tools::check_receipt_file(text, open).problem);
    const auto changed = changed_ones(text);
    CHECK(changed.size() > 100);
    for (const auto& each : changed) {
      INFO(each);
      CHECK(tools::check_receipt_file(each, open).problem);
    }
  }
}

TEST_CASE("a field that was added to a proof, taken away or changed is named") {
  const World world;
  const auto proof = world.proof();
  const auto open = tools::opener_with(world.public_key());
  const auto problem = [&](const std::string& what, const std::string& with) {
    return tools::check_receipt_file(replaced(proof, what, with), open).problem.value_or("none");
  };
  const std::string no = "it is not a receipt: ";
  const std::string otherwise = " is not what the bytes of the event say";
  CHECK(problem("{", "{\"paid\":true,") == no + "paid is no field of a receipt");
  CHECK(problem("\"proof\":", "\"note\":1,\"proof\":") == no + "events[0].note is no field of a receipt");
  CHECK(problem("\"personal\":", "\"p\":") == no + "events[0].personal is missing");
  CHECK(problem("\"version\":", "\"type\":1,\"version\":") == no + "events[0].event.type is there twice");
  CHECK(problem("\"leaf\":\"", "\"leaf\":\"*") == no + "events[0].leaf must be a leaf in base64");
  CHECK(problem("\"quantity\":", "\"fee\":1,\"quantity\":") == "events[0].event.data.fee" + otherwise);
  CHECK(problem("\"quantity\":1", "\"quantity\":2") == "events[0].event.data.quantity" + otherwise);
  CHECK(problem("\"requestId\"", "\"x\"") == "events[0].event.requestId" + otherwise);
  // No forged text reaches a terminal.
  CHECK(problem("{", "{\"\\u009b2J\":1,") == no + "… is no field of a receipt");
}

TEST_CASE("an invalid receipt is refused") {
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
