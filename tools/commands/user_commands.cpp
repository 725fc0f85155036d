#include <algorithm>
#include <iostream>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/platform/json.h"
#include "base/process/service_options.h"
#include "domain/aggregates/project.h"
#include "domain/aggregates/team.h"
#include "domain/decisions/rejection.h"
#include "eventstore/keys/tokens.h"
#include "eventstore/reading/projects.h"
#include "eventstore/reading/state_reader.h"
#include "stores/accounts/account_repository.h"
#include "stores/databases/account_database.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/command_context.h"
#include "tools/cli/terminal.h"
#include "tools/commands/commands.h"
#include "tools/operations/up_pages.h"

namespace pixledger::tools {
namespace {

// The users of a project. Their identities are in the accounts, their roles in the ledger.

struct UserInvitation {
  domain::ProjectId project;
  EmailAddress email;
  domain::Role role;
  bool resets = false;  // also for a user with credentials, which become void once the invitation is used
};

struct InvitedUser {
  domain::UserId user;
  std::optional<std::string> token;         // nullopt: the user signs in with existing credentials
  std::optional<domain::Role> role_before;  // set if the user was already a member with another role
};

struct ListedUser {
  domain::UserId id;
  std::optional<domain::ProjectId> project{};  // nullopt: in no project, as after an interrupted command
  std::optional<domain::Member> member{};      // set with the project
  std::optional<stores::UserState> account{};
};

using domain::ProjectId;
using domain::UserId;
using stores::AccountRepository;
using Invites = AccountRepository::Invites;

constexpr std::size_t kUsersAtATime = 1'000;

std::vector<ProjectId> projects_of(const eventstore::Log& log, const UserId& user) {
  eventstore::StateReader states(log);
  std::vector<ProjectId> projects;
  for (const auto& membership : eventstore::memberships_of(log, states, log.head(), user))
    projects.push_back(membership.project);
  return projects;
}

// Checked before the first of several removals, so that a rejection changes nothing.
bool is_last_owner_of(const eventstore::Log& log, const ProjectId& project, const UserId& user) {
  const auto team = team_of(log, project);
  const auto* member = domain::find_member(&team, user);
  return member && domain::is_last_owner(team, *member);
}

// E-mail addresses are never verified. An inviter in one project may have set the user's credentials, or be
// signed in to set them. So another project must not rely on them.
std::optional<ProjectId> other_project_of(const eventstore::Log& log, const UserInvitation& invitation,
                                          const UserId& user) {
  const auto projects = projects_of(log, user);
  const auto other = std::find_if(projects.begin(), projects.end(),
                                  [&](const ProjectId& each) { return each != invitation.project; });
  return other == projects.end() ? std::nullopt : std::optional(*other);
}

std::optional<domain::Role> other_role_of(const eventstore::Log& log, const UserInvitation& invitation,
                                          const UserId& user) {
  const auto team = team_of(log, invitation.project);
  const auto* member = domain::find_member(&team, user);
  return member && member->role != invitation.role ? std::optional(member->role) : std::nullopt;
}

std::optional<InvitedUser> refuse_relying_on(const ProjectId& other, const UserInvitation& invitation) {
  say_no(invitation.email.text() + " signs in for the project " + other.text() +
         ", whose owners may have set how: invite with --reset, so that they begin anew in both");
  return std::nullopt;
}

bool remove_everywhere(CommandContext& context, eventstore::Ledger& ledger, const UserId& user) {
  const auto projects = projects_of(*ledger.log, user);
  for (const auto& project : projects) {
    if (!is_last_owner_of(*ledger.log, project, user)) continue;
    say_no(project.text() + ": " + std::string(domain::row_of(domain::Rejection::kLastOwner).told_operator));
    return false;
  }
  for (const auto& project : projects)
    if (!execute(context, ledger, domain::RemoveMember{project, user})) return false;
  return true;
}

void list_team(std::vector<ListedUser>& listed, const eventstore::Log& log, const AccountRepository* accounts,
               const ProjectId& project, Timestamp now) {
  for (const auto& member : team_of(log, project).members) {
    ListedUser user{.id = member.user, .project = project, .member = member};
    if (accounts) user.account = accounts->user_state(member.user, now);
    listed.push_back(std::move(user));
  }
}

void list_who_is_in_none(std::vector<ListedUser>& listed, const AccountRepository& accounts, Timestamp now) {
  std::set<std::string> members;
  for (const auto& user : listed) members.insert(user.id.text());
  std::string after;
  for (;;) {
    const auto some = accounts.users(after, kUsersAtATime);
    for (const auto& user : some) {
      after = user.id.text();
      if (members.contains(after)) continue;
      listed.push_back({.id = user.id, .account = accounts.user_state(user.id, now)});
    }
    if (some.size() < kUsersAtATime) return;
  }
}

// Adds a member, and creates a missing account. A user of another project needs `resets`, and loses their
// credentials at once, because these would be valid here too. Nullopt if rejected, with the reason on stderr.
// Propagates errors of log and accounts.
std::optional<InvitedUser> invite_user(CommandContext& context, eventstore::Ledger& ledger,
                                       AccountRepository& accounts, const UserInvitation& invitation) {
  const auto fresh = eventstore::fresh_id<UserId>(*ledger.log, context.clock, context.entropy);
  const auto user = accounts.make_user(invitation.email, fresh, context.clock.now()).id;
  const auto other = other_project_of(*ledger.log, invitation, user);
  if (other && !invitation.resets) return refuse_relying_on(*other, invitation);
  const auto before = other_role_of(*ledger.log, invitation, user);
  // Before the membership: afterwards these credentials would give access here.
  if (other) accounts.void_credentials(user, context.clock.now());
  if (!execute(context, ledger, domain::AddMember{invitation.project, user, invitation.role})) {
    // Another caller may have found the account meanwhile, and made it a member.
    if (user == fresh && projects_of(*ledger.log, fresh).empty()) accounts.remove_user_without_use(fresh);
    return std::nullopt;
  }
  // Another operator may have added them elsewhere meanwhile: then this command adds them to neither.
  if (const auto since = other_project_of(*ledger.log, invitation, user); since && !other) {
    execute(context, ledger, domain::RemoveMember{invitation.project, user});
    return refuse_relying_on(*since, invitation);
  }
  if (!invitation.resets && accounts.credentials(user).suffice())
    return InvitedUser{user, std::nullopt, before};
  if (invitation.resets && !execute(context, ledger, domain::InviteMember{invitation.project, user}))
    return std::nullopt;
  auto token = eventstore::make_invitation_token(context.entropy);
  const auto invites = invitation.resets ? Invites::kReset : Invites::kNewcomer;
  if (!accounts.issue_invitation(user, token.hash, invites, context.clock.now()))
    throw std::runtime_error("the account was removed meanwhile; do it again");
  return InvitedUser{user, std::move(token.text), before};
}

// Removes a user from one project or from all, and the account of a user without projects. Returns false
// without any change if rejected, with the reason on stderr. Throws as above.
bool remove_user(CommandContext& context, eventstore::Ledger& ledger, AccountRepository& accounts,
                 const UserId& user, const std::optional<ProjectId>& project) {
  const auto begun_at = context.clock.now();
  if (project && !execute(context, ledger, domain::RemoveMember{*project, user})) return false;
  if (!project && !remove_everywhere(context, ledger, user)) return false;
  if (projects_of(*ledger.log, user).empty()) accounts.remove_user(user, begun_at);
  return true;
}

// Members of a project, or of all projects, followed by accounts without a project. `accounts` is null if
// there are none.
std::vector<ListedUser> list_users(const eventstore::Log& log, const AccountRepository* accounts,
                                   const std::optional<ProjectId>& project, Timestamp now) {
  std::vector<ListedUser> listed;
  if (project) {
    list_team(listed, log, accounts, *project, now);
    return listed;
  }
  for (const auto& each : all_projects(log)) list_team(listed, log, accounts, each.id, now);
  if (accounts) list_who_is_in_none(listed, *accounts, now);
  return listed;
}

struct UserOptions {
  std::string project;
  std::string email;
  std::string user_id;
  std::string role;
  std::string dashboard_url;
  bool resets = false;
};

std::optional<ProjectId> given_project(const UserOptions& options) {
  return options.project.empty() ? std::nullopt : std::optional(parse_project(options.project));
}

struct DashboardUrl {
  std::string text;
  bool is_guess = false;
};

DashboardUrl dashboard_url(const CommandContext& context, const std::string& given) {
  OptionProblems problems;
  check_dashboard_url(given, problems);
  pixledger::refuse(problems);
  if (!given.empty()) return {given};
  if (auto known = known_dashboard_url(context.common.data.root); !known.empty()) return {std::move(known)};
  return {kDashboardUrl, true};
}

void print_invited(const CommandContext& context, const InvitedUser& invited,
                   const std::optional<std::string>& url) {
  if (context.json) {
    Json json;
    json.begin_object().field("userId", invited.user).field("url", url).end_object();
    std::cout << json.take_line();
    return;
  }
  print_facts(std::cout, {{"user id", invited.user.text()}, {"invitation", url.value_or("none")}});
  if (url)
    std::cout << "\nIt signs in as this user: give it to no other person. It is good once, for 24 hours.\n";
  else
    std::cout << "\nThe user signs in with what they have set. Who has lost it is invited with --reset.\n";
}

std::unique_ptr<AccountRepository> open_accounts_of(const CommandContext& context,
                                                    const eventstore::Ledger& ledger) {
  stores::refuse_emptied_accounts(context.common.data,
                                  [&ledger] { return eventstore::has_members(*ledger.log); });
  return stores::open_accounts(context.common.data);
}

int invite(CommandContext& context, const UserOptions& options) {
  const auto url = dashboard_url(context, options.dashboard_url);
  const UserInvitation invitation{parse_project(options.project),
                                  parse_option<EmailAddress>("--email", options.email),
                                  domain::parse_role(options.role).value(), options.resets};
  auto ledger = context.open();
  if (!find_project(*ledger.log, invitation.project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto accounts = open_accounts_of(context, ledger);
  const auto invited = invite_user(context, ledger, *accounts, invitation);
  if (!invited) return kExitNo;
  std::optional<std::string> opened_at;
  if (invited->token) opened_at = eventstore::invitation_url(url.text, *invited->token);
  if (opened_at && url.is_guess)
    std::cerr << "pixledger: where the dashboard is reached is not known here, and " << url.text
              << " is a guess: where it is elsewhere, put its address in the link's place, and give it from "
                 "now on with "
                 "--dashboard-url\n";
  if (invited->role_before)
    std::cerr << "pixledger: " << options.email << " was a member already, as "
              << domain::to_string(*invited->role_before) << ", and is " << options.role << " from now on\n";
  print_invited(context, *invited, opened_at);
  return kExitDone;
}

std::string credentials_text(const stores::UserState& account) {
  std::string text;
  if (account.credentials.passkeys > 0) text = "passkey";
  if (account.credentials.has_password && account.credentials.has_totp)
    text += text.empty() ? "password" : ", password";
  if (!text.empty()) return text;
  return account.invitation_pending ? "invitation" : "-";
}

void write_user(Json& json, const ListedUser& user) {
  const auto& account = user.account;
  json.begin_object().field("userId", user.id).field("projectId", user.project);
  json.field("email", account ? std::optional(account->user.email) : std::nullopt);
  json.field("role", user.member ? std::optional(user.member->role) : std::nullopt);
  json.field("addedAt", user.member ? std::optional(user.member->added_at) : std::nullopt);
  json.field("hasPasskey", account && account->credentials.passkeys > 0);
  json.field("hasPassword", account && account->credentials.has_password);
  json.field("hasTotp", account && account->credentials.has_totp);
  json.field("invitationPending", account && account->invitation_pending);
  json.field("lastSignInAt", account ? account->last_sign_in_at : std::nullopt).end_object();
}

void print_users(const CommandContext& context, const std::vector<ListedUser>& users) {
  if (context.json) {
    Json json;
    json.begin_array();
    for (const auto& user : users) write_user(json, user);
    std::cout << json.end_array().take_line();
    return;
  }
  if (users.empty()) {
    std::cout << "Nobody may sign in yet: pixledger user invite --project P --email E --role owner\n";
    return;
  }
  std::vector<Row> rows;
  for (const auto& [id, project, member, account] : users) {
    rows.push_back({id.text(), account ? account->user.email.text() : "-", project ? project->text() : "-",
                    member ? std::string(domain::to_string(member->role)) : "-",
                    account ? credentials_text(*account) : "-",
                    account && account->last_sign_in_at ? to_iso8601(*account->last_sign_in_at) : "-"});
  }
  print_table(std::cout, {"USER ID", "E-MAIL", "PROJECT", "ROLE", "SIGNS IN WITH", "LAST SIGN-IN"}, rows);
}

int list_project_users(const CommandContext& context, const UserOptions& options) {
  const auto project = given_project(options);
  const auto log = context.open_log();
  if (project && !find_project(*log, *project)) return say_no(domain::Rejection::kProjectNotFound);
  std::unique_ptr<AccountRepository> accounts;
  if (const auto loss =
          stores::loss_of_accounts(context.common.data, [&log] { return eventstore::has_members(*log); }))
    std::cerr << "pixledger: " << *loss << "; pixledger doctor says what to do\n";
  else if (auto database = stores::look_at_accounts(context.common.data))
    accounts = std::make_unique<AccountRepository>(std::move(database));
  print_users(context, list_users(*log, accounts.get(), project, context.clock.now()));
  return kExitDone;
}

// Nullopt: no user has the address.
std::optional<UserId> named_user(const UserOptions& options, const AccountRepository& accounts) {
  if (!options.user_id.empty()) return parse_option<UserId>("--user-id", options.user_id);
  const auto user = accounts.find_user(parse_option<EmailAddress>("--email", options.email));
  return user ? std::optional(user->id) : std::nullopt;
}

int remove_user(CommandContext& context, const UserOptions& options) {
  if (options.email.empty() == options.user_id.empty())
    throw UsageError("one of --email and --user-id says who is meant");
  const auto project = given_project(options);
  auto ledger = context.open();
  const auto accounts = open_accounts_of(context, ledger);
  const auto user = named_user(options, *accounts);
  if (!user) return say_no("no user has this e-mail address");
  if (!remove_user(context, ledger, *accounts, *user, project)) return kExitNo;
  const bool is_gone = !accounts->user_state(*user, context.clock.now());
  if (context.json) {
    Json json;
    json.begin_object().field("userId", *user).field("removed", true).field("hasAccount", !is_gone);
    std::cout << json.end_object().take_line();
  } else {
    std::cout << "The user " << user->text() << " is removed"
              << (is_gone ? ", with their account.\n" : "; their account stays, for other projects.\n");
  }
  return kExitDone;
}

}  // namespace

void add_user_commands(CommandLine& program, CommandContext& context) {
  CommandLine group = add_group(program, "user", "People who may sign in to the dashboard");
  const auto options = std::make_shared<UserOptions>();

  CommandLine command =
      add_command(group, context, "invite", "Add a person to a project, and print the link that lets them in",
                  [&context, options] { return invite(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--email", options->email, "Who it is").required();
  command
      .add_option("--role", options->role,
                  "owner (everything), operator (charges, customers and webhooks) or viewer (reads, without "
                  "personal data)")
      .required()
      .one_of({"owner", "operator", "viewer"});
  command.add_flag(
      "--reset", options->resets,
      "For a member who has lost their passkeys or password: these are void in all projects once the "
      "invitation is used, and at once if the member is also in another project");
  add_dashboard_url_option(command, options->dashboard_url);
  add_json_option(command, context);

  command = add_command(group, context, "list", "Members, with their roles and what they sign in with",
                        [&context, options] { return list_project_users(context, *options); });
  command.add_option("--project", options->project, "The project's id; all of them unless given");
  add_json_option(command, context);

  command = add_command(group, context, "remove", "End a person's membership at once",
                        [&context, options] { return remove_user(context, *options); });
  command.add_option("--project", options->project,
                     "The project's id; all that they are in unless given. Who is in none any more has no "
                     "account, either");
  command.add_option("--email", options->email, "Who it is");
  command.add_option("--user-id", options->user_id, "Who it is, by their id");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
