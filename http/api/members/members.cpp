#include "http/api/members/members.h"

#include <algorithm>

#include "eventstore/keys/user_tokens.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/platform/json.h"
#include "eventstore/reading/memberships.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/accounts/webauthn.h"
#include "http/api/common/command_reply.h"
#include "http/api/common/project_of.h"
#include "http/front/caller.h"
#include "http/front/refusals.h"
#include "http/routing/input.h"
#include "projections/accounts/account_repository.h"
#include "projections/deliveries/channel_secret.h"

namespace pixledger::http {
namespace {

using domain::UserId;
using eventstore::Completed;
using Invites = projections::AccountRepository::Invites;

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

// Members of the object that is open. Of an account that is not there, which a restore may have lost, nothing
// is known.
void write_member(eventstore::Json& json, const Services& services, const domain::Member& member) {
  const auto state = services.accounts.user_state(member.user, services.clock.now());
  json.field("userId", member.user);
  json.field("email", state ? std::optional(state->user.email) : std::nullopt);
  json.field("role", member.role).field("addedAt", member.added_at);
  json.field("invitationPending", state && state->invitation_pending);
  json.field("lastSignInAt", state ? state->last_sign_in_at : std::nullopt);
}

// `url` and `expiresAt`, into the object that is open. What the user has set is void once it is used.
// `email`: of the account, which whoever was refused may have removed; none: it has to be there.
void write_invitation(eventstore::Json& json, const Services& services, const UserId& user,
                      const domain::EmailAddress* email = nullptr) {
  const auto token = eventstore::make_invitation_token(services.entropy);
  const auto now = services.clock.now();
  const auto issue = [&] {
    return services.accounts.issue_invitation(user, token.hash, Invites::kReset, now);
  };
  const auto make_again = [&] {
    return email && services.accounts.make_user(*email, user, now).id == user && issue();
  };
  if (!issue() && !make_again()) throw std::runtime_error("the account of a member was removed meanwhile");
  json.field("url", eventstore::invitation_url(services.relying_party.origin, token.text));
  json.field("expiresAt", now.plus_millis(projections::kInvitationMs));
}

Reply email_refused(const Request& request) {
  return validation_reply(request, {{"email", kInOtherProjects}});
}

// Somebody else may have added them to another project meanwhile: then they are in neither by this.
Answer take_back(const Request& request, const UserId& user) {
  return execute(request, domain::RemoveMember{request.caller->project, user}, std::nullopt,
                 [&request](const Completed&) { return email_refused(request); });
}

Answer render_added(const Services& services, const Request& request, const projections::User& user,
                    const Completed& completed) {
  const auto& project = request.caller->project;
  const bool is_new =
      completed.count > 0 && std::holds_alternative<domain::MemberAdded>(
                                 std::get<domain::TeamEvent>(completed.events().front().event));
  if (is_new && is_in_others(services, user.id, project)) return take_back(request, user.id);
  const auto team = services.history.as<domain::Team>(domain::team_stream(project), completed.as_of);
  const auto* member = domain::find_member(team ? &*team : nullptr, user.id);
  if (!member) throw eventstore::LogCorrupt("a member that was added is not in the ledger");
  eventstore::Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  json.field("userId", user.id).field("email", user.email).field("role", member->role);
  if (is_new)
    write_invitation(json, services, user.id, &user.email);
  else
    json.null("url").null("expiresAt");
  json.end_object().end_object();
  return Reply{201, json.take()};
}

}  // namespace

Reply list_members(const Services& services, const Request& request) {
  Input input(request);
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto state = services.states.find(domain::team_stream(caller.project), caller.arrival);
  eventstore::Json json;
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
  const auto email = body.required<domain::EmailAddress>("email");
  const auto role = body.required<RoleText>("role");
  if (!input.finish()) return input.refusal();
  const auto& project = request.caller->project;
  const auto known = services.accounts.find_user(*email);
  if (known && is_in_others(services, known->id, project)) return email_refused(request);
  const auto minted = projections::new_channel_id(services.log, services.clock, services.entropy);
  const auto fresh = *UserId::parse(minted.text());
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
                   eventstore::Json json;
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
  return execute(
      request, domain::RemoveMember{request.caller->project, *id}, std::nullopt,
      [&services, id = *id](const Completed&) {
        if (eventstore::memberships_of(services.log, services.states, services.log.head(), id).empty())
          services.accounts.remove_user(id);
        eventstore::Json json;
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
  if (is_in_others(services, *id, project))
    return lacks_role(request,
                      "This member is in other projects, too: an operator invites them anew, with pixledger "
                      "user invite --reset.");
  return execute(request, domain::InviteMember{project, *id}, std::nullopt,
                 [&services, id = *id](const Completed&) {
                   eventstore::Json json;
                   json.begin_object().field("success", true).key("data").begin_object();
                   json.field("userId", id);
                   write_invitation(json, services, id);
                   json.end_object().end_object();
                   return Reply{201, json.take()};
                 });
}

}  // namespace pixledger::http
