#include "http/front/authentication.h"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/http/json/error_reply.h"
#include "eventstore/keys/user_tokens.h"
#include "eventstore/log/log.h"
#include "http/front/bearer.h"
#include "http/front/caller.h"
#include "http/front/key_authentication.h"
#include "http/front/preparation.h"
#include "http/front/refusals.h"
#include "http/front/role_scopes.h"
#include "http/services/sign_in_watch.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

constexpr const char* kProjectHeader = "Pixledger-Project";
constexpr const char* kUserHeader = "Pixledger-User";
constexpr const char* kEnvironmentHeader = "Pixledger-Environment";
constexpr std::string_view kTokenName = "/:token";
constexpr std::string_view kTokenPrefix = "/api/v1/payer/sessions/";

// Where the headers say that the user acts.
struct Place {
  std::optional<domain::ProjectId> project;
  domain::Environment environment = domain::Environment::kLive;
};

Place read_place(const Request& request, Violations& violations) {
  Place place;
  const auto project = request.headers.find(kProjectHeader);
  if (project && request.headers.count(kProjectHeader) == 1)
    place.project = domain::ProjectId::parse(*project);
  if (!place.project)
    violations.push_back({kProjectHeader, "must be sent once, with the id of a project of yours"});
  const auto environment = request.headers.find(kEnvironmentHeader);
  if (!environment) return place;
  const auto parsed = domain::parse_environment(*environment);
  if (parsed && request.headers.count(kEnvironmentHeader) == 1)
    place.environment = *parsed;
  else
    violations.push_back({kEnvironmentHeader, "must be live or sandbox"});
  return place;
}

Reply cannot_tell(const Request& request) {
  return transport_error_reply(request, 503, "The service cannot tell now who has signed in. Try again.");
}

// The user's role in the project; nullopt for a user who is not a member.
std::optional<domain::Role> role_of(eventstore::StateReader& states, const Head& head,
                                    const domain::ProjectId& project, const domain::UserId& user) {
  const auto state = states.find(domain::team_stream(project), head);
  const auto* member = domain::find_member(state ? std::get_if<domain::Team>(state.get()) : nullptr, user);
  return member ? std::optional(member->role) : std::nullopt;
}

Reply refuse_role(const Request& request, domain::Role role) {
  return lacks_role(request, "Your role, " + std::string(domain::to_string(role)) + ", does not allow this.");
}

// refuse_lack_of_scope for a signed-in member.
std::optional<Reply> refuse_role_without(const Request& request, std::string_view scope) {
  const auto role = request.caller->user->role.value();
  if (allows(role, scope)) return std::nullopt;
  return refuse_role(request, role);
}

// In the project that the request names.
std::optional<Reply> admit_member(const GuardServices& services, Request& request, const Route& route,
                                  const stores::SignIn& sign_in, Caller caller) {
  Violations violations;
  auto place = read_place(request, violations);
  if (!violations.empty()) return validation_reply(request, std::move(violations));
  caller.project = *place.project;
  caller.environment = place.environment;
  const auto role = role_of(services.states, caller.arrival, caller.project, sign_in.user);
  if (!role) return lacks_role(request, "You are no member of this project.");
  caller.user->role = role;
  request.caller = std::make_shared<const Caller>(std::move(caller));
  if (route.scope == kPayerScope) return refuse_role(request, *role);
  return refuse_role_without(request, route.scope);
}

// Admits a user by the token of a sign-in: an error reply, or nullopt once the request's caller is set.
std::optional<Reply> admit_user(const GuardServices& services, Request& request, const Route& route) {
  const auto lookup = request.sign_in;
  if (!lookup || !lookup->is_known) return cannot_tell(request);
  if (!lookup->sign_in) return refuse_unauthenticated(services, request, kSignInCode, kSignInEnded);
  const auto& sign_in = *lookup->sign_in;
  Caller caller{.project = of_no_project(),
                .environment = domain::Environment::kLive,
                .arrival = arrival_of(request),
                .user = UserCaller{.id = sign_in.user,
                                   .sign_in = sign_in.id,
                                   .is_confirmed = sign_in.is_confirmed(services.clock.now()),
                                   .role = std::nullopt}};
  request.caller = std::make_shared<const Caller>(caller);
  // For who passes on what people ask, and shares its places among them.
  if (request.headers.find(kAddressHeader))
    request.reply_headers.push_back({kUserHeader, sign_in.user.text()});
  if (auto refused = refuse_for_rate(services, request, sign_in.user.text(), caller.environment))
    return refused;
  const bool is_account = route.scope == kAccountScope;
  if (!is_account && !sign_in.has_credentials)
    return lacks_role(request, "Set a passkey, or a password with TOTP, first.");
  if (!is_account)
    if (auto refused = admit_member(services, request, route, sign_in, std::move(caller))) return refused;
  if (route.asks_confirmation && !request.caller->user->is_confirmed) return lacks_confirmation(request);
  return std::nullopt;
}

// refuse_ended_caller for a signed-in user.
std::optional<Reply> refuse_ended_sign_in(const Services& services, const Request& request) {
  const auto& caller = *request.caller;
  const auto& user = *caller.user;
  using Verdict = SignInWatch::Verdict;
  const auto verdict = services.sign_in_watch.ask(user.sign_in);
  if (verdict == Verdict::kHasEnded) return sign_in_failed(request);
  if (verdict == Verdict::kUnknown) return cannot_tell(request);
  if (role_of(services.states, services.log.head(), caller.project, user.id) != user.role)
    return lacks_role(request, "Your role in this project has changed.");
  return std::nullopt;
}

// The token in the path; empty if the route has none.
std::string_view token_in(const Request& request) {
  const std::string_view path = request.path;
  if (!path.starts_with(kTokenPrefix)) return {};
  const auto rest = path.substr(kTokenPrefix.size());
  return rest.substr(0, rest.find('/'));
}

// Admits the web key: an error reply, or nullopt once the request's caller is set.
std::optional<Reply> admit_web(const GuardServices& services, Request& request, const Route& route) {
  const auto head = arrival_of(request);
  Caller caller{.project = of_no_project(), .environment = domain::Environment::kLive, .arrival = head};
  if (route.pattern.find(kTokenName) != std::string_view::npos) {
    const auto id = services.checkout.session_of(token_in(request));
    const auto state = id ? services.states.find(domain::checkout_stream(*id), head) : nullptr;
    const auto* session = state ? std::get_if<domain::CheckoutSession>(state.get()) : nullptr;
    if (!session)
      return error_reply(
          request,
          {.status = 404, .code = "ERR_CHECKOUT_001", .message = "There is no such checkout session."});
    caller.project = session->project;
    caller.environment = session->environment;
    caller.payer_of = session->id;
  }
  request.caller = std::make_shared<const Caller>(std::move(caller));
  return std::nullopt;
}

std::optional<Reply> admit(const GuardServices& services, Request& request, const Route& route) {
  const auto bearer = bearer_of(request);
  if (is_web_key_for(services.checkout, bearer, route)) return admit_web(services, request, route);
  if (bearer.starts_with(eventstore::kSignInTokenStart)) return admit_user(services, request, route);
  return admit_key(services, request, route);
}

}  // namespace

bool is_web_key_for(const CheckoutLinks& checkout, std::string_view bearer, const Route& route) {
  return route.scope == kPayerScope && checkout.is_web_key(bearer);
}

Guard make_guard(const GuardServices& services) {
  return [services](Request& request, const Route& route) -> std::optional<Reply> {
    try {
      return admit(services, request, route);
    } catch (const eventstore::LogUnavailable&) {
      return transport_error_reply(request, 503, "The service cannot tell now what is recorded. Try again.");
    }
  };
}

std::optional<Reply> refuse_lack_of_scope(const Services& services, const Request& request,
                                          std::string_view scope) {
  return request.caller->user ? refuse_role_without(request, scope)
                              : refuse_key_without(services, request, scope);
}

std::optional<Reply> refuse_ended_caller(const Services& services, const Request& request) {
  return request.caller->user ? refuse_ended_sign_in(services, request) : refuse_ended_key(services, request);
}

}  // namespace pixledger::http
