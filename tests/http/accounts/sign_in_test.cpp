#include <catch2/catch.hpp>

#include "tests/support/servers/account_calls.h"
#include "tests/support/servers/api_calls.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::int64_t kMinute = 60'000;
constexpr const char* kCurrent = "/api/v1/sign-ins/current";

std::string invitation_body(const std::string& token) { return R"({"invitation":")" + token + "\"}"; }

std::string outcome(const TestService& service, const std::string& body) {
  return outcome_of(sign_in_with(service, body));
}

std::string current(const TestService& service, const std::string& token) {
  return outcome_of(service.send("GET", kCurrent, token));
}

}  // namespace

TEST_CASE("an invitation signs in, and a passkey is made and signs in from then on") {
  TestService service;
  const auto project = service.create_project();
  const auto invited = invite(service);
  service.execute(domain::AddMember{project.id, invited.user, domain::Role::kOperator});
  const auto first = sign_in_with(service, invitation_body(invited.token));
  REQUIRE(first.status == 201);
  CHECK(first.at("/data/token").substr(0, 3) == "us_");
  CHECK(first.at("/data/mustSetCredential") == "true");
  CHECK(first.at("/data/idleSeconds") == "1800");
  CHECK(first.at("/data/user/email") == "ana@example.com");
  CHECK(first.at("/data/projects/0/id") == project.id.text());
  CHECK(first.at("/data/projects/0/name") == "Loja");
  CHECK(first.at("/data/projects/0/role") == "operator");

  const auto token = first.at("/data/token");
  CHECK(outcome_of(service.send("GET", "/api/v1/store", token, "",
                                {{"Pixledger-Project", project.id.text()}})) == "403 ERR_AUTH_012");
  SoftAuthenticator authenticator;
  const auto call = ask_challenge(service, "register", token);
  const auto added =
      service.send("POST", "/api/v1/me/passkeys", token, registration_body(authenticator, call));
  REQUIRE(added.status == 201);
  CHECK(added.at("/data/name") == "laptop");
  CHECK(added.at("/data/lastUsedAt") == "null");
  CHECK(outcome_of(service.send("GET", "/api/v1/store", token, "",
                                {{"Pixledger-Project", project.id.text()}})) == "200");

  const auto again = sign_in_with(
      service, passkey_body(authenticator, ask_challenge(service, "sign_in"), invited.user.text()));
  REQUIRE(again.status == 201);
  CHECK(again.at("/data/mustSetCredential") == "false");
  CHECK(again.at("/data/user/hasPasskey") == "true");
  const auto shown = service.send("GET", kCurrent, again.at("/data/token"));
  CHECK(shown.at("/data/signInId") == again.at("/data/signInId"));
  CHECK(shown.at("/data/confirmedAt") != "null");
  CHECK_FALSE(shown.has("/data/token"));
}

TEST_CASE("a challenge has the options of the browser's request") {
  TestService service;
  const auto account = with_passkey(service);
  const auto ask = [&](const std::string& purpose, const std::string& token) {
    return service.send("POST", "/api/v1/sign-ins/challenge", token, R"({"purpose":")" + purpose + "\"}");
  };
  const auto sign_in = ask("sign_in", "");
  CHECK(sign_in.at("/data/publicKey/rpId") == "localhost");
  CHECK(sign_in.at("/data/publicKey/userVerification") == "required");
  CHECK(sign_in.at("/data/publicKey/timeout") == "300000");
  CHECK_FALSE(sign_in.has("/data/publicKey/allowCredentials"));
  const auto registration = ask("register", account.token);
  CHECK(registration.at("/data/publicKey/user/name") == "ana@example.com");
  CHECK(registration.at("/data/publicKey/pubKeyCredParams/0/alg") == "-7");
  CHECK(registration.at("/data/publicKey/excludeCredentials/0/type") == "public-key");
  CHECK(ask("confirm", account.token).has("/data/publicKey/allowCredentials/0/id"));
  for (const auto* purpose : {"register", "confirm"}) {
    CHECK(outcome_of(ask(purpose, "")) == "401 ERR_AUTH_011");
    CHECK(outcome_of(ask(purpose, "us_guessed")) == "401 ERR_AUTH_011");
  }
  CHECK(outcome_of(ask("pay", "")) == "400 ERR_VALIDATION_001");
}

TEST_CASE("a password signs in with a one-time code, and never without") {
  TestService service;
  const auto account = with_password(service);
  const auto& email = account.invited.email;
  service.clock().advance_millis(kMinute);
  CHECK(outcome(service, account.body(service)) == "201");
  CHECK(outcome(service, password_body("ANA@Example.com", account.password, "totp",
                                       account.code(service, 1))) == "201");
  CHECK(outcome(service, R"({"email":")" + email + R"(","password":")" + account.password + "\"}") ==
        "400 ERR_VALIDATION_001");
  service.clock().advance_millis(kMinute);
  CHECK(outcome(service, password_body(email, "wrong horse battery", "totp", account.code(service))) ==
        "401 ERR_AUTH_011");
  CHECK(outcome(service, password_body(email, account.password, "totp", "000000")) == "401 ERR_AUTH_011");
  CHECK(outcome(service, account.body(service)) == "201");
}

TEST_CASE("a one-time credential does not sign in twice") {
  TestService service;
  SECTION("an invitation") {
    const auto invited = invite(service);
    CHECK(outcome(service, invitation_body(invited.token)) == "201");
    CHECK(outcome(service, invitation_body(invited.token)) == "401 ERR_AUTH_011");
  }
  SECTION("an invitation, after a day") {
    const auto invited = invite(service);
    service.clock().advance_millis(24 * 60 * kMinute);
    CHECK(outcome(service, invitation_body(invited.token)) == "401 ERR_AUTH_011");
  }
  SECTION("a passkey's signature") {
    const auto account = with_passkey(service);
    const auto body = account.answer(ask_challenge(service, "sign_in"));
    CHECK(outcome(service, body) == "201");
    CHECK(outcome(service, body) == "401 ERR_AUTH_011");
    service.restart();
    CHECK(outcome(service, body) == "401 ERR_AUTH_011");
  }
  SECTION("a passkey's signature, after five minutes") {
    const auto account = with_passkey(service);
    const auto body = account.answer(ask_challenge(service, "sign_in"));
    service.clock().advance_millis(5 * kMinute);
    CHECK(outcome(service, body) == "401 ERR_AUTH_011");
  }
  SECTION("a step of one-time codes, and those before it") {
    const auto account = with_password(service);
    service.clock().advance_millis(kMinute);
    const auto body = account.body(service);
    const auto before = account.body(service, -1);
    CHECK(outcome(service, body) == "201");
    CHECK(outcome(service, body) == "401 ERR_AUTH_011");
    CHECK(outcome(service, before) == "401 ERR_AUTH_011");
    CHECK(outcome(service, account.body(service, 1)) == "201");
  }
  SECTION("a recovery code") {
    const auto account = with_password(service);
    const auto body =
        password_body(account.invited.email, account.password, "recoveryCode", account.recovery_codes.at(3));
    const auto signed_in = sign_in_with(service, body);
    CHECK(signed_in.status == 201);
    CHECK(signed_in.at("/data/user/recoveryCodesLeft") == "7");
    CHECK(outcome(service, body) == "401 ERR_AUTH_011");
  }
}

TEST_CASE("a passkey's signature for another place, purpose or user does not sign in") {
  TestService service;
  auto account = with_passkey(service);
  auto call = ask_challenge(service, "sign_in");
  auto handle = account.invited.user.text();
  SECTION("on another page") { call.word.origin = "http://localhost:8091"; }
  SECTION("in another site's frame") { call.word.is_cross_origin = true; }
  SECTION("for another relying party") { account.authenticator.rp_id = "example.com"; }
  SECTION("without its user being verified") { account.authenticator.flags = 0x01; }
  SECTION("as another user") { handle = "cuser0000bea"; }
  SECTION("without a user") { handle.clear(); }
  SECTION("to confirm") { call = ask_challenge(service, "confirm", account.token); }
  SECTION("with another challenge") { call.challenge_id = ask_challenge(service, "sign_in").challenge_id; }
  SECTION("with a key of its own") {
    account.authenticator = SoftAuthenticator(http::kEs256, account.authenticator.credential);
  }
  SECTION("with an unknown passkey") { account.authenticator.credential = "another"; }
  CHECK(outcome(service, passkey_body(account.authenticator, call, handle)) == "401 ERR_AUTH_011");
}

TEST_CASE("a sign-in ends when it is signed out, unused for half an hour, or twelve hours old") {
  TestService service;
  const auto account = with_passkey(service);
  const auto token = account.sign_in(service);
  CHECK(current(service, token) == "200");
  SECTION("signed out") {
    CHECK(outcome_of(service.send("DELETE", kCurrent, token)) == "200");
    CHECK(current(service, token) == "401 ERR_AUTH_011");
    CHECK(outcome_of(service.send("DELETE", kCurrent, token)) == "401 ERR_AUTH_011");
  }
  SECTION("unused") {
    service.clock().advance_millis(30 * kMinute - 1);
    CHECK(current(service, token) == "200");
    service.clock().advance_millis(30 * kMinute);
    CHECK(current(service, token) == "401 ERR_AUTH_011");
  }
  SECTION("old") {
    for (int i = 0; i < 12 * 3 - 1; ++i) {
      service.clock().advance_millis(20 * kMinute);
      REQUIRE(current(service, token) == "200");
    }
    service.clock().advance_millis(20 * kMinute);
    CHECK(current(service, token) == "401 ERR_AUTH_011");
  }
  SECTION("it survives a restart") {
    service.restart();
    CHECK(current(service, token) == "200");
  }
}

TEST_CASE("a user sees their sign-ins, and ends them") {
  TestService service;
  const auto ana = with_passkey(service, "ana");
  const auto bea = with_passkey(service, "bea");
  const auto first = service.send("GET", kCurrent, ana.token).at("/data/signInId");
  service.clock().advance_millis(1);
  const auto token = ana.sign_in(service);
  const auto list = service.send("GET", "/api/v1/sign-ins", token);
  CHECK(list.at("/data/0/isCurrent") == "true");
  CHECK(list.at("/data/0/method") == "passkey");
  CHECK(list.at("/data/0/address") == "127.0.0.1");
  CHECK(list.at("/data/1/id") == first);
  CHECK(list.at("/data/1/method") == "invitation");
  CHECK_FALSE(list.has("/data/2"));
  const auto path = "/api/v1/sign-ins/" + first;
  CHECK(outcome_of(service.send("DELETE", path, bea.token)) == "404 ERR_HTTP_404");
  CHECK(outcome_of(service.send("DELETE", path, token)) == "200");
  CHECK(outcome_of(service.send("DELETE", path, token)) == "404 ERR_HTTP_404");
  CHECK(current(service, ana.token) == "401 ERR_AUTH_011");
}

TEST_CASE("five failures lock an account's password out for a quarter of an hour, and no passkey") {
  TestService service;
  const auto email = GENERATE(as<std::string>(), "ana@example.com", "nobody@example.com");
  auto account = with_password(service);
  const auto call = ask_challenge(service, "register", account.token);
  SoftAuthenticator authenticator;
  REQUIRE(service.send("POST", "/api/v1/me/passkeys", account.token, registration_body(authenticator, call))
              .status == 201);
  service.clock().advance_millis(kMinute);
  const auto guess = password_body(email, "wrong horse battery", "totp", "123456");
  for (int i = 0; i < 5; ++i) CHECK(outcome(service, guess) == "401 ERR_AUTH_011");
  const auto locked = sign_in_with(service, guess);
  CHECK(outcome_of(locked) == "429 ERR_RATE_001");
  CHECK(locked.headers.at("Retry-After") == "900");
  if (email == account.invited.email) {
    CHECK(outcome(service, account.body(service)) == "429 ERR_RATE_001");
    CHECK(outcome(service, passkey_body(authenticator, ask_challenge(service, "sign_in"),
                                        account.invited.user.text())) == "201");
  } else {
    CHECK(outcome(service, account.body(service)) == "201");
  }
  service.clock().advance_millis(15 * kMinute);
  CHECK(outcome(service, password_body(email, "wrong horse battery", "totp", "123456")) ==
        "401 ERR_AUTH_011");
}

TEST_CASE("failed sign-ins block neither a recovery code nor a device that was signed in on before") {
  TestService service;
  auto account = with_password(service);
  const auto from_device = [&](const std::string& marks) {
    service.clock().advance_millis(kMinute);
    return service.send("POST", "/api/v1/sign-ins", "", account.body(service), {{"Pixledger-Device", marks}});
  };
  const auto first = from_device("");
  REQUIRE(first.status == 201);
  const auto marks = first.headers.at("Pixledger-Device");
  const auto again = from_device(marks);
  CHECK(again.status == 201);
  CHECK_FALSE(again.headers.contains("Pixledger-Device"));

  const auto guess = password_body(account.invited.email, "wrong horse battery", "totp", "123456");
  while (outcome(service, guess) != "429 ERR_RATE_001") {
  }
  for (int i = 0; i < 40; ++i) outcome(service, invitation_body("ui_guess"));
  CHECK(from_device("").status == 429);
  CHECK(from_device(marks).status == 201);
  CHECK(outcome(service, password_body(account.invited.email, account.password, "recoveryCode",
                                       account.recovery_codes.at(0))) == "201");

  // A mark is its user's, on its device, as it was made.
  auto forged = marks;
  forged[forged.size() / 2] = forged[forged.size() / 2] == 'A' ? 'B' : 'A';
  CHECK(from_device(forged).status == 429);
  const auto bea = with_password(service, "bea");
  service.clock().advance_millis(15 * kMinute);
  const auto hers =
      service.send("POST", "/api/v1/sign-ins", "", bea.body(service), {{"Pixledger-Device", marks}});
  REQUIRE(hers.status == 201);
  CHECK(hers.headers.at("Pixledger-Device").find("." + marks) != std::string::npos);
  service.clock().advance_millis(401LL * 24 * 60 * kMinute);
  const auto year_after = from_device(marks);
  REQUIRE(year_after.status == 201);
  CHECK(year_after.headers.contains("Pixledger-Device"));
}

TEST_CASE("a known device has failures of its own, with the same limit") {
  TestService service;
  const auto account = with_password(service);
  service.clock().advance_millis(kMinute);
  const std::map<std::string, std::string> device{
      {"Pixledger-Device", sign_in_with(service, account.body(service)).headers.at("Pixledger-Device")}};
  const auto guess = password_body(account.invited.email, "wrong horse battery", "totp", "123456");
  const auto outcome_there = [&](const std::string& body) {
    return outcome_of(service.send("POST", "/api/v1/sign-ins", "", body, device));
  };
  for (int i = 0; i < 5; ++i) CHECK(outcome_there(guess) == "401 ERR_AUTH_011");
  CHECK(outcome_there(guess) == "429 ERR_RATE_001");
  CHECK(outcome(service, account.body(service, 1)) == "201");
}

TEST_CASE(
    "an address that fails thirty times in a minute is blocked, except for credentials that cannot be "
    "guessed") {
  TestService service;
  const auto account = with_passkey(service);
  for (int i = 0; i < 30; ++i)
    REQUIRE(outcome(service, invitation_body("ui_guess" + std::to_string(i))) == "401 ERR_AUTH_011");
  CHECK(outcome(service, invitation_body("ui_guess")) == "429 ERR_RATE_001");
  CHECK(outcome(service, account.answer(ask_challenge(service, "sign_in"))) == "201");
  service.clock().advance_millis(kMinute);
  CHECK(outcome(service, account.answer(ask_challenge(service, "sign_in"))) == "201");
  const auto page = service.metrics();
  CHECK(metric(page, "pixledger_sign_ins_total{result=\"failed\"}") == 30);
  CHECK(metric(page, "pixledger_sign_ins_total{result=\"limited\"}") == 1);
  CHECK(metric(page, "pixledger_sign_ins_total{result=\"made\"}") == 3);
}

TEST_CASE("whatever is wrong with a sign-in, the answer is the same except the request's id") {
  TestService service;
  const auto account = with_password(service);
  service.clock().advance_millis(kMinute);
  const auto& email = account.invited.email;
  const auto said = [&](const std::string& body) {
    const auto answer = sign_in_with(service, body);
    return std::to_string(answer.status) + answer.body.substr(0, answer.body.find(R"("requestId")"));
  };
  const auto unknown = said(password_body("nobody@example.com", account.password, "totp", "123456"));
  CHECK(unknown.substr(0, 3) == "401");
  CHECK(said(password_body(email, "wrong horse battery", "totp", account.code(service))) == unknown);
  CHECK(said(password_body(email, account.password, "totp", "123456")) == unknown);
  CHECK(said(password_body(email, account.password, "recoveryCode", "AAAA-AAAA-AAAA-AAAA")) == unknown);
  CHECK(said(invitation_body("ui_guess")) == unknown);
  CHECK(said(passkey_body(SoftAuthenticator(), ask_challenge(service, "sign_in"), "x")) == unknown);
}

TEST_CASE("a body with no way to sign in, or with two, is refused") {
  TestService service;
  const std::string full = password_body("ana@example.com", "correct horse battery", "totp", "123456");
  for (const std::string& body :
       {std::string("{}"), std::string(R"({"email":"ana@example.com"})"),
        std::string(R"({"password":"correct horse battery","totp":"123456"})"),
        std::string(R"({"email":"ana@example.com","password":"x","totp":"1","recoveryCode":"2"})"),
        full.substr(0, full.size() - 1) + R"(,"invitation":"ui_x"})",
        std::string(R"({"passkey":{"challengeId":"x"}})"), std::string(R"({"invitation":1})"),
        std::string(R"({"invitation":"x","more":1})")})
    CHECK(outcome(service, body) == "400 ERR_VALIDATION_001");
}

TEST_CASE("an API key neither signs in nor has sign-ins") {
  TestService service;
  const auto project = service.create_project();
  for (const auto* path : {"/api/v1/sign-ins", kCurrent, "/api/v1/me/passkeys"})
    CHECK(outcome_of(service.send("GET", path, project.live_key)) == "403 ERR_AUTH_010");
}
