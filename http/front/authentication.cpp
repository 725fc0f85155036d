#include "http/front/authentication.h"

#include <cassert>
#include <string_view>
#include <variant>

#include "domain/text/ascii.h"
#include "eventstore/keys/api_key_text.h"
#include "eventstore/log/log.h"
#include "eventstore/platform/clock.h"
#include "eventstore/reading/state_reader.h"
#include "http/front/caller.h"
#include "http/json/error_reply.h"
#include "http/metrics/metrics_page.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kScheme = "bearer ";

std::string_view bearer_of(const Request& request) {
  const auto header = request.headers.find("Authorization");
  if (!header || header->size() <= kScheme.size() || request.headers.count("Authorization") != 1) return {};
  if (!domain::equal_without_case(header->substr(0, kScheme.size()), kScheme)) return {};
  auto key = header->substr(kScheme.size());
  while (!key.empty() && key.front() == ' ') key.remove_prefix(1);
  return key;
}

// Who has no key learns nothing about keys. That one has ended, or is not for this address, only who holds
// it can see.
constexpr std::string_view kNoKey =
    "The API key is missing or not valid. Send it as Authorization: Bearer <API_KEY>.";
constexpr std::string_view kRevoked = "The API key was revoked. Send another one.";
constexpr std::string_view kExpired = "The API key has expired. Send another one.";
constexpr std::string_view kWrongAddress = "The API key may not be used from this address.";

Reply unauthenticated(const Request& request, std::string_view message) {
  auto reply = error_reply(request, {.status = 401, .code = "ERR_AUTH_009", .message = std::string(message)});
  reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

Reply lacks_scope(const Request& request, std::string_view scope) {
  return error_reply(request, {.status = 403,
                               .code = "ERR_AUTH_010",
                               .message = "This API key lacks the scope " + std::string(scope) + "."});
}

Reply too_many(const Request& request, std::string_view message, std::int64_t wait_s) {
  auto reply = error_reply(request, {.status = 429, .code = "ERR_RATE_001", .message = std::string(message)});
  reply.headers.push_back({"Retry-After", std::to_string(wait_s)});
  return reply;
}

eventstore::Head arrival_of(const Request& request) {
  if (!request.arrival) throw eventstore::LogUnavailable("how far the log is is not known");
  return *request.arrival;
}

// A key that is known and usable, and how far the log was when it was looked up.
struct Authenticated {
  eventstore::StateReader::Shared state;
  domain::ApiKeyId id;
  eventstore::Head head;

  const domain::ApiKey& key() const { return std::get<domain::ApiKey>(*state); }
};

// The caller, or why there is none.
using Authentication = std::variant<Authenticated, std::string_view>;

// As of a head of the log, which is asked for where there may be such a key.
template <class GetHead>
Authentication authenticate(eventstore::StateReader& states, const eventstore::Clock& clock,
                            const Request& request, const GetHead& get_head) {
  const auto text = bearer_of(request);
  if (!eventstore::parse_api_key(text)) return kNoKey;
  const auto hash = eventstore::sha256(text);
  const auto id = domain::ApiKeyId::parse(eventstore::api_key_id(hash));
  assert(id);
  const eventstore::Head head = get_head();
  auto state = states.find(domain::api_key_stream(*id), head);
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (!key ||
      !eventstore::equal_in_constant_time(eventstore::bytes_of(key->hash), eventstore::bytes_of(hash)))
    return kNoKey;
  if (!domain::is_usable(*key, clock.now())) return key->revoked_at ? kRevoked : kExpired;
  if (!key->allowed_callers.empty() &&
      !domain::accepts_caller(*key, domain::IpAddress::parse(request.caller_address)))
    return kWrongAddress;
  return Authenticated{std::move(state), *id, head};
}

Reply refuse_unauthenticated(const GuardServices& services, const Request& request,
                             std::string_view message) {
  services.metrics.failed_authentications.Increment();
  const auto wait_s =
      services.failed_authentications.note(request.caller_address, services.clock.boot_millis());
  if (!wait_s) return unauthenticated(request, message);
  services.metrics.limited_failed_authentications.Increment();
  return too_many(request, "Too many requests without a valid API key came from this address.", *wait_s);
}

std::optional<Reply> refuse_for_rate(const GuardServices& services, Request& request,
                                     const Authenticated& caller) {
  const auto environment = caller.key().environment;
  if (!services.rate_limiter.limits(environment)) return std::nullopt;
  const auto verdict = services.rate_limiter.take(caller.id, environment, services.clock.boot_millis());
  request.reply_headers = rate_headers(environment, *verdict);
  if (verdict->allowed) return std::nullopt;
  services.metrics.rate_limited(environment).Increment();
  return too_many(request, "This API key sends too many requests; see Retry-After.", verdict->wait_s);
}

constexpr std::string_view kTokenName = "/:token";
constexpr std::string_view kTokenPrefix = "/api/v1/payer/sessions/";

// As it stands in the path of a route that has one.
std::string_view token_in(const Request& request) {
  const std::string_view path = request.path;
  if (!path.starts_with(kTokenPrefix)) return {};
  const auto rest = path.substr(kTokenPrefix.size());
  return rest.substr(0, rest.find('/'));
}

// No API key's and no project's: neither has a form that these could have.
Caller web_caller(eventstore::Head head) {
  return {.key = *domain::ApiKeyId::parse("000000000000000000000000"),
          .project = *domain::ProjectId::parse("cwebwithoutproject"),
          .environment = domain::Environment::kLive,
          .arrival = head};
}

// What the web key is refused; nothing once the request's caller is set.
std::optional<Reply> admit_web(const GuardServices& services, Request& request, const Route& route) {
  const auto head = arrival_of(request);
  auto caller = web_caller(head);
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

bool has_web_key(const CheckoutLinks& checkout, const Request& request, const Route& route) {
  return route.scope == kPayerScope && checkout.is_web_key(bearer_of(request));
}

// Whether the log is asked about what was sent; a mistyped key is told by its checksum.
bool may_be_key(const CheckoutLinks& checkout, const Request& request, const Route& route) {
  return eventstore::parse_api_key(bearer_of(request)) || has_web_key(checkout, request, route);
}

std::optional<Reply> admit(const GuardServices& services, Request& request, const Route& route) {
  const bool is_payers = route.scope == kPayerScope;
  if (has_web_key(services.checkout, request, route)) return admit_web(services, request, route);
  const auto authentication =
      authenticate(services.states, services.clock, request, [&request] { return arrival_of(request); });
  if (const auto* message = std::get_if<std::string_view>(&authentication))
    return refuse_unauthenticated(services, request, *message);
  const auto* caller = &std::get<Authenticated>(authentication);
  services.key_uses.note(caller->id, services.clock.now());
  const auto& key = caller->key();
  request.caller = std::make_shared<const Caller>(Caller{
      .key = caller->id, .project = key.project, .environment = key.environment, .arrival = caller->head});
  if (auto refused = refuse_for_rate(services, request, *caller)) return refused;
  if (is_payers) return lacks_scope(request, route.scope);
  if (!route.scope.empty()) {
    const auto needed = domain::ScopeSet::parse(route.scope);
    assert(needed);
    if (!key.scopes.allows_all(*needed)) return lacks_scope(request, route.scope);
  }
  return std::nullopt;
}

// What the copy knows of the key may be a moment old: it may have been revoked elsewhere, which is found out
// when the command is decided. A key that the copy does not let in may have been issued elsewhere meanwhile.
bool is_judged_with_its_command(const PreparationServices& services, const Request& request,
                                const Route& route) {
  if (!route.only_commands || !route.only_commands()) return false;
  const auto known =
      authenticate(services.states, services.clock, request, [&services] { return services.log.head(); });
  return std::holds_alternative<Authenticated>(known);
}

}  // namespace

std::function<bool(const Responder&)> make_preparation(const PreparationServices& services) {
  return [services](const Responder& responder) {
    auto& request = responder.request();
    const auto& route = services.router.route_of(request);
    if (route.is_public || !may_be_key(services.checkout, request, route)) return true;
    if (services.is_shared && is_judged_with_its_command(services, request, route)) {
      request.arrival = services.log.head();
      return true;
    }
    request.arrival = services.log.begin_catch_up([responder](const eventstore::CaughtUp& told) {
      const auto head = told.fault.empty() ? std::optional(told.head) : std::nullopt;
      responder.on_loop([responder, head] {
        responder.request().arrival = head;
        responder.prepared();
      });
    });
    return request.arrival.has_value();
  };
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

std::optional<Reply> refuse_ended_key(const eventstore::Log& log, eventstore::StateReader& states,
                                      const eventstore::Clock& clock, const Request& request) {
  const auto state = states.find(domain::api_key_stream(request.caller->key), log.head());
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (key && domain::is_usable(*key, clock.now())) return std::nullopt;
  return unauthenticated(request, key && !key->revoked_at ? kExpired : kRevoked);
}

}  // namespace pixledger::http
