#include <catch2/catch.hpp>

#include "tests/support/servers/account_calls.h"
#include "tests/support/servers/api_calls.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr const char* kConfirm = "/api/v1/sign-ins/current/confirm";
constexpr const char* kPasskeys = "/api/v1/me/passkeys";
constexpr const char* kTotp = "/api/v1/me/totp";

struct Call {
  const char* method;
  const char* path;
  std::string body;
};

// Every call that changes a user's credentials.
std::vector<Call> changes(const TestService& service, const std::string& token) {
  const auto call = ask_challenge(service, "register", token);
  return {{"POST", kPasskeys, registration_body(SoftAuthenticator(http::kEs256, "another"), call)},
          {"DELETE", "/api/v1/me/passkeys/abc", ""},
          {"POST", "/api/v1/me/password", R"({"password":"another horse battery"})"},
          {"POST", kTotp, ""},
          {"DELETE", kTotp, ""},
          {"POST", "/api/v1/me/recovery-codes", ""}};
}

}  // namespace

TEST_CASE("changing credentials needs a confirmation of the last ten minutes") {
  TestService service;
  const auto account = with_passkey(service);
  const auto token = account.sign_in(service);
  const auto all = changes(service, token);
  service.clock().advance_millis(10 * kMinute);
  // Refused before a device makes a useless passkey.
  CHECK(outcome_of(service.send("POST", "/api/v1/sign-ins/challenge", token, R"({"purpose":"register"})")) ==
        "403 ERR_AUTH_013");
  for (const auto& [method, path, body] : all)
    CHECK(outcome_of(service.send(method, path, token, body)) == "403 ERR_AUTH_013");
  CHECK(outcome_of(service.send("GET", kPasskeys, token)) == "200");
  SECTION("confirmed by the passkey") {
    const auto answer = account.answer(ask_challenge(service, "confirm", token));
    const auto confirmed = service.send("POST", kConfirm, token, answer);
    REQUIRE(confirmed.status == 200);
    CHECK(confirmed.at("/data/confirmedAt") ==
          service.send("GET", "/api/v1/sign-ins/current", token).at("/data/confirmedAt"));
    CHECK(outcome_of(service.send("POST", kTotp, token)) == "201");
    CHECK(outcome_of(service.send("POST", kConfirm, token, answer)) == "401 ERR_AUTH_011");
  }
  SECTION("not by the signature of another sign-in, or user") {
    const auto others = account.answer(ask_challenge(service, "confirm", account.sign_in(service)));
    CHECK(outcome_of(service.send("POST", kConfirm, token, others)) == "401 ERR_AUTH_011");
    const auto bea = with_passkey(service, "bea");
    const auto call = ask_challenge(service, "confirm", token);
    CHECK(outcome_of(service.send("POST", kConfirm, token, bea.answer(call))) == "401 ERR_AUTH_011");
    CHECK(outcome_of(service.send("POST", kTotp, token)) == "403 ERR_AUTH_013");
  }
}

TEST_CASE("a confirmation by password counts failures as a sign-in does") {
  TestService service;
  const auto account = with_password(service);
  const auto& token = account.token;
  service.clock().advance_millis(kMinute);
  const auto body = [&](const std::string& password, const std::string& code) {
    return R"({"password":")" + password + R"(","totp":")" + code + "\"}";
  };
  CHECK(outcome_of(service.send("POST", kConfirm, token, body(account.password, account.code(service)))) ==
        "200");
  for (int i = 0; i < 5; ++i)
    CHECK(outcome_of(service.send("POST", kConfirm, token, body("wrong horse battery", "123456"))) ==
          "401 ERR_AUTH_011");
  CHECK(outcome_of(service.send("POST", kConfirm, token, body(account.password, account.code(service, 1)))) ==
        "429 ERR_RATE_001");
  CHECK(outcome_of(service.send("POST", kConfirm, token, "{}")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("failures for an e-mail address do not block its signed-in user from confirming") {
  TestService service;
  const auto account = with_password(service);
  service.clock().advance_millis(kMinute);
  const auto& email = account.invited.email;
  for (int i = 0; i < 5; ++i)
    sign_in_with(service, password_body(email, "a guess of mine", "totp", "123456"));
  CHECK(outcome_of(sign_in_with(service, account.body(service))) == "429 ERR_RATE_001");
  const auto body = R"({"password":")" + account.password + R"(","totp":")" + account.code(service) + "\"}";
  CHECK(outcome_of(service.send("POST", kConfirm, account.token, body)) == "200");
  // The confirmation does not unlock signing in.
  CHECK(outcome_of(sign_in_with(service, account.body(service))) == "429 ERR_RATE_001");
}

TEST_CASE("the last credential cannot be removed") {
  TestService service;
  const auto account = with_passkey(service);
  const auto id = service.send("GET", kPasskeys, account.token).at("/data/0/id");
  const auto path = std::string(kPasskeys) + "/" + id;
  const auto refused = service.send("DELETE", path, account.token);
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "id");
  SoftAuthenticator second(http::kRs256, "second");
  const auto call = ask_challenge(service, "register", account.token);
  CHECK(outcome_of(service.send("POST", kPasskeys, account.token, registration_body(second, call))) == "201");
  CHECK(outcome_of(service.send("DELETE", path, account.token)) == "200");
  CHECK(outcome_of(service.send("DELETE", path, account.token)) == "404 ERR_HTTP_404");
  CHECK(outcome_of(sign_in_with(service, account.answer(ask_challenge(service, "sign_in")))) ==
        "401 ERR_AUTH_011");
  CHECK(outcome_of(service.send("DELETE", kTotp, account.token)) == "404 ERR_HTTP_404");
}

TEST_CASE("a passkey is one user's, made for this challenge, page and sign-in") {
  TestService service;
  const auto account = with_passkey(service);
  SoftAuthenticator authenticator(http::kEdDsa, "new");
  auto call = ask_challenge(service, "register", account.token);
  SECTION("valid") {
    const auto body = registration_body(authenticator, call);
    CHECK(outcome_of(service.send("POST", kPasskeys, account.token, body)) == "201");
    CHECK(outcome_of(service.send("POST", kPasskeys, account.token, body)) == "400 ERR_VALIDATION_001");
    return;
  }
  SECTION("of another user already") { authenticator.credential = account.authenticator.credential; }
  SECTION("on another page") { call.word.origin = "https://evil.example"; }
  SECTION("for another relying party") { authenticator.rp_id = "evil.example"; }
  SECTION("without its user being verified") { authenticator.flags = 0x01; }
  SECTION("for a challenge to sign in") { call = ask_challenge(service, "sign_in"); }
  SECTION("for another sign-in's challenge") {
    call = ask_challenge(service, "register", account.sign_in(service));
  }
  CHECK(outcome_of(service.send("POST", kPasskeys, account.token, registration_body(authenticator, call))) ==
        "400 ERR_VALIDATION_001");
}

TEST_CASE("a password has at least 12 characters, and changing it ends the user's other sign-ins") {
  TestService service;
  const auto account = with_passkey(service);
  const auto other = account.sign_in(service);
  const auto set = [&](const std::string& password) {
    return outcome_of(
        service.send("POST", "/api/v1/me/password", account.token, R"({"password":")" + password + "\"}"));
  };
  CHECK(set("elevenchars") == "400 ERR_VALIDATION_001");
  CHECK(outcome_of(service.send("GET", kPasskeys, other)) == "200");
  CHECK(set("twelve chars") == "200");
  CHECK(outcome_of(service.send("GET", kPasskeys, other)) == "401 ERR_AUTH_011");
  CHECK(outcome_of(service.send("GET", kPasskeys, account.token)) == "200");
}

TEST_CASE("one-time codes take effect once one was entered") {
  TestService service;
  const auto account = with_passkey(service);
  const auto& token = account.token;
  CHECK(outcome_of(service.send("POST", kTotp, token, R"({"code":"123456"})")) == "400 ERR_VALIDATION_001");
  CHECK(outcome_of(service.send("POST", "/api/v1/me/recovery-codes", token)) == "400 ERR_VALIDATION_001");
  const auto begun = service.send("POST", kTotp, token, "{}");
  CHECK(begun.at("/data/otpauthUrl") ==
        "otpauth://totp/pixledger:ana%40example.com?secret=" + begun.at("/data/secret") +
            "&issuer=pixledger&algorithm=SHA1&digits=6&period=30");
  CHECK(outcome_of(service.send("POST", kTotp, token, R"({"code":"000000"})")) == "400 ERR_VALIDATION_001");
  CHECK(service.send("GET", "/api/v1/sign-ins/current", token).at("/data/user/hasTotp") == "false");
}

TEST_CASE("new recovery codes void the old ones") {
  TestService service;
  const auto account = with_password(service);
  const auto renewed = service.send("POST", "/api/v1/me/recovery-codes", account.token);
  REQUIRE(renewed.status == 201);
  const auto sign_in = [&](const std::string& code) {
    return outcome_of(
        sign_in_with(service, password_body(account.invited.email, account.password, "recoveryCode", code)));
  };
  CHECK(sign_in(account.recovery_codes.at(0)) == "401 ERR_AUTH_011");
  CHECK(sign_in(renewed.at("/data/recoveryCodes/7")) == "201");
  CHECK_FALSE(renewed.has("/data/recoveryCodes/8"));
}

TEST_CASE("an invitation that resets removes all credentials, and another one is void once there are any") {
  TestService service;
  const auto account = with_passkey(service);
  const auto plain = invite(service);
  CHECK(outcome_of(sign_in_with(service, R"({"invitation":")" + plain.token + "\"}")) == "401 ERR_AUTH_011");
  const auto reset = invite(service, "ana", true);
  const auto signed_in = sign_in_with(service, R"({"invitation":")" + reset.token + "\"}");
  REQUIRE(signed_in.status == 201);
  CHECK(signed_in.at("/data/mustSetCredential") == "true");
  CHECK(outcome_of(service.send("GET", kPasskeys, account.token)) == "401 ERR_AUTH_011");
  CHECK(outcome_of(sign_in_with(service, account.answer(ask_challenge(service, "sign_in")))) ==
        "401 ERR_AUTH_011");
}

TEST_CASE("no answer that shows sign-ins holds a hash, a token or a recovery code") {
  TestService service;
  const auto account = with_password(service);
  const auto shown = service.send("GET", "/api/v1/sign-ins/current", account.token).body +
                     service.send("GET", "/api/v1/sign-ins", account.token).body +
                     service.send("GET", kPasskeys, account.token).body;
  CHECK(shown.find("argon2") == std::string::npos);
  CHECK(shown.find(account.token) == std::string::npos);
  CHECK(shown.find(to_hex(sha256(account.token))) == std::string::npos);
  CHECK(shown.find(account.recovery_codes.at(0)) == std::string::npos);
}
