#include "eventstore/proof/checkpoint.h"

#include <catch2/catch.hpp>

#include "eventstore/tree/merkle.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

const LogIdentity kIdentity{"00112233445566778899aabbccddeeff", 3};

Ed25519Key some_key(std::uint64_t seed = 1) {
  tests::SeededEntropy entropy(seed);
  return Ed25519Key(Key256::random(entropy));
}

Checkpoint some_checkpoint() { return {origin_of(kIdentity), 7, sha256("root")}; }

}  // namespace

TEST_CASE("an origin names ledger and epoch") {
  CHECK(origin_of(kIdentity) == "pixledger/00112233445566778899aabbccddeeff/3");
  CHECK(identity_of_origin(origin_of(kIdentity)) == kIdentity);
  for (const std::string origin :
       {"", "pixledger/", "pixledger/00112233445566778899aabbccddeeff",
        "pixledger/00112233445566778899aabbccddeeff/", "pixledger/00112233445566778899aabbccddeeff/03",
        "pixledger/00112233445566778899AABBCCDDEEFF/3", "pixledger/00112233445566778899aabbccddeeff/3 ",
        "other/00112233445566778899aabbccddeeff/3", "pixledger/00112233445566778899aabbccddeeff/99999999999"})
    CHECK_FALSE(identity_of_origin(origin));
}

TEST_CASE("a checkpoint is three lines of text, and further lines are ignored") {
  const auto text = checkpoint_text(some_checkpoint());
  CHECK(text ==
        "pixledger/00112233445566778899aabbccddeeff/3\n7\nSBNJTRN+FjG7owHVrKtue7eqdM4RhdRWVl71HXN2d7I=\n");
  CHECK(parse_checkpoint_text(text) == some_checkpoint());
  CHECK(parse_checkpoint_text(text + "an extension\n") == some_checkpoint());
  for (const std::string& bad :
       {std::string(), std::string("o\n"), std::string("o\n1\n"),
        "o\n07\n" + text.substr(text.find("\nS") + 1), "o\n-7\n" + text.substr(text.find("\nS") + 1),
        "\n7\n" + text.substr(text.find("\nS") + 1), text.substr(0, text.size() - 1), text + "\n",
        text + "no end", std::string("o\n7\nAAAA\n")})
    CHECK_FALSE(parse_checkpoint_text(bad));
}

TEST_CASE("a checkpoint states the length of one stream, or that it states none") {
  const auto plain = checkpoint_text(some_checkpoint());
  auto stating = some_checkpoint();
  stating.states_streams = true;
  CHECK(checkpoint_text(stating) == plain + "stream - 0\n");
  CHECK(parse_checkpoint_text(plain + "stream - 0\n") == stating);
  stating.stream = StreamLength{*domain::StreamName::parse("charge-c12345678"), 3};
  CHECK(checkpoint_text(stating) == plain + "stream charge-c12345678 3\n");
  CHECK(parse_checkpoint_text(plain + "stream charge-c12345678 3\n") == stating);
  CHECK(parse_checkpoint_text(plain + "other\nstream charge-c12345678 3\n") == stating);
  CHECK_FALSE(parse_checkpoint_text(plain)->states_streams);
  for (const std::string bad :
       {"stream ", "stream -", "stream - 1", "stream - 00", "stream charge-c12345678",
        "stream charge-c12345678 0", "stream charge-c12345678 03", "stream charge-c12345678 -3",
        "stream charge-c12345678 3 ", "stream charge-c12345678 4294967296", "stream charge 3",
        "stream nothing-c12345678 3", "stream charge-c12345678 3\nstream charge-c12345678 3",
        "stream - 0\nstream charge-c12345678 3"})
    CHECK_FALSE(parse_checkpoint_text(plain + bad + "\n"));
}

TEST_CASE("a signed checkpoint is opened only by its key, and only under its own name") {
  const auto key = some_key();
  const auto note = sign_checkpoint(some_checkpoint(), key);
  CHECK(open_checkpoint(note, key.public_key()) == some_checkpoint());
  CHECK(open_checkpoint(note, NoteVerifier(origin_of(kIdentity), key.public_key())) == some_checkpoint());
  CHECK_FALSE(open_checkpoint(note, some_key(2).public_key()));
  CHECK_FALSE(open_checkpoint(note, NoteVerifier(origin_of({kIdentity.ledger_id, 4}), key.public_key())));
  // Signed by the right key under the right name, but about another ledger.
  auto foreign = some_checkpoint();
  foreign.origin = origin_of({kIdentity.ledger_id, 4});
  const auto mixed = sign_note(checkpoint_text(foreign), origin_of(kIdentity), key);
  CHECK_FALSE(open_checkpoint(mixed, NoteVerifier(origin_of(kIdentity), key.public_key())));
}

TEST_CASE("a signed checkpoint with any byte changed is refused") {
  const auto key = some_key();
  const auto note = sign_checkpoint(some_checkpoint(), key);
  for (std::size_t i = 0; i < note.size(); ++i) {
    auto changed = note;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    INFO(changed);
    CHECK_FALSE(open_checkpoint(changed, key.public_key()));
  }
}

TEST_CASE("the checkpoint of an empty log has the root of the empty tree") {
  const MemoryLog log(kIdentity);
  const auto checkpoint = checkpoint_of(log);
  CHECK(checkpoint == Checkpoint{origin_of(log.identity()), 0, empty_root(), true});
}
