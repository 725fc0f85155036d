#include "tests/support/servers/signed_in.h"

#include "base/platform/sha256.h"
#include "domain/decisions/command.h"
#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

SignedIn sign_in_by_invitation(TestService& service, const domain::ProjectId& project, domain::Role role,
                               const std::string& name) {
  auto& accounts = service.accounts();
  const auto now = service.clock().now();
  const auto user = accounts
                        .make_user(parsed<EmailAddress>(name + "@example.com"),
                                   parsed<domain::UserId>("cuser0000" + name), now)
                        .id;
  service.execute(domain::AddMember{project, user, role});
  const auto invitation = sha256("invitation of " + name);
  accounts.issue_invitation(user, invitation, stores::AccountRepository::Invites::kReset, now);
  constexpr std::size_t kCharacters = 43;
  const auto token = "us_" + name + std::string(kCharacters - name.size(), '0');
  const auto id = parsed<domain::SignInId>("csignin00" + name);
  if (!accounts.use_invitation(
          invitation, {.id = id, .token_hash = sha256(token), .address = "127.0.0.1", .user_agent = "tests"},
          now))
    throw std::runtime_error("the invitation of " + name + " is not good");
  return {.user = user, .id = id, .token = token, .headers = {{"Pixledger-Project", project.text()}}};
}

SignedIn sign_in(TestService& service, const domain::ProjectId& project, domain::Role role,
                 const std::string& name) {
  auto signed_in = sign_in_by_invitation(service, project, role, name);
  const auto now = service.clock().now();
  const stores::Passkey passkey{.credential = "passkey of " + name,
                                .name = "phone",
                                .public_key = "none that is used",
                                .algorithm = -7,
                                .created_at = now};
  service.accounts().add_passkey({signed_in.user, signed_in.id}, passkey, sha256("challenge of " + name),
                                 now.plus_millis(60'000), now);
  return signed_in;
}

HttpAnswer send_as(const TestService& service, const SignedIn& user, const std::string& method,
                   const std::string& path, const std::string& body,
                   std::map<std::string, std::string> headers) {
  headers.insert(user.headers.begin(), user.headers.end());
  return service.send(method, path, user.token, body, headers);
}

}  // namespace pixledger::tests
