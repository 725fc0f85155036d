#include <iostream>

#include "base/platform/json.h"
#include "base/process/service_options.h"
#include "eventstore/keys/user_tokens.h"
#include "stores/databases/account_store.h"
#include "tools/cli/aggregates.h"
#include "tools/cli/table.h"
#include "tools/commands/commands.h"
#include "tools/operations/up_pages.h"
#include "tools/operations/users.h"

namespace pixledger::tools {
namespace {

using domain::ProjectId;
using domain::UserId;
using stores::AccountRepository;

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
    std::cout << "\nWhoever opens it is this user: give it to nobody else. It is good once, for 24 hours.\n";
  else
    std::cout << "\nThe user signs in with what they have set. Who has lost it is invited with --reset.\n";
}

int invite(CommandContext& context, const UserOptions& options) {
  const auto url = dashboard_url(context, options.dashboard_url);
  const UserInvitation invitation{parse_project(options.project),
                                  parse_option<EmailAddress>("--email", options.email),
                                  domain::parse_role(options.role).value(), options.resets};
  auto ledger = context.open();
  if (!find_project(*ledger.log, invitation.project)) return say_no(domain::Rejection::kProjectNotFound);
  const auto accounts = stores::open_accounts(context.common.data);
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
  if (auto database = stores::look_at_accounts(context.common.data))
    accounts = std::make_unique<AccountRepository>(std::move(database));
  print_users(context, list_users(*log, accounts.get(), project, context.clock.now()));
  return kExitDone;
}

// nullopt: nobody has the address.
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
  const auto accounts = stores::open_accounts(context.common.data);
  const auto user = named_user(options, *accounts);
  if (!user) return say_no("nobody has this e-mail address");
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

  CommandLine command = add_command(group, context, "invite",
                                    "Make somebody a member of a project, and the link that lets them in",
                                    [&context, options] { return invite(context, *options); });
  command.add_option("--project", options->project, "The project's id").required();
  command.add_option("--email", options->email, "Who it is").required();
  command
      .add_option("--role", options->role,
                  "owner (everything), operator (charges, customers and webhooks) or viewer (reads, without "
                  "personal data)")
      .required()
      .one_of({"owner", "operator", "viewer"});
  command.add_flag("--reset", options->resets,
                   "For who has lost what they sign in with: it is void in all their projects once the "
                   "invitation is used, and at once where they are in another project, too");
  add_dashboard_url_option(command, options->dashboard_url);
  add_json_option(command, context);

  command = add_command(group, context, "list", "Members, with their roles and what they sign in with",
                        [&context, options] { return list_project_users(context, *options); });
  command.add_option("--project", options->project, "The project's id; all of them unless given");
  add_json_option(command, context);

  command = add_command(group, context, "remove", "End somebody's membership at once",
                        [&context, options] { return remove_user(context, *options); });
  command.add_option("--project", options->project,
                     "The project's id; all that they are in unless given. Who is in none any more has no "
                     "account, either");
  command.add_option("--email", options->email, "Who it is");
  command.add_option("--user-id", options->user_id, "Who it is, by their id");
  add_json_option(command, context);
}

}  // namespace pixledger::tools
