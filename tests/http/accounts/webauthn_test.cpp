#include <catch2/catch.hpp>

#include "base/text/base64.h"
#include "http/accounts/passkeys.h"
#include "tests/support/servers/soft_authenticator.h"

using namespace pixledger;
using namespace pixledger::http;
using tests::BrowserWord;
using tests::SoftAuthenticator;

namespace {

const RelyingParty kParty{"localhost", "http://localhost:8090"};
const auto kChallenge = sha256("challenge");

BrowserWord word() { return {.origin = kParty.origin, .challenge = to_base64url(bytes_of(kChallenge))}; }

std::optional<std::uint32_t> registered(const SoftAuthenticator& authenticator, const BrowserWord& said,
                                        std::string_view credential = "credential-1") {
  const auto client_data = said.client_data(Ceremony::kCreate);
  const auto data = authenticator.attested_data();
  const auto key = authenticator.public_key();
  return verify_registration({.credential = credential,
                              .client_data = client_data,
                              .authenticator_data = data,
                              .public_key = key,
                              .algorithm = authenticator.algorithm()},
                             kChallenge, kParty);
}

// Parts that are changed after the signature, if any.
struct Tampered {
  std::string client_data{}, authenticator_data{}, signature{};
};

std::optional<std::uint32_t> asserted(const SoftAuthenticator& authenticator, const BrowserWord& said,
                                      std::uint32_t known_count = 0, const Tampered& tampered = {}) {
  auto client_data = said.client_data(Ceremony::kGet);
  auto data = authenticator.authenticator_data();
  auto signature = authenticator.sign(data, client_data);
  const auto key = authenticator.public_key();
  if (!tampered.client_data.empty()) client_data = tampered.client_data;
  if (!tampered.authenticator_data.empty()) data = tampered.authenticator_data;
  if (!tampered.signature.empty()) signature = tampered.signature;
  return verify_assertion(
      {.client_data = client_data, .authenticator_data = data, .signature = signature},
      {.public_key = key, .algorithm = authenticator.algorithm(), .sign_count = known_count}, kChallenge,
      kParty);
}

}  // namespace

TEST_CASE("the relying party is the dashboard's host, and its origin as browsers name it") {
  const auto party = RelyingParty::of("https://Pay.Example.com:443");
  REQUIRE(party);
  CHECK(party->id == "pay.example.com");
  CHECK(party->origin == "https://pay.example.com");
  CHECK(RelyingParty::of("http://localhost:8090")->origin == "http://localhost:8090");
  for (const auto* url : {"http://127.0.0.1:8090", "https://[::1]", "ftp://localhost", "localhost", ""})
    CHECK_FALSE(RelyingParty::of(url));
}

TEST_CASE("a passkey is made and used with each algorithm") {
  const auto algorithm = GENERATE(kEs256, kRs256, kEdDsa);
  SoftAuthenticator authenticator(algorithm);
  CHECK(registered(authenticator, word()) == 0U);
  CHECK(asserted(authenticator, word()) == 0U);
  const SoftAuthenticator another(algorithm);
  const auto data = authenticator.authenticator_data();
  const auto forged = another.sign(data, word().client_data(Ceremony::kGet));
  CHECK_FALSE(asserted(authenticator, word(), 0, {.signature = forged}));
  CHECK_FALSE(asserted(authenticator, word(), 0, {.signature = "nonsense"}));
}

TEST_CASE("client data must be of this ceremony, challenge and origin") {
  const SoftAuthenticator authenticator;
  auto said = word();
  SECTION("another challenge") { said.challenge = to_base64url(std::string(32, 'x')); }
  SECTION("another origin") { said.origin = "http://localhost:8091"; }
  SECTION("the same host with TLS") { said.origin = "https://localhost:8090"; }
  SECTION("in another site's page") { said.is_cross_origin = true; }
  SECTION("another ceremony") { said.type = "payment.get"; }
  CHECK_FALSE(registered(authenticator, said));
  CHECK_FALSE(asserted(authenticator, said));
}

TEST_CASE("client data of one ceremony is refused by the other") {
  const SoftAuthenticator authenticator;
  auto said = word();
  said.type = "webauthn.create";
  CHECK(registered(authenticator, said));
  CHECK_FALSE(asserted(authenticator, said));
  said.type = "webauthn.get";
  CHECK_FALSE(registered(authenticator, said));
  CHECK(asserted(authenticator, said));
}

TEST_CASE("invalid client data is refused") {
  const std::string right = word().client_data(Ceremony::kGet);
  CHECK(is_client_data(right, Ceremony::kGet, kChallenge, kParty));
  const std::string challenge = word().challenge;
  for (
      const std::string& json :
      {std::string(), std::string("null"), std::string("[]"), std::string("{}"), right + "}",
       std::string(R"({"type":"webauthn.get","origin":"http://localhost:8090"})"),
       R"({"type":"webauthn.get","origin":"http://evil.example","origin":"http://localhost:8090","challenge":")" +
           challenge + "\"}",
       R"({"type":"webauthn.get","origin":["http://localhost:8090"],"challenge":")" + challenge + "\"}",
       R"({"type":"webauthn.get","origin":"http://localhost:8090","crossOrigin":"no","challenge":")" +
           challenge + "\"}"})
    CHECK_FALSE(is_client_data(json, Ceremony::kGet, kChallenge, kParty));
  CHECK(is_client_data(R"({"type":"webauthn.get","origin":"http://localhost:8090","later":1,"challenge":")" +
                           challenge + "\"}",
                       Ceremony::kGet, kChallenge, kParty));
}

TEST_CASE("an authenticator's data must be of this relying party, with a verified user") {
  SoftAuthenticator authenticator;
  SECTION("another relying party") { authenticator.rp_id = "evil.example"; }
  SECTION("no user present") { authenticator.flags = 0x04; }
  SECTION("not verified") { authenticator.flags = 0x01; }
  CHECK_FALSE(registered(authenticator, word()));
  CHECK_FALSE(asserted(authenticator, word()));
}

TEST_CASE("a registration is of the credential that it names, with a matching key") {
  SoftAuthenticator authenticator;
  CHECK_FALSE(registered(authenticator, word(), "credential-2"));
  CHECK_FALSE(registered(authenticator, word(), ""));
  const auto key = authenticator.public_key();
  CHECK(is_public_key(key, kEs256));
  CHECK_FALSE(is_public_key(key, kRs256));
  CHECK_FALSE(is_public_key(key, kEdDsa));
  CHECK_FALSE(is_public_key(key, -35));
  CHECK_FALSE(is_public_key(key + "x", kEs256));
  CHECK_FALSE(is_public_key(key.substr(0, 40), kEs256));
  CHECK_FALSE(is_public_key("", kEs256));
  CHECK_FALSE(is_public_key(SoftAuthenticator(kRs256).public_key(), kEs256));
}

TEST_CASE("no part of the authenticator data can be left out") {
  const auto data = SoftAuthenticator().attested_data();
  const auto whole = data.size() - 1;  // the key is not read
  for (std::size_t size = 0; size < whole; ++size)
    CHECK_FALSE(read_authenticator_data(std::string_view(data).substr(0, size), kParty));
  CHECK(read_authenticator_data(std::string_view(data).substr(0, whole), kParty)->credential ==
        "credential-1");
  CHECK(read_authenticator_data(SoftAuthenticator().authenticator_data(), kParty)->credential.empty());
}

TEST_CASE("signed data cannot be changed afterwards") {
  SoftAuthenticator authenticator;
  authenticator.sign_count = 7;
  CHECK(asserted(authenticator, word(), 6) == 7U);
  auto data = authenticator.authenticator_data();
  data.back() = static_cast<char>(data.back() + 1);
  CHECK_FALSE(asserted(authenticator, word(), 6, {.authenticator_data = data}));
  auto client_data = word().client_data(Ceremony::kGet);
  client_data.insert(client_data.size() - 1, R"(,"more":1)");
  CHECK_FALSE(asserted(authenticator, word(), 6, {.client_data = client_data}));
}

TEST_CASE("a counter that does not increase is refused as a copy's, unless the authenticator has none") {
  SoftAuthenticator authenticator;
  authenticator.sign_count = 5;
  CHECK(asserted(authenticator, word(), 4) == 5U);
  CHECK_FALSE(asserted(authenticator, word(), 5));
  CHECK_FALSE(asserted(authenticator, word(), 6));
  authenticator.sign_count = 0;
  CHECK(asserted(authenticator, word(), 0) == 0U);
  CHECK_FALSE(asserted(authenticator, word(), 1));
}
