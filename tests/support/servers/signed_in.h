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
  std::map<std::string, std::string> headers;  // that name the project
};
SignedIn sign_in(TestService& service, const domain::ProjectId& project, domain::Role role,
                 const std::string& name = "ana");

// The same for somebody who has come by their invitation, and has set nothing yet.
SignedIn sign_in_by_invitation(TestService& service, const domain::ProjectId& project, domain::Role role,
                               const std::string& name = "ana");

// Acts as that user, in the live world unless the headers say otherwise.
HttpAnswer send_as(const TestService& service, const SignedIn& user, const std::string& method,
                   const std::string& path, const std::string& body = "",
                   std::map<std::string, std::string> headers = {});

}  // namespace pixledger::tests
