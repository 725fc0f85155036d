#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "stores/accounts/account_repository.h"
#include "tools/cli/command_context.h"

// The people who may sign in for a project. Who they are stands in the accounts, what they may do in the
// ledger.
namespace pixledger::tools {

struct UserInvitation {
  domain::ProjectId project;
  EmailAddress email;
  domain::Role role;
  bool resets = false;  // also who has set what they sign in with; that is void once the invitation is used
};
struct InvitedUser {
  domain::UserId user;
  std::optional<std::string> token;         // nullopt: they sign in with what they have set
  std::optional<domain::Role> role_before;  // where they were a member already, with another one
};

// Makes somebody a member, with an account where they have none. Who is in another project is taken with
// `resets` alone, and what they have set is void at once, since it would be good here, too. nullopt when it
// was refused; the reason is on stderr then. Throws what log and accounts do.
std::optional<InvitedUser> invite_user(CommandContext& context, eventstore::Ledger& ledger,
                                       stores::AccountRepository& accounts, const UserInvitation& invitation);

// From one project, or from all. Whoever is in none any more has no account, either. False when it was
// refused, and nothing has changed; the reason is on stderr then. Throws as above.
bool remove_user(CommandContext& context, eventstore::Ledger& ledger, stores::AccountRepository& accounts,
                 const domain::UserId& user, const std::optional<domain::ProjectId>& project);

struct ListedUser {
  domain::UserId id;
  std::optional<domain::ProjectId> project{};  // nullopt: in none, as a command that was ended leaves it
  std::optional<domain::Member> member{};      // there with the project
  std::optional<stores::UserState> account{};
};

// The members of a project, or of all and then who has an account alone. `accounts` is null where there are
// none.
std::vector<ListedUser> list_users(const eventstore::Log& log, const stores::AccountRepository* accounts,
                                   const std::optional<domain::ProjectId>& project, Timestamp now);

}  // namespace pixledger::tools
