#include "eventstore/keys/connection_secrets.h"

#include <catch2/catch.hpp>

#include "base/platform/sha256.h"
#include "tests/eventstore/keys/keyring_fixture.h"

using namespace pixledger;
using namespace pixledger::eventstore;
using pixledger::domain::ConnectionId;
using pixledger::tests::NewKeys;

namespace {

const auto kConnection = ConnectionId::parse("cconnection1").value();

ConnectionSecrets all_secrets() {
  return {.client_secret = "client secret",
          .certificate_pem = std::string(9'000, 'c'),
          .private_key_pem = "key\n",
          .callback_secret = "callback",
          .app_key = std::string("\0\xff", 2)};
}

pixledger::domain::SealedSecret sealed_bytes(std::string_view plain, const Keyring& keyring,
                                             Entropy& entropy) {
  return {keyring.seal(plain, "connection-secret/" + kConnection.text(), entropy).to_bytes()};
}

}  // namespace

TEST_CASE("a connection's secrets survive sealing, all of them and few") {
  NewKeys fixture;
  const auto keyring = Keyring::open(fixture.keys);
  const ConnectionSecrets few{.callback_secret = "callback"};
  for (const auto& secrets : {all_secrets(), few, ConnectionSecrets{}}) {
    const auto sealed = seal(kConnection, secrets, keyring, fixture.entropy);
    CHECK(sealed.bytes.find("callback") == std::string::npos);
    CHECK(unseal(kConnection, sealed, Keyring::open(fixture.keys)) == secrets);
  }
}

TEST_CASE("a connection's secrets survive a rotation of the master key, and open for no other connection") {
  NewKeys fixture;
  const auto sealed = seal(kConnection, all_secrets(), Keyring::open(fixture.keys), fixture.entropy);
  Keyring::rotate_master_key(fixture.keys, fixture.entropy);
  const auto keyring = Keyring::open(fixture.keys);
  CHECK(unseal(kConnection, sealed, keyring) == all_secrets());
  CHECK_THROWS_AS(unseal(ConnectionId::parse("cconnection2").value(), sealed, keyring), KeyringError);
}

TEST_CASE("the form in which a connection's secrets are sealed never changes") {
  NewKeys fixture;
  const auto keyring = Keyring::open(fixture.keys);
  const auto plain = bytes_from_hex(
                         "0101000000026162"
                         "0300000001"
                         "6b"
                         "0400000002"
                         "7878")
                         .value();
  const ConnectionSecrets secrets{.client_secret = "ab", .private_key_pem = "k", .callback_secret = "xx"};
  CHECK(unseal(kConnection, sealed_bytes(plain, keyring, fixture.entropy), keyring) == secrets);
  const auto sealed = Sealed::from_bytes(seal(kConnection, secrets, keyring, fixture.entropy).bytes).value();
  CHECK(keyring.unseal(sealed, "connection-secret/" + kConnection.text()) == plain);
}

TEST_CASE("secrets that are cut off, of another form or with an unknown one are refused") {
  NewKeys fixture;
  const auto keyring = Keyring::open(fixture.keys);
  for (const auto* hex : {"", "02", "0100", "010600000000", "0101", "01010000",
                          "010100000003"
                          "6162"}) {
    INFO(hex);
    const auto sealed = sealed_bytes(bytes_from_hex(hex).value(), keyring, fixture.entropy);
    CHECK_THROWS_AS(unseal(kConnection, sealed, keyring), KeyringError);
  }
  CHECK_THROWS_AS(unseal(kConnection, {"no sealed secret"}, keyring), KeyringError);
}

TEST_CASE("the secrets of callbacks can be used in a path, and are never the same") {
  NewKeys fixture;
  const auto first = new_callback_secret(fixture.entropy);
  CHECK(first.size() == 64);
  CHECK(first.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(first != new_callback_secret(fixture.entropy));
}
