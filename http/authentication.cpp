#include "http/authentication.h"

#include <cassert>

#include "eventstore/api_key_text.h"
#include "http/ascii_case.h"
#include "http/caller.h"
#include "http/error_reply.h"

namespace pixledger::http {
namespace {

constexpr std::string_view kScheme = "bearer ";

std::string_view bearer_of(const Request& request) {
  const auto header = request.headers.find("Authorization");
  if (!header || header->size() <= kScheme.size() || request.headers.count("Authorization") != 1) return {};
  if (!equal_without_case(header->substr(0, kScheme.size()), kScheme)) return {};
  auto key = header->substr(kScheme.size());
  while (!key.empty() && key.front() == ' ') key.remove_prefix(1);
  return key;
}

// One answer for every reason: a caller without a good key learns nothing about keys.
Reply unauthenticated(const Request& request) {
  auto reply = error_reply(
      request, {401,
                "ERR_AUTH_009",
                "The API key is missing or not valid. Send it as Authorization: Bearer <API_KEY>.",
                {}});
  reply.headers.push_back({"WWW-Authenticate", "Bearer"});
  return reply;
}

Reply lacks_scope(const Request& request, std::string_view scope) {
  return error_reply(request,
                     {403, "ERR_AUTH_010", "This API key lacks the scope " + std::string(scope) + ".", {}});
}

}  // namespace

Guard make_guard(const eventstore::Log& log, eventstore::StateReader& states,
                 const eventstore::Clock& clock) {
  return [&log, &states, &clock](Request& request, const Route& route) -> std::optional<Reply> {
    const auto text = bearer_of(request);
    if (!eventstore::parse_api_key(text)) return unauthenticated(request);
    const auto hash = eventstore::sha256(text);
    const auto id = domain::ApiKeyId::parse(eventstore::api_key_id(hash));
    assert(id);
    const auto head = log.head();
    const auto state = states.find(domain::api_key_stream(*id), head);
    const auto* key = state ? std::get_if<domain::ApiKey>(state.get()) : nullptr;
    if (!key ||
        !eventstore::equal_in_constant_time(eventstore::bytes_of(key->hash), eventstore::bytes_of(hash)))
      return unauthenticated(request);
    if (!domain::is_usable(*key, clock.now())) return unauthenticated(request);
    if (!key->allowed_callers.empty() &&
        !domain::accepts_caller(*key, domain::IpAddress::parse(request.caller_address)))
      return unauthenticated(request);
    if (!route.scope.empty()) {
      const auto needed = domain::ScopeSet::parse(route.scope);
      assert(needed);
      if (!key->scopes.allows_all(*needed)) return lacks_scope(request, route.scope);
    }
    request.caller =
        std::make_shared<const Caller>(Caller{*id, key->project, key->environment, key->sandbox_only, head});
    return std::nullopt;
  };
}

}  // namespace pixledger::http
