#pragma once

#include <map>
#include <string>

#include "domain/aggregates/team.h"
#include "tests/support/servers/test_service.h"

namespace pixledger::tests {

// A member of a project who has signed in with a passkey, just now.
struct SignedIn {
  domain::UserId user;
  domain::SignInId id;
  std::string token;
  std::map<std::string, std::string> headers;  // name the project
};
SignedIn sign_in(TestService& service, const domain::ProjectId& project, domain::Role role,
                 const std::string& name = "ana");

// The same for a member who has used their invitation, and has set neither passkey nor password.
SignedIn sign_in_by_invitation(TestService& service, const domain::ProjectId& project, domain::Role role,
                               const std::string& name = "ana");

// Calls as that user, in the live environment unless the headers say otherwise.
HttpAnswer send_as(const TestService& service, const SignedIn& user, const std::string& method,
                   const std::string& path, const std::string& body = "",
                   std::map<std::string, std::string> headers = {});

}  // namespace pixledger::tests
