#include "http/front/authentication.h"

#include <cassert>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/http/json/error_reply.h"
#include "base/platform/sha256.h"
#include "base/text/ascii.h"
#include "base/values/ip_address.h"
#include "domain/aggregates/api_key.h"
#include "eventstore/keys/tokens.h"
#include "eventstore/log/log.h"
#include "http/front/caller.h"
#include "http/front/rate_limit.h"
#include "http/services/sign_in_watch.h"
#include "stores/accounts/account_repository.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kSignInCode = "ERR_AUTH_011";
// The address of the browser that the page server calls for.
constexpr const char* kAddressHeader = "Pixledger-Caller-Address";

// 401 with ERR_AUTH_009 for a key, ERR_AUTH_011 for a sign-in.
Reply unauthenticated(const Request& request, std::string_view code, std::string_view message) {
  auto reply = error_reply(request, {.status = 401, .code = code, .message = std::string(message)});
  reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

// 403 ERR_AUTH_010, for a key.
Reply lacks_scope(const Request& request, std::string_view scope) {
  return error_reply(request, {.status = 403,
                               .code = "ERR_AUTH_010",
                               .message = "This API key lacks the scope " + std::string(scope) + "."});
}

// Counts a failure of the request's address. 401, or 429 after too many.
Reply refuse_unauthenticated(const GuardServices& services, const Request& request, std::string_view code,
                             std::string_view message) {
  services.metrics.failed_authentications.Increment();
  const auto wait_s =
      services.failed_authentications.note(request.caller_address, services.clock.boot_millis());
  if (!wait_s) return unauthenticated(request, code, message);
  services.metrics.limited_failed_authentications.Increment();
  return too_many(request, "Too many requests without a valid API key came from this address.", *wait_s);
}

// Counts a request of the key or user and sets the rate headers of its reply. 429 if it is over the rate.
std::optional<Reply> refuse_for_rate(const GuardServices& services, Request& request,
                                     const std::string& whose, domain::Environment environment) {
  if (!services.rate_limiter.limits(environment)) return std::nullopt;
  const auto verdict = services.rate_limiter.take(whose, environment, services.clock.boot_millis());
  request.reply_headers = rate_headers(environment, *verdict);
  if (verdict->allowed) return std::nullopt;
  services.metrics.rate_limited(environment).Increment();
  return too_many(request, "This API key or user sends too many requests; see Retry-After.", verdict->wait_s);
}

// The log's head when the request came. Throws LogUnavailable if it is unknown.
Head arrival_of(const Request& request) {
  if (!request.arrival) throw eventstore::LogUnavailable("how far the log is is not known");
  return *request.arrival;
}

bool is_web_key_for(const CheckoutLinks& checkout, std::string_view bearer, const Route& route) {
  return route.scope == kPayerScope && checkout.is_web_key(bearer);
}

// A caller without a key learns nothing about keys. Only a key's holder is told that it has ended or does not
// allow this address.
constexpr std::string_view kKeyCode = "ERR_AUTH_009";
constexpr std::string_view kNoKey =
    "The API key is missing or not valid. Send it as Authorization: Bearer <API_KEY>.";
constexpr std::string_view kRevoked = "The API key was revoked. Send another one.";
constexpr std::string_view kExpired = "The API key has expired. Send another one.";
constexpr std::string_view kWrongAddress = "The API key may not be used from this address.";

// A usable key, and the log's head as of which it was looked up.
struct Authenticated {
  eventstore::StateReader::Shared state;
  domain::ApiKeyId id;
  Head head;

  const domain::ApiKey& key() const { return std::get<domain::ApiKey>(*state); }
};

// The authenticated key, or the error message.
using Authentication = std::variant<Authenticated, std::string_view>;

// As of the head that `get_head` returns; called only for a well-formed key.
template <class GetHead>
Authentication authenticate(eventstore::StateReader& states, const Clock& clock, const Request& request,
                            const GetHead& get_head) {
  const auto text = bearer_of(request);
  if (!eventstore::parse_api_key(text)) return kNoKey;
  const auto hash = sha256(text);
  const auto id = domain::ApiKeyId::parse(eventstore::api_key_id(hash));
  assert(id);
  const Head head = get_head();
  auto state = states.find(domain::api_key_stream(*id), head);
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (!key || !equal_in_constant_time(bytes_of(key->hash), bytes_of(hash))) return kNoKey;
  if (!domain::is_usable(*key, clock.now())) return key->revoked_at ? kRevoked : kExpired;
  if (!key->allowed_callers.empty() &&
      !domain::accepts_caller(*key, IpAddress::parse(request.caller_address)))
    return kWrongAddress;
  return Authenticated{std::move(state), *id, head};
}

bool has_scope(const domain::ApiKey& key, std::string_view scope) {
  if (scope.empty()) return true;
  if (scope == kPayerScope || is_of_users_alone(scope)) return false;
  const auto needed = domain::ScopeSet::parse(scope);
  assert(needed);
  return key.scopes.allows_all(*needed);
}

// Admits an API key: an error reply, or nullopt once the request's caller is set.
std::optional<Reply> admit_key(const GuardServices& services, Request& request, const Route& route) {
  const auto authentication =
      authenticate(services.states, services.clock, request, [&request] { return arrival_of(request); });
  if (const auto* message = std::get_if<std::string_view>(&authentication))
    return refuse_unauthenticated(services, request, kKeyCode, *message);
  const auto& caller = std::get<Authenticated>(authentication);
  services.key_uses.note(caller.id, services.clock.now());
  const auto& key = caller.key();
  request.caller = std::make_shared<const Caller>(Caller{
      .key = caller.id, .project = key.project, .environment = key.environment, .arrival = caller.head});
  if (auto refused = refuse_for_rate(services, request, caller.id.text(), key.environment)) return refused;
  if (!has_scope(key, route.scope)) return lacks_scope(request, route.scope);
  return std::nullopt;
}

// refuse_lack_of_scope for a caller with a key.
std::optional<Reply> refuse_key_without(const Services& services, const Request& request,
                                        std::string_view scope) {
  const auto& caller = *request.caller;
  const auto state = services.states.find(domain::api_key_stream(*caller.key), caller.arrival);
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (key && has_scope(*key, scope)) return std::nullopt;
  return lacks_scope(request, scope);
}

// Whether the request's key is valid as of a head of the log.
bool lets_key_in(eventstore::StateReader& states, const Clock& clock, const Request& request,
                 const Head& head) {
  const auto judged = authenticate(states, clock, request, [&head] { return head; });
  return std::holds_alternative<Authenticated>(judged);
}

// refuse_ended_caller for a caller with a key.
std::optional<Reply> refuse_ended_key(const Services& services, const Request& request) {
  const auto state = services.states.find(domain::api_key_stream(*request.caller->key), services.log.head());
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (key && domain::is_usable(*key, services.clock.now())) return std::nullopt;
  return unauthenticated(request, kKeyCode, key && !key->revoked_at ? kExpired : kRevoked);
}

constexpr const char* kProjectHeader = "Pixledger-Project";
constexpr const char* kEnvironmentHeader = "Pixledger-Environment";
constexpr std::string_view kTokenName = "/:token";
constexpr std::string_view kTokenPrefix = "/api/v1/payer/sessions/";

// The project and environment that the headers name.
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

// Admits a user to the project that the request names: an error reply, or nullopt.
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
  // For a proxy that shares its capacity among users.
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

constexpr const char* kWebKeyHeader = "Pixledger-Web-Key";

// Whether `arrival` is known at once; if not, the request is prepared later.
bool find_arrival(const eventstore::Log& log, const Responder& responder) {
  auto& request = responder.request();
  request.arrival = log.begin_catch_up([responder](const eventstore::CaughtUp& told) {
    const auto head = told.fault.empty() ? std::optional(told.head) : std::nullopt;
    responder.on_loop([responder, head] {
      responder.request().arrival = head;
      responder.prepared();
    });
  });
  return request.arrival.has_value();
}

// Whether the bearer may be a key, so that the log's head is needed. The checksum rejects mistyped keys.
bool may_be_key(const CheckoutLinks& checkout, std::string_view bearer, const Route& route) {
  return eventstore::parse_api_key(bearer) || is_web_key_for(checkout, bearer, route);
}

// Returns the copy's head if it accepts the key. The copy may be stale: a revocation at another node is found
// when the command is decided. A key that the copy rejects may have been issued elsewhere meanwhile. A node
// with a fault accepts no key this way.
std::optional<Head> arrival_for_command(const PreparationServices& services, const Request& request,
                                        const Route& route) {
  if (!services.cluster || !route.only_commands || !route.only_commands()) return std::nullopt;
  if (!services.cluster->fault().empty()) return std::nullopt;
  const auto head = services.log.head();
  if (!lets_key_in(services.states, services.clock, request, head)) return std::nullopt;
  return head;
}

std::shared_ptr<const SignInLookup> look_up(const PreparationServices& services, const std::string& token) {
  try {
    return std::make_shared<const SignInLookup>(
        SignInLookup{true, services.accounts.find_sign_in(sha256(token), services.clock.now())});
  } catch (const std::exception&) {
    return std::make_shared<const SignInLookup>();
  }
}

constexpr std::string_view kScheme = "bearer ";

constexpr std::string_view kOperatorScopes =
    "transactions:write,customers:write,channels:write,events:write,store:read";
constexpr std::string_view kViewerScopes =
    "transactions:read,customers:read,channels:read,events:read,store:read";

domain::ScopeSet scopes_of(domain::Role role) {
  switch (role) {
    case domain::Role::kOwner:
      return domain::ScopeSet::all();
    case domain::Role::kOperator:
      return *domain::ScopeSet::parse(kOperatorScopes);
    case domain::Role::kViewer:
      break;
  }
  return *domain::ScopeSet::parse(kViewerScopes);
}

}  // namespace

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

std::function<bool(const Responder&)> make_preparation(const PreparationServices& services) {
  return [services](const Responder& responder) {
    auto& request = responder.request();
    const auto& route = services.router.route_of(request);
    const auto bearer = bearer_of(request);
    if (route.is_public) return true;
    if (!bearer.starts_with(eventstore::kSignInTokenStart)) {
      if (!may_be_key(services.checkout, bearer, route)) return true;
      request.arrival = arrival_for_command(services, request, route);
      return request.arrival || find_arrival(services.log, responder);
    }
    if (!eventstore::is_sign_in_token(bearer)) {
      request.sign_in = std::make_shared<const SignInLookup>(SignInLookup{true, std::nullopt});
      return find_arrival(services.log, responder);
    }
    responder.share();
    // The user is still unknown: made-up tokens delay their own address alone.
    const auto line = line_of(request);
    const bool is_asked = services.run_on_pool(line, [services, responder, token = std::string(bearer)] {
      responder.on_loop([services, responder, lookup = look_up(services, token)] {
        responder.request().sign_in = lookup;
        // After the sign-in, so that the user's rights are as of a moment in which it was valid.
        if (find_arrival(services.log, responder)) responder.prepared();
      });
    });
    return is_asked ? false : find_arrival(services.log, responder);
  };
}

void adopt_browser_address(const CheckoutLinks& checkout, Request& request) {
  const auto key = request.headers.find(kWebKeyHeader);
  const auto text = request.headers.find(kAddressHeader);
  if (!key || !text || request.headers.count(kAddressHeader) != 1 || !checkout.is_web_key(*key)) return;
  if (const auto address = IpAddress::parse(*text)) request.caller_address = address->text();
}

std::string_view bearer_of(const Request& request) {
  const auto header = request.headers.find("Authorization");
  if (!header || header->size() <= kScheme.size() || request.headers.count("Authorization") != 1) return {};
  if (!equal_without_case(header->substr(0, kScheme.size()), kScheme)) return {};
  auto bearer = header->substr(kScheme.size());
  while (!bearer.empty() && bearer.front() == ' ') bearer.remove_prefix(1);
  return bearer;
}

Reply sign_in_failed(const Request& request) { return unauthenticated(request, kSignInCode, kSignInEnded); }

Reply lacks_confirmation(const Request& request) {
  return error_reply(request, {.status = 403,
                               .code = "ERR_AUTH_013",
                               .message = "Confirm who you are first: POST "
                                          "/api/v1/sign-ins/current/confirm."});
}

Reply lacks_role(const Request& request, std::string_view message) {
  return error_reply(request, {.status = 403, .code = "ERR_AUTH_012", .message = std::string(message)});
}

Reply too_many(const Request& request, std::string_view message, std::int64_t wait_s) {
  auto reply = error_reply(request, {.status = 429, .code = "ERR_RATE_001", .message = std::string(message)});
  reply.headers.push_back({"Retry-After", std::to_string(wait_s)});
  return reply;
}

bool is_of_users_alone(std::string_view scope) {
  return scope == kKeysScope || scope == kMembersScope || scope == kOperateScope || scope == kAccountScope;
}

bool allows(domain::Role role, std::string_view scope) {
  if (scope.empty() || scope == kAccountScope) return true;
  if (scope == kKeysScope || scope == kMembersScope) return role == domain::Role::kOwner;
  if (scope == kOperateScope) return role != domain::Role::kViewer;
  const auto needed = domain::ScopeSet::parse(scope);
  assert(needed);
  return scopes_of(role).allows_all(*needed);
}

}  // namespace pixledger::http
