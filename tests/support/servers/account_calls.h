#pragma once

#include <string>

#include "tests/support/servers/soft_authenticator.h"
#include "tests/support/servers/test_service.h"

// Requests that a browser sends to sign in.
namespace pixledger::tests {

struct Invited {
  domain::UserId user;
  std::string email;
  std::string token;  // of the invitation
};
// A user with an invitation; a member of no project.
Invited invite(TestService& service, const std::string& name = "ana", bool resets = false);

// The result of navigator.credentials, as it is posted; tests change a field to make it invalid.
struct PasskeyCall {
  std::string challenge_id;
  BrowserWord word;
};
// Requests a challenge, with a token if the purpose needs one.
PasskeyCall ask_challenge(const TestService& service, const std::string& purpose,
                          const std::string& token = "");
// {"passkey":{…}}, as in a sign-in or a confirmation.
std::string passkey_body(const SoftAuthenticator& authenticator, const PasskeyCall& call,
                         const std::string& user_handle);
// As in POST /me/passkeys.
std::string registration_body(const SoftAuthenticator& authenticator, const PasskeyCall& call,
                              const std::string& name = "laptop");
std::string password_body(const std::string& email, const std::string& password, const std::string& second,
                          const std::string& code);

HttpAnswer sign_in_with(const TestService& service, const std::string& body);

// A user who has set a passkey or a password, by their invitation.
struct Account {
  Invited invited;
  std::string token;  // of the sign-in by the invitation
};
struct PasskeyAccount : Account {
  SoftAuthenticator authenticator;

  // The body that signs in, or confirms.
  std::string answer(const PasskeyCall& call) const {
    return passkey_body(authenticator, call, invited.user.text());
  }
  // Signs in. Returns the token.
  std::string sign_in(const TestService& service) const;
};
PasskeyAccount with_passkey(TestService& service, const std::string& name = "ana");

struct PasswordAccount : Account {
  std::string password;
  std::string secret;                       // of the codes
  std::vector<std::string> recovery_codes;  // as they were shown

  // The code of the current time step plus `aside`.
  std::string code(TestService& service, std::int64_t aside = 0) const;
  std::string body(TestService& service, std::int64_t aside = 0) const {
    return password_body(invited.email, password, "totp", code(service, aside));
  }
};
PasswordAccount with_password(TestService& service, const std::string& name = "ana");

}  // namespace pixledger::tests
