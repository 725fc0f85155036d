#include <algorithm>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "eventstore/keys/tokens.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/projects.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/accounts/passkeys.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/front/authentication.h"
#include "http/front/caller.h"
#include "http/routing/input.h"
#include "http/services/sign_in_watch.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

using domain::UserId;
using eventstore::Completed;
using Invites = stores::AccountRepository::Invites;

constexpr const char* kInvitedByOperators =
    "This member is in other projects, too: an operator invites them anew, with pixledger user invite "
    "--reset.";
// The state after a restore without accounts.
constexpr const char* kHasNoAccount =
    "is of a member who has no account any more: remove them, and add them anew by their e-mail address";
constexpr const char* kHasAnotherRole = "is of a member already, who has another role: change it there";
constexpr const char* kInOtherProjects =
    "is of somebody who is in another project already: an operator adds them, with pixledger user invite";

struct RoleText {
  static constexpr std::string_view kRule = "must be owner, operator or viewer";
  static std::optional<RoleText> parse(std::string_view text) {
    const auto role = domain::parse_role(text);
    return role ? std::optional(RoleText{*role}) : std::nullopt;
  }
  domain::Role role;
};

bool is_in_others(const Services& services, const UserId& user, const domain::ProjectId& project) {
  const auto all = eventstore::memberships_of(services.log, services.states, services.log.head(), user);
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.project != project; });
}

bool is_in_none(const Services& services, const UserId& user) {
  return eventstore::memberships_of(services.log, services.states, services.log.head(), user).empty();
}

// Writes members of the open object. The account may be missing after a restore; its fields are null then.
void write_member(Json& json, const Services& services, const domain::Member& member) {
  const auto state = services.accounts.user_state(member.user, services.clock.now());
  json.field("userId", member.user);
  json.field("email", state ? std::optional(state->user.email) : std::nullopt);
  json.field("role", member.role).field("addedAt", member.added_at);
  json.field("invitationPending", state && state->invitation_pending);
  json.field("lastSignInAt", state ? state->last_sign_in_at : std::nullopt);
}

struct Invitation {
  std::string url;
  Timestamp expires_at;
};

// Invites the user; using the invitation voids their credentials. nullopt if they are in another project, or
// join one meanwhile: this invitation must not sign anyone in there. Recreates the account if it was removed
// meanwhile.
std::optional<Invitation> invite(const Services& services, const domain::ProjectId& project,
                                 const stores::User& user) {
  if (is_in_others(services, user.id, project)) return std::nullopt;
  const auto token = eventstore::make_invitation_token(services.entropy);
  const auto now = services.clock.now();
  const auto issue = [&] {
    return services.accounts.issue_invitation(user.id, token.hash, Invites::kReset, now);
  };
  const auto make_again = [&] {
    return services.accounts.make_user(user.email, user.id, now).id == user.id && issue();
  };
  if (!issue() && !make_again()) throw std::runtime_error("the account of a member was removed meanwhile");
  // Issuing it has ended the sign-ins of a user without credentials.
  services.sign_in_watch.ask_now();
  if (is_in_others(services, user.id, project)) {
    services.accounts.void_invitations(user.id);
    return std::nullopt;
  }
  return Invitation{eventstore::invitation_url(services.relying_party.origin, token.text),
                    now.plus_millis(stores::kInvitationMs)};
}

void write_invitation(Json& json, const std::optional<Invitation>& invitation) {
  json.field("url", invitation ? std::optional(invitation->url) : std::nullopt);
  json.field("expiresAt", invitation ? std::optional(invitation->expires_at) : std::nullopt);
}

// An invitation must not change a member's role.
bool has_another_role(const Services& services, const Request& request, const UserId& user,
                      domain::Role role) {
  const auto& caller = *request.caller;
  const auto state = services.states.find(domain::team_stream(caller.project), caller.arrival);
  const auto* member = domain::find_member(&std::get<domain::Team>(*state), user);
  return member && member->role != role;
}

Reply email_refused(const Request& request) {
  return validation_reply(request, {{"email", kInOtherProjects}});
}

// Undoes the addition: the user was added to another project meanwhile.
Answer take_back(const Services& services, const Request& request, const UserId& user) {
  return execute(request, domain::RemoveMember{request.caller->project, user}, std::nullopt,
                 [&services, &request, user](const Completed&) {
                   if (is_in_none(services, user)) services.accounts.remove_user_without_use(user);
                   return email_refused(request);
                 });
}

Answer render_added(const Services& services, const Request& request, const stores::User& user,
                    const Completed& completed) {
  const auto& project = request.caller->project;
  const bool is_new =
      completed.count > 0 && std::holds_alternative<domain::MemberAdded>(
                                 std::get<domain::TeamEvent>(completed.events().front().event));
  const auto invitation = is_new ? invite(services, project, user) : std::nullopt;
  if (is_new && !invitation) return take_back(services, request, user.id);
  const auto team = services.history.as<domain::Team>(domain::team_stream(project), completed.as_of);
  const auto* member = domain::find_member(team ? &*team : nullptr, user.id);
  if (!member) throw eventstore::LogCorrupt("a member that was added is not in the ledger");
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("userId", user.id).field("email", user.email).field("role", member->role);
  write_invitation(json, invitation);
  json.end_object().end_object();
  return Reply{201, json.take()};
}

}  // namespace

Reply list_members(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto state = services.states.find(domain::team_stream(caller.project), caller.arrival);
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (const auto& member : std::get<domain::Team>(*state).members) {
    request.budget.check();
    json.begin_object();
    write_member(json, services, member);
    json.end_object();
  }
  json.end_array().end_object();
  return {200, json.take()};
}

Answer add_member(const Services& services, const Request& request) {
  Input input(request);
  const auto body = input.body();
  const auto email = body.required<EmailAddress>("email");
  const auto role = body.required<RoleText>("role");
  if (!input.finish()) return input.refusal();
  const auto& project = request.caller->project;
  const auto known = services.accounts.find_user(*email);
  if (known && is_in_others(services, known->id, project)) return email_refused(request);
  if (known && has_another_role(services, request, known->id, role->role))
    return validation_reply(request, {{"email", kHasAnotherRole}});
  const auto fresh = eventstore::fresh_id<UserId>(services.log, services.clock, services.entropy);
  const auto user = services.accounts.make_user(*email, fresh, services.clock.now());
  return execute(
      request, domain::AddMember{project, user.id, role->role}, std::nullopt,
      [&services, &request, user](const Completed& completed) {
        return render_added(services, request, user, completed);
      },
      [&services, user, fresh](const Request& asked, domain::Rejection rejection) {
        if (user.id == fresh) services.accounts.remove_user_without_use(fresh);
        return rejection_reply(asked, rejection);
      });
}

Answer change_member(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<UserId>();
  const auto role = input.body().required<RoleText>("role");
  if (!input.finish()) return input.refusal();
  const auto& project = request.caller->project;
  return execute(request, domain::ChangeMemberRole{project, *id, role->role}, std::nullopt,
                 [&services, project, id = *id](const Completed& completed) {
                   const auto team =
                       services.history.as<domain::Team>(domain::team_stream(project), completed.as_of);
                   const auto* member = domain::find_member(team ? &*team : nullptr, id);
                   if (!member) throw eventstore::LogCorrupt("a member that was changed is not there");
                   Json json;
                   json.begin_object().field("success", true).key("data").begin_object();
                   write_member(json, services, *member);
                   json.end_object().end_object();
                   return Reply{200, json.take()};
                 });
}

Answer remove_member(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<UserId>();
  if (!input.finish()) return input.refusal();
  return execute(request, domain::RemoveMember{request.caller->project, *id}, std::nullopt,
                 [&services, id = *id, begun_at = services.clock.now()](const Completed&) {
                   if (is_in_none(services, id)) services.accounts.remove_user(id, begun_at);
                   Json json;
                   json.begin_object().field("success", true).key("data").begin_object();
                   json.field("userId", id).end_object().end_object();
                   return Reply{200, json.take()};
                 });
}

Answer invite_member(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<UserId>();
  if (!input.finish()) return input.refusal();
  const auto& project = request.caller->project;
  const auto state = services.states.find(domain::team_stream(project), request.caller->arrival);
  if (!domain::find_member(&std::get<domain::Team>(*state), *id))
    return rejection_reply(request, domain::Rejection::kMemberNotFound);
  if (is_in_others(services, *id, project)) return lacks_role(request, kInvitedByOperators);
  const auto account = services.accounts.user_state(*id, services.clock.now());
  if (!account) return validation_reply(request, {{"id", kHasNoAccount}});
  return execute(request, domain::InviteMember{project, *id}, std::nullopt,
                 [&services, &request, user = account->user](const Completed&) {
                   const auto invitation = invite(services, request.caller->project, user);
                   if (!invitation) return lacks_role(request, kInvitedByOperators);
                   Json json;
                   json.begin_object().field("success", true).key("data").begin_object();
                   json.field("userId", user.id);
                   write_invitation(json, invitation);
                   json.end_object().end_object();
                   return Reply{201, json.take()};
                 });
}

}  // namespace pixledger::http
