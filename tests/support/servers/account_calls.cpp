#include "tests/support/servers/account_calls.h"

#include <stdexcept>

#include "base/text/base64.h"
#include "eventstore/keys/tokens.h"
#include "http/accounts/one_time_codes.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {
namespace {

constexpr const char* kOrigin = "http://localhost:8090";

std::string text(std::string_view bytes) { return "\"" + to_base64url(bytes) + "\""; }

HttpAnswer expect(int status, HttpAnswer answer) {
  if (answer.status != status) throw std::runtime_error("not " + std::to_string(status) + ": " + answer.body);
  return answer;
}

// Decodes base32, the form of secrets in answers.
std::string bytes_of_base32(const std::string& digits) {
  std::string bytes;
  std::uint32_t bits = 0;
  unsigned held = 0;
  for (const char c : digits) {
    bits = bits << 5 | static_cast<std::uint32_t>(c >= 'A' ? c - 'A' : c - '2' + 26);
    held += 5;
    if (held < 8) continue;
    held -= 8;
    bytes += static_cast<char>(bits >> held & 0xff);
  }
  return bytes;
}

Account by_invitation(TestService& service, const std::string& name) {
  auto invited = invite(service, name);
  const auto answer = expect(201, sign_in_with(service, R"({"invitation":")" + invited.token + "\"}"));
  return {std::move(invited), answer.at("/data/token")};
}

}  // namespace

Invited invite(TestService& service, const std::string& name, bool resets) {
  auto& accounts = service.accounts();
  const auto now = service.clock().now();
  SystemEntropy entropy;
  const auto email = name + "@example.com";
  const auto user =
      accounts.make_user(parsed<EmailAddress>(email), parsed<domain::UserId>("cuser0000" + name), now);
  const auto token = eventstore::make_invitation_token(entropy);
  using Invites = stores::AccountRepository::Invites;
  accounts.issue_invitation(user.id, token.hash, resets ? Invites::kReset : Invites::kNewcomer, now);
  return {user.id, email, token.text};
}

PasskeyCall ask_challenge(const TestService& service, const std::string& purpose, const std::string& token) {
  const auto answer = expect(
      201, service.send("POST", "/api/v1/sign-ins/challenge", token, R"({"purpose":")" + purpose + "\"}"));
  return {.challenge_id = answer.at("/data/challengeId"),
          .word = {.origin = kOrigin, .challenge = answer.at("/data/publicKey/challenge")}};
}

std::string passkey_body(const SoftAuthenticator& authenticator, const PasskeyCall& call,
                         const std::string& user_handle) {
  const auto client_data = call.word.client_data(http::Ceremony::kGet);
  const auto data = authenticator.authenticator_data();
  return R"({"passkey":{"challengeId":")" + call.challenge_id + R"(","credentialId":)" +
         text(authenticator.credential) + R"(,"authenticatorData":)" + text(data) + R"(,"clientDataJson":)" +
         text(client_data) + R"(,"signature":)" + text(authenticator.sign(data, client_data)) +
         R"(,"userHandle":)" + text(user_handle) + "}}";
}

std::string registration_body(const SoftAuthenticator& authenticator, const PasskeyCall& call,
                              const std::string& name) {
  return R"({"challengeId":")" + call.challenge_id + R"(","name":")" + name + R"(","credentialId":)" +
         text(authenticator.credential) + R"(,"clientDataJson":)" +
         text(call.word.client_data(http::Ceremony::kCreate)) + R"(,"authenticatorData":)" +
         text(authenticator.attested_data()) + R"(,"publicKey":)" + text(authenticator.public_key()) +
         R"(,"algorithm":)" + std::to_string(authenticator.algorithm()) + "}";
}

std::string password_body(const std::string& email, const std::string& password, const std::string& second,
                          const std::string& code) {
  return R"({"email":")" + email + R"(","password":")" + password + R"(",")" + second + R"(":")" + code +
         "\"}";
}

HttpAnswer sign_in_with(const TestService& service, const std::string& body) {
  return service.send("POST", "/api/v1/sign-ins", "", body);
}

std::string PasskeyAccount::sign_in(const TestService& service) const {
  return expect(201, sign_in_with(service, answer(ask_challenge(service, "sign_in")))).at("/data/token");
}

PasskeyAccount with_passkey(TestService& service, const std::string& name) {
  PasskeyAccount account{{by_invitation(service, name)},
                         SoftAuthenticator(http::kEs256, "credential of " + name)};
  const auto call = ask_challenge(service, "register", account.token);
  expect(201, service.send("POST", "/api/v1/me/passkeys", account.token,
                           registration_body(account.authenticator, call)));
  return account;
}

std::string PasswordAccount::code(TestService& service, std::int64_t aside) const {
  return http::totp_code(secret, http::totp_step(service.clock().now()) + aside);
}

PasswordAccount with_password(TestService& service, const std::string& name) {
  PasswordAccount account{{by_invitation(service, name)}, "correct horse battery", {}, {}};
  const auto& token = account.token;
  expect(200,
         service.send("POST", "/api/v1/me/password", token, R"({"password":")" + account.password + "\"}"));
  account.secret =
      bytes_of_base32(expect(201, service.send("POST", "/api/v1/me/totp", token)).at("/data/secret"));
  const auto enabled = expect(
      200, service.send("POST", "/api/v1/me/totp", token, R"({"code":")" + account.code(service) + "\"}"));
  for (std::size_t i = 0; i < stores::kRecoveryCodes; ++i)
    account.recovery_codes.push_back(enabled.at("/data/recoveryCodes/" + std::to_string(i)));
  return account;
}

}  // namespace pixledger::tests
