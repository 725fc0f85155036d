#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/http/json/json_body.h"
#include "base/platform/clock_and_entropy.h"
#include "base/platform/json.h"
#include "base/platform/time_zone.h"
#include "base/text/text.h"
#include "base/values/timestamp.h"
#include "domain/aggregates/api_key.h"
#include "eventstore/keys/key_uses.h"
#include "eventstore/keys/tokens.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "eventstore/reading/state_reader.h"
#include "http/api/common/caller_project.h"
#include "http/api/common/command_reply.h"
#include "http/api/endpoints.h"
#include "http/routing/input.h"

namespace pixledger::http {
namespace {

void write_scopes(Json& json, const domain::ScopeSet& scopes) {
  const auto text = scopes.text();
  std::string_view left = text;
  json.key("scopes").begin_array();
  while (true) {
    const auto comma = left.find(',');
    json.value(left.substr(0, comma));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  json.end_array();
}

// Writes the members of a key for its project's owners. `last_day`: of its last use, in days since
// 1970-01-01.
void write_key_fields(Json& json, const domain::ApiKey& key, const std::optional<std::int64_t>& last_day) {
  json.field("id", key.id).field("name", key.name).field("environment", key.environment);
  json.field("prefix", key.environment == domain::Environment::kLive ? "sk_live_" : "sk_test_");
  json.field("lastFour", key.last_four);
  write_scopes(json, key.scopes);
  json.field("createdAt", key.issued_at).field("expiresAt", key.expires_at);
  json.field("revokedAt", key.revoked_at);
  json.field("lastUsedOn", last_day ? std::optional(date_text(*last_day)) : std::nullopt);
  json.key("allowedIps").begin_array();
  for (const auto& range : key.allowed_callers) json.value(range);
  json.end_array();
}

constexpr std::size_t kAllowedIpsMax = 100;

// The body that issues a key.
struct NewKeyBody {
  domain::Environment environment;
  std::optional<domain::ApiKeyName> name;
  domain::ScopeSet scopes = domain::ScopeSet::all();
  std::optional<Timestamp> expires_at;
  std::vector<Cidr> allowed_callers;
};

std::string scopes_rule() { return "must be a list of at least one of " + domain::ScopeSet::all().text(); }

domain::ScopeSet read_scopes(const JsonObject& body) {
  const auto texts = body.optional_texts("scopes", scopes_rule());
  if (!texts) return domain::ScopeSet::all();
  const auto scopes = domain::ScopeSet::parse(joined(*texts, ","));
  if (!scopes) body.violation("scopes", scopes_rule());
  return scopes.value_or(domain::ScopeSet::all());
}

// An address without a prefix length is a network of one.
std::optional<Cidr> parse_range(std::string_view text) {
  if (text.find('/') != std::string_view::npos) return Cidr::parse(text);
  const auto address = IpAddress::parse(text);
  if (!address) return std::nullopt;
  return Cidr::parse(std::string(text) + "/" + std::to_string(address->size() * 8));
}

std::vector<Cidr> read_allowed_callers(const JsonObject& body) {
  static_assert(kAllowedIpsMax == 100, "the number in the text");
  constexpr std::string_view kRule =
      "must be a list of at most 100 addresses and ranges of them such as 203.0.113.7 or 2001:db8::/32";
  const auto texts = body.optional_texts("allowedIps", kRule);
  std::vector<Cidr> ranges;
  if (!texts) return ranges;
  bool is_valid = texts->size() <= kAllowedIpsMax;
  for (std::size_t i = 0; is_valid && i < texts->size(); ++i) {
    const auto range = parse_range((*texts)[i]);
    is_valid = range.has_value();
    if (range) ranges.push_back(*range);
  }
  if (!is_valid) body.violation("allowedIps", std::string(kRule));
  return ranges;
}

// nullopt without an environment, which is a violation, as are all other invalid fields.
std::optional<NewKeyBody> read_new_key(const JsonObject& body, const TimeZone& zone, Timestamp now) {
  const auto environment = body.required<EnvironmentText>("environment");
  auto name = body.optional<domain::ApiKeyName>("name");
  const auto scopes = read_scopes(body);
  const auto expiry = body.optional<GivenTime>("expiresAt");
  const auto expires_at = expiry ? std::optional(zone.first_of(*expiry)) : std::nullopt;
  auto allowed_callers = read_allowed_callers(body);
  if (expires_at && *expires_at <= now) body.violation("expiresAt", "must be in the future");
  if (!environment) return std::nullopt;
  return NewKeyBody{.environment = environment->environment,
                    .name = std::move(name),
                    .scopes = scopes,
                    .expires_at = expires_at,
                    .allowed_callers = std::move(allowed_callers)};
}

using domain::ApiKey;
using domain::ApiKeyId;
using domain::Rejection;
using SharedKey = std::shared_ptr<const ApiKey>;

// A list reads all keys that the project ever had. Operators may exceed the limit.
constexpr std::size_t kKeysMax = 10'000;
constexpr const char* kTooMany =
    "does not fit: the project has had 10000 keys, which is the most that can be made here";
constexpr const char* kUsableRule = "must be of a key that is neither revoked nor expired";

SharedKey find_key(const Services& services, const Head& head, const domain::StreamName& stream) {
  auto state = services.states.find(stream, head);
  const auto* key = state ? std::get_if<ApiKey>(state.get()) : nullptr;
  if (!key) return nullptr;
  return {std::move(state), key};
}

auto claims_of_keys(const Services& services, const Caller& caller) {
  return services.log.claims_with_prefix(domain::api_key_claim_prefix(caller.project));
}

bool is_full(const Services& services, const Caller& caller) {
  return claims_of_keys(services, caller).size() >= kKeysMax;
}

// The keys that the caller may see, newest first.
std::vector<SharedKey> keys_of(const Services& services, const Request& request) {
  const auto& caller = *request.caller;
  std::vector<SharedKey> keys;
  for (const auto& [claim, stream] : claims_of_keys(services, caller)) {
    request.budget.check();
    auto key = find_key(services, caller.arrival, stream);
    if (key && !is_refused(caller, key->environment)) keys.push_back(std::move(key));
  }
  std::sort(keys.begin(), keys.end(), [](const SharedKey& left, const SharedKey& right) {
    if (left->issued_at != right->issued_at) return left->issued_at > right->issued_at;
    return left->id.text() < right->id.text();
  });
  return keys;
}

// A key's project and environment never change, so the result also holds when the command is decided.
std::optional<Rejection> guard_key(const ApiKey* key, const Caller& caller) {
  if (!key || key->project != caller.project) return Rejection::kApiKeyNotFound;
  if (is_refused(caller, key->environment)) return Rejection::kLiveForTestKey;
  return std::nullopt;
}

eventstore::NewApiKey mint(const Services& services, domain::Environment environment) {
  return eventstore::make_api_key(environment == domain::Environment::kLive,
                                  services.log.identity().fingerprint(), services.entropy);
}

// As of right after the command, when the key was unused. Only the hash is stored, so a repeat cannot show
// the key.
Reply render_issued(const Services& services, const std::string& text,
                    const eventstore::Completed& completed) {
  const auto& event = std::get<domain::ApiKeyEvent>(completed.events().front().event);
  const auto& id = std::get<domain::ApiKeyIssued>(event).id;
  const auto key = services.history.as<ApiKey>(domain::api_key_stream(id), completed.as_of);
  if (!key) throw eventstore::LogCorrupt("a key that was issued is not in the ledger");
  Json json;
  json.begin_object().field("success", true).key("data").begin_object();
  write_key_fields(json, *key, std::nullopt);
  json.field("key", completed.replayed ? std::nullopt : std::optional(text));
  json.end_object().end_object();
  return {201, json.take()};
}

}  // namespace

Reply list_keys(const Services& services, const Request& request) {
  Input input(request);
  const auto page = read_page(input);
  if (!input.finish()) return input.refusal();
  const auto keys = keys_of(services, request);
  const auto first = std::min(page.offset(), keys.size());
  const auto end = std::min(first + page.limit, keys.size());
  Json json;
  json.begin_object().field("success", true).key("data").begin_array();
  for (auto i = first; i < end; ++i) {
    json.begin_object();
    write_key_fields(json, *keys[i], services.key_uses.last_day(keys[i]->id));
    json.end_object();
  }
  json.end_array();
  write_meta(json, page, keys.size());
  json.end_object();
  return {200, json.take()};
}

Answer issue_key(const Services& services, const Request& request) {
  Input input(request);
  auto body = read_new_key(input.body(), zone_of(services, *request.caller), services.clock.now());
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  if (is_refused(caller, body->environment)) return rejection_reply(request, Rejection::kLiveForTestKey);
  if (is_full(services, caller)) return validation_reply(request, {{"environment", kTooMany}});
  const auto minted = mint(services, body->environment);
  domain::IssueApiKey command{.id = minted.id,
                              .project = caller.project,
                              .environment = body->environment,
                              .hash = minted.hash,
                              .scopes = body->scopes,
                              .sandbox_only = false,
                              .expires_at = body->expires_at,
                              .allowed_callers = std::move(body->allowed_callers),
                              .name = std::move(body->name),
                              .last_four = minted.last_four};
  return execute_once(request, std::move(command), input.canonical_body(),
                      [&services, text = minted.text](const eventstore::Completed& completed) {
                        return render_issued(services, text, completed);
                      });
}

Answer roll_key(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<ApiKeyId>();
  const auto overlap =
      input.optional_body().optional_integer("overlapSeconds", 0, domain::kKeyOverlapSecondsMax);
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto old_key = find_key(services, caller.arrival, domain::api_key_stream(*id));
  if (const auto rejection = guard_key(old_key.get(), caller)) return rejection_reply(request, *rejection);
  if (is_full(services, caller)) return validation_reply(request, {{"id", kTooMany}});
  const auto minted = mint(services, old_key->environment);
  const domain::RollApiKey command{.old_id = *id,
                                   .id = minted.id,
                                   .hash = minted.hash,
                                   .overlap_ms = overlap.value_or(domain::kKeyOverlapSecondsDefault) * 1000,
                                   .last_four = minted.last_four};
  return execute_once(
      request, command, input.canonical_body(),
      [&services, text = minted.text](const eventstore::Completed& completed) {
        return render_issued(services, text, completed);
      },
      [](const Request& asked, Rejection rejection) {
        // The rejection is about the key in the path, not the caller's.
        if (rejection == Rejection::kApiKeyUnusable) return validation_reply(asked, {{"id", kUsableRule}});
        return rejection_reply(asked, rejection);
      });
}

Answer revoke_key(const Services& services, const Request& request) {
  Input input(request);
  const auto id = input.path_id<ApiKeyId>();
  if (!input.finish()) return input.refusal();
  const auto& caller = *request.caller;
  const auto stream = domain::api_key_stream(*id);
  const auto key = find_key(services, caller.arrival, stream);
  if (const auto rejection = guard_key(key.get(), caller)) return rejection_reply(request, *rejection);
  return execute(request, domain::RevokeApiKey{*id}, std::nullopt,
                 [&services, stream](const eventstore::Completed& completed) {
                   const auto revoked = services.history.as<ApiKey>(stream, completed.as_of);
                   if (!revoked) throw eventstore::LogCorrupt("a key that was revoked is not in the ledger");
                   Json json;
                   json.begin_object().field("success", true).key("data").begin_object();
                   write_key_fields(json, *revoked, services.key_uses.last_day(revoked->id));
                   json.end_object().end_object();
                   return Reply{200, json.take()};
                 });
}

}  // namespace pixledger::http
