#include "eventstore/proof/signed_note.h"

#include <catch2/catch.hpp>

#include "base/text/base64.h"
#include "eventstore/proof/checkpoint.h"
#include "tests/support/seeded_entropy.h"

using namespace pixledger;
using namespace pixledger::eventstore;

namespace {

// The example of the Go package golang.org/x/mod/sumdb/note, whose notes C2SP specifies.
constexpr const char* kNeumannLine = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
constexpr const char* kNeumannSeed = "gQoUAtUUbI2E8kQzMPVAgOv5juF9nHT2JS/F1ccoMXM=";
const std::string kNeumannText =
    "If you think cryptography is the answer to your problem,\nthen you don't know what your problem is.\n";
const std::string kNeumannNote =
    kNeumannText +
    "\n— PeterNeumann "
    "x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

Ed25519Key some_key(std::uint64_t seed = 1) {
  tests::SeededEntropy entropy(seed);
  return Ed25519Key(Key256::random(entropy));
}

}  // namespace

TEST_CASE("a note of another implementation is opened by its verifier line") {
  const auto verifier = NoteVerifier::parse(kNeumannLine);
  REQUIRE(verifier);
  CHECK(verifier->name() == "PeterNeumann");
  CHECK(verifier->line() == kNeumannLine);
  CHECK(verifier->open(kNeumannNote) == kNeumannText);
}

TEST_CASE("a checkpoint of another implementation is opened by its verifier line") {
  // From the source of the Sigsum log, which offered its tree head as a checkpoint.
  const auto verifier =
      NoteVerifier::parse("sigsum.org:testonly+8de2c54b+AYzzrIWq3UKJHFrprvJyRMsqVGojEvgAIKrT8q4a9zMU");
  REQUIRE(verifier);
  const auto checkpoint = open_checkpoint(
      "sigsum.org:testonly\n23\nHSt6W8ve4/36xAIf04qDOqaKLaKqSOUqKxLNrkK74+g=\n\n— sigsum.org:testonly "
      "jeLFS4WQDEeTavbiYArHzCQUPXbQ1Y/V8/dKJlBxqOAY4eLhSh3uWNJ8YXp1vs/zR4SDNHI+6UybLmHmFlg/VSf5OAs=\n",
      *verifier);
  REQUIRE(checkpoint);
  CHECK(checkpoint->size == 23);
  CHECK(to_base64(bytes_of(checkpoint->root)) == "HSt6W8ve4/36xAIf04qDOqaKLaKqSOUqKxLNrkK74+g=");
}

TEST_CASE("a note is written as another implementation writes it") {
  Key256 seed;
  seed.bytes = digest_from_bytes(bytes_from_base64(kNeumannSeed).value());
  const Ed25519Key key(seed);
  CHECK(NoteVerifier("PeterNeumann", key.public_key()).line() == kNeumannLine);
  CHECK(sign_note(kNeumannText, "PeterNeumann", key) == kNeumannNote);
}

TEST_CASE("a note with any byte changed is not opened") {
  const auto verifier = NoteVerifier::parse(kNeumannLine).value();
  for (std::size_t i = 0; i < kNeumannNote.size(); ++i) {
    for (const int bit : {1, 2, 64}) {
      auto changed = kNeumannNote;
      changed[i] = static_cast<char>(changed[i] ^ bit);
      INFO(i << ": " << changed);
      CHECK_FALSE(verifier.open(changed));
    }
    CHECK_FALSE(verifier.open(kNeumannNote.substr(0, i)));
  }
}

TEST_CASE("a note names its signers, even if their signatures are invalid") {
  const auto note = sign_note("text\n", "ours", some_key(1));
  const auto names = [](const std::string& line) {
    return line.substr(0, line.find('+', line.find('+') + 1));
  };
  const auto ours = names(NoteVerifier("ours", some_key(1).public_key()).line());
  CHECK(named_signers(note) == std::vector{ours});
  auto changed = note;
  changed[0] = 'T';
  CHECK(named_signers(changed) == std::vector{ours});
  const auto theirs = sign_note("text\n", "theirs", some_key(2)).substr(std::string("text\n\n").size());
  CHECK(named_signers(note + theirs).size() == 2);
  CHECK(named_signers(note + "\xe2\x80\x94 nobody\n") == std::vector{ours});
  CHECK(named_signers(note + "no signature\n").empty());
  CHECK(named_signers("text\n").empty());
  CHECK(named_signers("").empty());
}

TEST_CASE("signatures of other keys are ignored, but this key's must be valid") {
  const auto key = some_key();
  const NoteVerifier verifier("ours", key.public_key());
  const auto ours = sign_note("text\n", "ours", key);
  const auto line = ours.substr(ours.find("— "));
  const auto other = sign_note("text\n", "other", some_key(2));
  const auto same_name = sign_note("text\n", "ours", some_key(2));
  CHECK(verifier.open(other + line) == "text\n");
  CHECK(verifier.open(same_name + line) == "text\n");
  CHECK_FALSE(verifier.open(other));
  CHECK_FALSE(verifier.open(same_name));
  const auto of_another_text = sign_note("texts\n", "ours", key);
  CHECK_FALSE(verifier.open(ours + of_another_text.substr(of_another_text.find("— "))));
  CHECK_FALSE(verifier.open(ours + "not a signature\n"));
}

TEST_CASE("a verifier line of another algorithm, another id or a damaged one is refused") {
  const auto good = NoteVerifier("ours", some_key().public_key()).line();
  REQUIRE(NoteVerifier::parse(good));
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto changed = good;
    changed[i] = changed[i] == 'A' ? 'B' : 'A';
    if (changed == good) continue;
    const auto parsed = NoteVerifier::parse(changed);
    // The hex digits of the id may be written in either case.
    INFO(changed);
    CHECK((!parsed || parsed->line() == good));
  }
  for (const std::string line : {"", "+", "++", "a+b", "a+00000000+", "+00000000+AQ=="})
    CHECK_FALSE(NoteVerifier::parse(line));
}
