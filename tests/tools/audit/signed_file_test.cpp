#include "tools/audit/signed_file.h"

#include <catch2/catch.hpp>
#include <fstream>

#include "eventstore/proof/checkpoint.h"
#include "eventstore/proof/receipt.h"
#include "eventstore/tree/merkle.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;
using tools::CheckedFile;

namespace {

std::string answer_of(const std::string& data) { return "{\"success\":true,\"data\":" + data + "}"; }

// A growing ledger, with its checkpoints and proofs.
struct World {
  PixledgerCommand pixledger;
  domain::ProjectId project =
      domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  LedgerWithCharges ledger{pixledger.data()};
  eventstore::Ed25519Key key = eventstore::Keyring::open(pixledger.data() / "keys").signing_key();
  domain::ChargeId charge = ledger.create_charge(project);

  World() { ledger.pay(project, charge); }

  eventstore::Checkpoint head() { return eventstore::checkpoint_of(ledger.log()); }
  std::string checkpoint() { return eventstore::sign_checkpoint(head(), key); }
  std::string receipt() {
    Json json;
    eventstore::write_receipt(json, eventstore::make_receipt(ledger.log(), key, charge).value());
    return json.take();
  }
  std::string consistency(std::uint64_t from, std::uint64_t to) {
    const auto proof = eventstore::consistency_proof(from, to, eventstore::TreeOfLog(ledger.log()));
    Json json;
    eventstore::write_consistency(json, from, to, proof, checkpoint());
    return json.take();
  }
  CheckedFile check(const std::string& text) const {
    return tools::check_signed_file(
        text, [this](std::string_view note) { return eventstore::open_checkpoint(note, key.public_key()); });
  }
  CheckedFile good(const std::string& text) const {
    auto checked = check(text);
    INFO(text << checked.problem.value_or(""));
    REQUIRE_FALSE(checked.problem);
    return checked;
  }
  std::string file(const std::string& name, const std::string& content) const {
    const auto path = pixledger.directory() / name;
    std::ofstream(path, std::ios::binary) << content;
    return path.string();
  }
};

std::string problem(const CheckedFile& older, const CheckedFile& newer,
                    const std::optional<std::string>& consistency = std::nullopt) {
  const auto found = tools::problem_of_continuation(older, newer, consistency);
  return found ? found->problem : "none";
}

}  // namespace

TEST_CASE("a checkpoint is taken as a note, as JSON and as an answer of the API") {
  World world;
  const auto note = world.checkpoint();
  Json json;
  eventstore::write_checkpoint(json, world.head(), note);
  const auto data = json.take();
  for (const auto& text : {note, data, answer_of(data)}) {
    const auto checked = world.good(text);
    CHECK(checked.checkpoint == world.head());
    CHECK_FALSE(checked.charge);
    CHECK(tools::note_in(text, "file") == note);
  }
  CHECK(tools::note_in(world.receipt(), "file").find("stream charge-") != std::string::npos);
  CHECK_THROWS_WITH(tools::note_in("nothing", "file"), "file is no checkpoint or receipt");
  const auto with = [&](const std::string& what, const std::string& other) {
    auto changed = data;
    changed.replace(changed.find(what), what.size(), other);
    return world.check(changed).problem.value_or("none");
  };
  CHECK(with("\"size\":", "\"size\":1") == "size is not what is signed");
  CHECK(with("\"rootHash\":\"", "\"rootHash\":\"0") == "rootHash is not what is signed");
  CHECK(with("\"origin\":\"", "\"origin\":\"x") == "origin is not what is signed");
  CHECK(with("{", "{\"by\":1,") ==
        "it is neither a receipt nor a checkpoint: by is no field of a checkpoint");
  CHECK(world.check(note.substr(1)).problem == "it is neither a receipt nor a checkpoint: it is not JSON");
  CHECK(world.check(note.substr(0, 9) + "x" + note.substr(10)).problem ==
        "it is neither a receipt nor a checkpoint: it is not JSON");
  CHECK(world.check(World().checkpoint()).problem == "it is not signed by that key");
}

TEST_CASE("receipts and checkpoints of one history continue each other") {
  World world;
  const auto receipt = world.good(world.receipt());
  const auto checkpoint = world.good(world.checkpoint());
  CHECK(problem(receipt, checkpoint) == "none");  // of one size
  CHECK(problem(checkpoint, receipt) == "none");
  for (int i = 0; i < 5; ++i) {
    world.ledger.create_charge(world.project);
    const auto later = world.good(world.checkpoint());
    const auto from = receipt.checkpoint.size;
    const auto to = later.checkpoint.size;
    const auto proof = world.consistency(from, to);
    for (const auto& text : {proof, answer_of(proof)}) {
      CHECK(problem(receipt, later, text) == "none");
      CHECK(problem(receipt, world.good(world.receipt()), text) == "none");
    }
    CHECK(problem(receipt, later) == "it takes a proof of consistency: GET /api/v1/ledger/consistency?from=" +
                                         std::to_string(from) + "&to=" + std::to_string(to));
    CHECK(problem(later, receipt, proof) == "it was signed for " + std::to_string(from) +
                                                " events, and the older one for " + std::to_string(to));
    CHECK(problem(receipt, later, world.consistency(from, to - 1)).find(" is due") != std::string::npos);
    auto changed = proof;
    auto& character = changed[changed.find("proof\":[\"") + 12];
    character = character == 'A' ? 'B' : 'A';
    // The file may have been changed on its way, so it proves nothing.
    const auto found = tools::problem_of_continuation(receipt, later, changed);
    REQUIRE(found);
    CHECK(found->proves != tools::Discontinuity::Proves::kTwoHistories);
    for (const std::string bad : {"", "{}", "[]", "{\"from\":1}"})
      CHECK(problem(receipt, later, bad).find("the proof of consistency is invalid: ") == 0);
  }
}

TEST_CASE("another past under the same key, size and name does not continue") {
  World world;
  const auto older = world.good(world.checkpoint());
  auto other = older;
  other.checkpoint.root[0] ^= 1;
  CHECK(problem(other, older).find("are not those of the older one") != std::string::npos);
  world.ledger.create_charge(world.project);
  const auto later = world.good(world.checkpoint());
  const auto proof = world.consistency(older.checkpoint.size, later.checkpoint.size);
  CHECK(problem(older, later, proof) == "none");
  CHECK(problem(other, later, proof).find("are not those of the older one") != std::string::npos);
}

TEST_CASE("two signed states that contradict each other prove two histories, and nothing else does") {
  using Proves = tools::Discontinuity::Proves;
  World world;
  const auto proves = [](const CheckedFile& older, const CheckedFile& newer,
                         const std::optional<std::string>& consistency = std::nullopt) {
    const auto found = tools::problem_of_continuation(older, newer, consistency);
    REQUIRE(found);
    return found->proves;
  };
  // At sizes of all kinds: where the older one is a complete tree, the proof does not have its root in it.
  for (int i = 0; i < 10; ++i) {
    const auto older = world.good(world.checkpoint());
    auto other = older;
    other.checkpoint.root[0] ^= 1;
    CHECK(proves(other, older) == Proves::kTwoHistories);
    world.ledger.create_charge(world.project);
    const auto later = world.good(world.checkpoint());
    const auto size = older.checkpoint.size;
    const auto proof = world.consistency(size, later.checkpoint.size);
    const bool is_complete = (size & (size - 1)) == 0;
    CHECK(proves(other, later, proof) ==
          (is_complete ? Proves::kTwoHistoriesOrWrongConsistency : Proves::kTwoHistories));
    CHECK(proves(older, later) == Proves::kNothing);
    CHECK(proves(later, older) == Proves::kNothing);
    // Before a restore there may have been more events.
    auto newer = older;
    newer.checkpoint.origin =
        eventstore::origin_of({eventstore::identity_of_origin(older.checkpoint.origin)->ledger_id, 2});
    CHECK(proves(other, newer) == Proves::kNothing);
  }
  const auto receipt = world.good(world.receipt());
  auto other = receipt;
  other.leaves.back().second[0] ^= 1;
  CHECK(proves(other, receipt) == Proves::kTwoHistories);
}

TEST_CASE("a restored ledger continues its earlier epochs, and no ledger another") {
  World world;
  const auto now = world.good(world.checkpoint());
  const auto of_epoch = [&](const std::string& ledger_id, std::uint32_t epoch) {
    auto checked = now;
    checked.checkpoint.origin = eventstore::origin_of({ledger_id, epoch});
    return checked;
  };
  const auto id = world.ledger.log().identity().ledger_id;
  CHECK(problem(now, of_epoch(id, 7)) == "none");
  CHECK(problem(of_epoch(id, 7), now) == "it is of an earlier epoch of the ledger than the older one");
  CHECK(problem(of_epoch(std::string(32, '0'), 1), now) == "they are of two ledgers");
}

// Its checkpoint is signed for too few events: the key's holder cheats.
TEST_CASE("a newer receipt that omits an older one's events is found") {
  World world;
  const auto older = world.good(world.receipt());
  world.ledger.create_charge(world.project);
  auto receipt = eventstore::make_receipt(world.ledger.log(), world.key, world.charge).value();
  receipt.events.pop_back();
  auto checkpoint = world.head();
  checkpoint.stream = eventstore::StreamLength{domain::charge_stream(world.charge), 1};
  receipt.checkpoint = eventstore::sign_checkpoint(checkpoint, world.key);
  Json json;
  eventstore::write_receipt(json, receipt);
  const auto lying = world.good(json.take());
  const auto proof = world.consistency(older.checkpoint.size, lying.checkpoint.size);
  CHECK(problem(older, lying, proof) == "the older one has 2 of the charge's events, and it has 1");

  // With the ledger, the receipt alone shows it.
  const auto kept = world.file("lying", receipt.checkpoint);
  const auto verified = world.pixledger.run({"verify", "--against", kept, "--json"});
  CHECK(verified.code == 1);
  CHECK(json_at(verified.out, "/part") == "checkpoint");
  CHECK(json_at(verified.out, "/problem") ==
        "it states a length of 1 for charge-" + world.charge.text() + ", which had 2");
  CHECK(world.pixledger.run({"verify", "--against", world.file("receipt", world.receipt())}).code == 0);
}

TEST_CASE("check-proof relates a file to an older one, with what the API answers") {
  World world;
  const auto kept = world.file("kept", world.checkpoint());
  const auto old_receipt = world.file("old.json", answer_of(world.receipt()));
  const auto from = world.head().size;
  const auto key = lines_of(world.pixledger.done({"checkpoint", "--public-key"})).at(0);
  world.ledger.refund(world.project, world.charge);
  const auto receipt = world.file("receipt.json", answer_of(world.receipt()));
  const auto now = world.file("now", world.checkpoint());
  const auto proof = world.file("proof.json", answer_of(world.consistency(from, world.head().size)));
  const PixledgerCommand elsewhere;  // has no data directory
  const auto check = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "check-proof");
    arguments.insert(arguments.end(), {"--public-key", key, "--json"});
    return elsewhere.run(arguments);
  };
  CHECK(json_at(check({receipt}).out, "/streamLength") == "3");
  CHECK(json_at(check({now}).out, "/size") == std::to_string(from + 1));
  for (const auto& newer : {receipt, now}) {
    for (const auto& older : {kept, old_receipt}) {
      const auto related = check({newer, "--after", older, "--consistency", proof});
      INFO(related.out << related.err);
      CHECK(related.code == 0);
      CHECK(json_at(related.out, "/continues") == std::to_string(from));
      CHECK(check({older, "--after", newer, "--consistency", proof}).code == 1);
      CHECK(check({newer, "--after", older}).code == 1);
    }
  }
  CHECK(check({now, "--consistency", proof}).code == 2);
  CHECK(check({now, "--after", ""}).code == 2);
  CHECK(check({now, "--after", kept + ".missing"}).code == 2);
  const auto foreign = world.file("foreign", World().checkpoint());
  const auto refused = check({now, "--after", foreign, "--consistency", proof});
  CHECK(refused.code == 1);
  CHECK(json_at(refused.out, "/problem") == foreign + ": it is not signed by that key");
  CHECK(elsewhere.done({"check-proof", now, "--public-key", key, "--after", kept, "--consistency", proof})
            .find("It continues the older one: the first " + std::to_string(from)) != std::string::npos);
}

TEST_CASE("check-proof reports two contradicting histories, and saves both notes") {
  World world;
  const auto key = lines_of(world.pixledger.done({"checkpoint", "--public-key"})).at(0);
  auto forked = world.head();
  forked.root[0] ^= 1;
  const auto one = world.file("one", world.checkpoint());
  const auto other = world.file("other", eventstore::sign_checkpoint(forked, world.key));
  const PixledgerCommand elsewhere;
  const auto told = elsewhere.run({"check-proof", one, "--after", other, "--public-key", key, "--json"});
  CHECK(told.code == 1);
  CHECK(json_at(told.out, "/valid") == "false");
  CHECK(json_at(told.out, "/twoHistories") == "true");
  const std::filesystem::path saved = json_at(told.out, "/evidence");
  const auto content = [](const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  };
  CHECK(content(saved / "newer") == content(one));
  CHECK(content(saved / "older") == content(other));
  const auto words = elsewhere.run({"check-proof", one, "--after", other, "--public-key", key});
  CHECK(words.code == 1);
  CHECK(words.out.find("This proves that the ledger has had two histories") != std::string::npos);
  CHECK(words.out.find((saved / "older").string()) != std::string::npos);
}
