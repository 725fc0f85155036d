#include "eventstore/keys/keyring_file.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/stat.h>
#include <system_error>
#include <thread>
#include <vector>

#include "base/platform/sha256.h"
#include "tests/eventstore/keys/keyring_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using Catch::Matchers::Contains;
using pixledger::tests::kKeysMadeAt;
using pixledger::tests::NewKeys;
using pixledger::tests::SeededEntropy;
using pixledger::tests::TemporaryDirectory;
namespace fs = std::filesystem;

namespace {

std::string read_file(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
  fs::permissions(path, fs::perms::owner_read | fs::perms::owner_write);
}

std::string message_of_open(const fs::path& keys) {
  try {
    Keyring::open(keys);
  } catch (const KeyringError& error) {
    return error.what();
  }
  return "no error";
}

mode_t mode_of(const fs::path& path) {
  struct stat status {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777;
}

// Lines with this master key's authentication, as the format of the file specifies.
std::string with_end(const std::string& lines, const std::string& master_hex) {
  const Digest end_key = HmacSha256(bytes_from_hex(master_hex).value()).mac("pixledger keyring end");
  return lines + "end " + to_hex(HmacSha256(bytes_of(end_key)).mac(lines)) + "\n";
}

std::string without_end(const std::string& text) { return text.substr(0, text.rfind("end ")); }

}  // namespace

TEST_CASE("the files of a keyring are frozen: what an earlier release wrote opens with the same names") {
  TemporaryDirectory directory;
  const fs::path keys = directory.path() / "keys";
  REQUIRE(::mkdir(keys.c_str(), 0700) == 0);
  write_file(keys / "master.key", "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f\n");
  write_file(keys / "keyring",
             "pixledger keyring 1\n"
             "00112233445566aa data 1767225600000 "
             "01010101010101010101010157e2c7164ca04e41fc7d4d33344a7cf7fb5f"
             "bde8a5b620ebcbe23dd7a134c00e94bd49172a11457c57897777abf9a9d4\n"
             "00112233445566bb hmac 1767225600000 "
             "020202020202020202020202db695bf8fd9c771c83cce8b37f34945c4cb8"
             "fd3fc0012ea61a078b582b36179dff54f52918ceac9e84b1f717d9f47db8\n"
             "end 04a4240cee5683629960f52def6686cdca202594a00a827f941d2030650aaff8\n");
  const Keyring keyring = Keyring::open(keys);
  CHECK(keyring.name_of_document("project-1", "12345678901") == "65fe05ed1701f36bb0ee133195430d96");
  const std::string sealed =
      bytes_from_hex(
          "0100112233445566aa03030303030303030303030342ba34338a9f06304ae6509167254f339d0125ce9d37c2")
          .value();
  CHECK(keyring.unseal(Sealed::from_bytes(sealed).value(), "channel 1") == "whsec_1");

  // That release had no signatures.
  CHECK_THROWS_AS(keyring.signing_key(), KeyringError);
  SeededEntropy entropy(1);
  Keyring::ensure_signing_key(keys, entropy, kKeysMadeAt);
  const Keyring signing = Keyring::open(keys);
  CHECK(signing.signing_key().sign("text").size() == 64);
  CHECK(signing.unseal(Sealed::from_bytes(sealed).value(), "channel 1") == "whsec_1");
}

TEST_CASE("the keys are readable by their owner only") {
  NewKeys fixture;
  CHECK(mode_of(fixture.keys) == 0700);
  CHECK(mode_of(fixture.keys / "master.key") == 0600);
  CHECK(mode_of(fixture.keys / "keyring") == 0600);
  CHECK(std::distance(fs::directory_iterator(fixture.keys), {}) == 2);
}

TEST_CASE("keys that others may read are refused with the command that fixes it") {
  NewKeys fixture;
  fs::path path;
  std::string command;
  SECTION("the directory") {
    path = fixture.keys;
    REQUIRE(::chmod(path.c_str(), 0750) == 0);
    command = "(mode 0750): run chmod 700 " + path.string();
  }
  SECTION("the master key") {
    path = fixture.keys / "master.key";
    REQUIRE(::chmod(path.c_str(), 0644) == 0);
    command = "(mode 0644): run chmod 600 " + path.string();
  }
  SECTION("the keyring") {
    path = fixture.keys / "keyring";
    REQUIRE(::chmod(path.c_str(), 0604) == 0);
    command = "(mode 0604): run chmod 600 " + path.string();
  }
  CHECK_THAT(message_of_open(fixture.keys), Contains(command));
}

TEST_CASE("new keys never replace others") {
  NewKeys fixture;
  const std::string master = read_file(fixture.keys / "master.key");
  const std::string keyring = read_file(fixture.keys / "keyring");
  CHECK_THROWS_WITH(Keyring::create(fixture.keys, fixture.entropy, kKeysMadeAt),
                    Contains("is not overwritten"));
  fs::remove(fixture.keys / "master.key");
  CHECK_THROWS_WITH(Keyring::create(fixture.keys, fixture.entropy, kKeysMadeAt),
                    Contains("is not overwritten"));
  write_file(fixture.keys / "master.key", master);
  fs::remove(fixture.keys / "keyring");
  CHECK_THROWS_WITH(Keyring::create(fixture.keys, fixture.entropy, kKeysMadeAt),
                    Contains("is not overwritten"));
  write_file(fixture.keys / "keyring", keyring);
  CHECK(message_of_open(fixture.keys) == "no error");
}

TEST_CASE("new keys are made in an existing empty directory") {
  TemporaryDirectory directory;
  SeededEntropy entropy(11);
  Keyring::create(directory.path(), entropy, kKeysMadeAt);
  CHECK(message_of_open(directory.path()) == "no error");
}

TEST_CASE("keys are not made in a missing parent directory") {
  TemporaryDirectory directory;
  SeededEntropy entropy(11);
  CHECK_THROWS_AS(Keyring::create(directory.path() / "missing" / "keys", entropy, kKeysMadeAt),
                  std::system_error);
}

TEST_CASE("a missing file is named") {
  NewKeys fixture;
  CHECK_THAT(message_of_open(fixture.directory.path() / "nowhere"),
             Contains("there is no directory of keys at"));
  fs::rename(fixture.keys / "keyring", fixture.keys / "away");
  CHECK_THAT(message_of_open(fixture.keys), Contains("keyring is missing"));
  fs::rename(fixture.keys / "away", fixture.keys / "keyring");
  fs::remove(fixture.keys / "master.key");
  CHECK_THAT(message_of_open(fixture.keys), Contains("master.key is missing"));
}

TEST_CASE("a keyring with any byte changed is refused") {
  NewKeys fixture;
  const std::string text = read_file(fixture.keys / "keyring");
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(fixture.keys / "keyring", changed);
    REQUIRE(message_of_open(fixture.keys) != "no error");
  }
  for (std::size_t length = 0; length < text.size(); ++length) {
    write_file(fixture.keys / "keyring", text.substr(0, length));
    REQUIRE(message_of_open(fixture.keys) != "no error");
  }
  write_file(fixture.keys / "keyring", text + "\n");
  CHECK_THAT(message_of_open(fixture.keys), Contains("is damaged, or master.key"));
}

TEST_CASE("a master key with any byte changed is refused") {
  NewKeys fixture;
  const std::string text = read_file(fixture.keys / "master.key");
  REQUIRE(text.size() == 65);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = static_cast<char>(changed[i] ^ 1);
    write_file(fixture.keys / "master.key", changed);
    REQUIRE(message_of_open(fixture.keys) != "no error");
  }
  write_file(fixture.keys / "master.key", text + text);
  CHECK_THAT(message_of_open(fixture.keys), Contains("it must be one line of 64 hex digits"));
  write_file(fixture.keys / "master.key", text.substr(0, 64));
  CHECK(message_of_open(fixture.keys) == "no error");
}

TEST_CASE("a file too long for keys is refused") {
  NewKeys fixture;
  write_file(fixture.keys / "keyring", std::string(2'000'000, 'x'));
  CHECK_THAT(message_of_open(fixture.keys), Contains("is too long to hold keys"));
}

TEST_CASE("a wrapped key under another name or kind is refused, even with the master key") {
  NewKeys fixture;
  const std::string master = read_file(fixture.keys / "master.key").substr(0, 64);
  std::string lines = without_end(read_file(fixture.keys / "keyring"));
  const std::size_t second_line = lines.find('\n') + 1;
  SECTION("another name") {
    lines[second_line] = lines[second_line] == '0' ? '1' : '0';
    write_file(fixture.keys / "keyring", with_end(lines, master));
    CHECK_THAT(message_of_open(fixture.keys), Contains("is damaged at key"));
  }
  SECTION("another kind") {
    lines.replace(lines.find(" data "), 6, " hmac ");
    write_file(fixture.keys / "keyring", with_end(lines, master));
    CHECK_THAT(message_of_open(fixture.keys), Contains("is damaged at key"));
  }
}

TEST_CASE("a keyring that lacks a kind of key is refused") {
  NewKeys fixture;
  const std::string master = read_file(fixture.keys / "master.key").substr(0, 64);
  const std::string lines = without_end(read_file(fixture.keys / "keyring"));
  const std::size_t first_end = lines.find('\n') + 1;
  const std::size_t second_end = lines.find('\n', first_end) + 1;
  write_file(fixture.keys / "keyring", with_end(lines.substr(0, second_end), master));
  CHECK_THAT(message_of_open(fixture.keys), Contains("must have data keys and one hmac key"));
  write_file(fixture.keys / "keyring",
             with_end(lines.substr(0, first_end) + lines.substr(second_end), master));
  CHECK_THAT(message_of_open(fixture.keys), Contains("must have data keys and one hmac key"));
}

TEST_CASE("a keyring of a newer release is refused as such") {
  NewKeys fixture;
  const std::string master = read_file(fixture.keys / "master.key").substr(0, 64);
  std::string lines = without_end(read_file(fixture.keys / "keyring"));
  SECTION("a kind of key that we do not know") {
    write_file(fixture.keys / "keyring",
               with_end(lines + "0123456789abcdef nova 1767225600000 00\n", master));
    CHECK_THAT(message_of_open(fixture.keys), Contains("keyring was written by a newer release"));
  }
  SECTION("another format") {
    write_file(fixture.keys / "keyring", "pixledger keyring 2\n");
    CHECK_THAT(message_of_open(fixture.keys), Contains("keyring was written by a newer release"));
  }
}

TEST_CASE("a new master key opens what was sealed before, and the old one opens nothing any more") {
  NewKeys fixture;
  const Keyring before = Keyring::open(fixture.keys);
  const Sealed sealed = before.seal("secret", "place", fixture.entropy);
  const std::string old_master = read_file(fixture.keys / "master.key");

  Keyring::rotate_master_key(fixture.keys, fixture.entropy);

  const Keyring after = Keyring::open(fixture.keys);
  CHECK(after.unseal(sealed, "place") == "secret");
  CHECK(after.name_of_document("p", "1") == before.name_of_document("p", "1"));
  CHECK(before.unseal(after.seal("later", "", fixture.entropy), "") == "later");
  CHECK(std::distance(fs::directory_iterator(fixture.keys), {}) == 2);
  write_file(fixture.keys / "master.key", old_master);
  CHECK_THAT(message_of_open(fixture.keys), Contains("is damaged, or master.key"));
}

TEST_CASE("a rotation that is interrupted anywhere leaves keys that open and rotate again") {
  NewKeys fixture;
  const Sealed sealed = Keyring::open(fixture.keys).seal("secret", "", fixture.entropy);
  const std::string old_master = read_file(fixture.keys / "master.key");
  const std::string old_keyring = read_file(fixture.keys / "keyring");
  Keyring::rotate_master_key(fixture.keys, fixture.entropy);
  const std::string new_master = read_file(fixture.keys / "master.key");

  SECTION("before the keyring is wrapped again") {
    write_file(fixture.keys / "keyring", old_keyring);
    write_file(fixture.keys / "master.key", old_master);
    write_file(fixture.keys / "master.key.next", new_master);
  }
  SECTION("after it, before the new master key has its name") {
    write_file(fixture.keys / "master.key", old_master);
    write_file(fixture.keys / "master.key.next", new_master);
  }
  SECTION("while a file is written") { write_file(fixture.keys / "keyring.tmp", "pixledger"); }

  CHECK(Keyring::open(fixture.keys).unseal(sealed, "") == "secret");
  Keyring::rotate_master_key(fixture.keys, fixture.entropy);
  CHECK(Keyring::open(fixture.keys).unseal(sealed, "") == "secret");
  CHECK(read_file(fixture.keys / "master.key") != new_master);
  CHECK_FALSE(fs::exists(fixture.keys / "master.key.next"));
}

TEST_CASE("keys open while they are rotated") {
  NewKeys fixture;
  std::thread rotating([&] {
    for (int i = 0; i < 20; ++i) Keyring::rotate_master_key(fixture.keys, fixture.entropy);
  });
  std::vector<std::string> messages;
  for (int i = 0; i < 20; ++i) messages.push_back(message_of_open(fixture.keys));
  rotating.join();
  CHECK(messages == std::vector<std::string>(20, "no error"));
}
