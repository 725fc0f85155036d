#include "http/front/key_authentication.h"

#include <cassert>
#include <variant>

#include "eventstore/keys/api_key_text.h"
#include "eventstore/log/log.h"
#include "http/front/bearer.h"
#include "http/front/caller.h"
#include "http/front/refusals.h"
#include "http/front/role_scopes.h"

namespace pixledger::http {
namespace {

// Who has no key learns nothing about keys. That one has ended, or is not for this address, only who holds
// it can see.
constexpr std::string_view kCode = "ERR_AUTH_009";
constexpr std::string_view kNoKey =
    "The API key is missing or not valid. Send it as Authorization: Bearer <API_KEY>.";
constexpr std::string_view kRevoked = "The API key was revoked. Send another one.";
constexpr std::string_view kExpired = "The API key has expired. Send another one.";
constexpr std::string_view kWrongAddress = "The API key may not be used from this address.";

// A key that is known and usable, and how far the log was when it was looked up.
struct Authenticated {
  eventstore::StateReader::Shared state;
  domain::ApiKeyId id;
  Head head;

  const domain::ApiKey& key() const { return std::get<domain::ApiKey>(*state); }
};

// The caller, or why there is none.
using Authentication = std::variant<Authenticated, std::string_view>;

// As of a head of the log, which is asked for where there may be such a key.
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

}  // namespace

std::optional<Reply> admit_key(const GuardServices& services, Request& request, const Route& route) {
  const auto authentication =
      authenticate(services.states, services.clock, request, [&request] { return arrival_of(request); });
  if (const auto* message = std::get_if<std::string_view>(&authentication))
    return refuse_unauthenticated(services, request, kCode, *message);
  const auto& caller = std::get<Authenticated>(authentication);
  services.key_uses.note(caller.id, services.clock.now());
  const auto& key = caller.key();
  request.caller = std::make_shared<const Caller>(Caller{
      .key = caller.id, .project = key.project, .environment = key.environment, .arrival = caller.head});
  if (auto refused = refuse_for_rate(services, request, caller.id.text(), key.environment)) return refused;
  if (!has_scope(key, route.scope)) return lacks_scope(request, route.scope);
  return std::nullopt;
}

std::optional<Reply> refuse_key_without(const Services& services, const Request& request,
                                        std::string_view scope) {
  const auto& caller = *request.caller;
  const auto state = services.states.find(domain::api_key_stream(*caller.key), caller.arrival);
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (key && has_scope(*key, scope)) return std::nullopt;
  return lacks_scope(request, scope);
}

bool lets_key_in(eventstore::StateReader& states, const Clock& clock, const Request& request,
                 const Head& head) {
  const auto judged = authenticate(states, clock, request, [&head] { return head; });
  return std::holds_alternative<Authenticated>(judged);
}

std::optional<Reply> refuse_ended_key(const Services& services, const Request& request) {
  const auto state = services.states.find(domain::api_key_stream(*request.caller->key), services.log.head());
  const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
  if (key && domain::is_usable(*key, services.clock.now())) return std::nullopt;
  return unauthenticated(request, kCode, key && !key->revoked_at ? kExpired : kRevoked);
}

}  // namespace pixledger::http
