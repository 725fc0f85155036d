#include "domain/aggregates/api_key.h"

#include <algorithm>

namespace pixledger::domain {
namespace {

constexpr std::array<std::string_view, 10> kScopeNames = {
    "transactions:read", "transactions:write", "customers:read", "customers:write", "channels:read",
    "channels:write",    "store:read",         "store:write",    "events:read",     "events:write"};

struct ApplyToKey {
  std::optional<ApiKey> key;
  Timestamp at;

  std::optional<ApiKey> operator()(const ApiKeyIssued& event) {
    return ApiKey{.id = event.id,
                  .project = event.project,
                  .environment = event.environment,
                  .hash = event.hash,
                  .scopes = event.scopes,
                  .sandbox_only = event.sandbox_only,
                  .expires_at = event.expires_at,
                  .allowed_callers = event.allowed_callers,
                  .issued_at = at,
                  .revoked_at = std::nullopt,
                  .issued_until = event.expires_at,
                  .name = event.name,
                  .last_four = event.last_four};
  }
  std::optional<ApiKey> operator()(const ApiKeyExpirySet& event) {
    if (key) key->expires_at = event.expires_at;
    return std::move(key);
  }
  std::optional<ApiKey> operator()(const ApiKeyRevoked&) {
    if (key && !key->revoked_at) key->revoked_at = at;
    return std::move(key);
  }
};

}  // namespace

std::optional<ScopeSet> ScopeSet::parse(std::string_view comma_separated) {
  std::uint32_t bits = 0;
  while (true) {
    const auto comma = comma_separated.find(',');
    const auto name = comma_separated.substr(0, comma);
    const auto found = std::find(kScopeNames.begin(), kScopeNames.end(), name);
    if (found == kScopeNames.end()) return std::nullopt;
    bits |= 1U << (found - kScopeNames.begin());
    if (comma == std::string_view::npos) return ScopeSet(bits);
    comma_separated.remove_prefix(comma + 1);
  }
}

std::optional<ScopeSet> ScopeSet::from_bits(std::uint32_t bits) {
  if (bits == 0 || (bits & ~kAllBits) != 0) return std::nullopt;
  return ScopeSet(bits);
}

bool ScopeSet::allows(Scope scope) const {
  const auto bit = 1U << static_cast<unsigned>(scope);
  const bool is_read = static_cast<unsigned>(scope) % 2 == 0;
  return (bits_ & bit) != 0 || (is_read && (bits_ & (bit << 1U)) != 0);
}

bool ScopeSet::allows_all(const ScopeSet& needed) const {
  for (unsigned i = 0; i < kScopeNames.size(); ++i) {
    if ((needed.bits_ >> i & 1U) != 0 && !allows(static_cast<Scope>(i))) return false;
  }
  return true;
}

std::string ScopeSet::text() const {
  std::string text;
  for (std::size_t i = 0; i < kScopeNames.size(); ++i) {
    if ((bits_ >> i & 1U) == 0) continue;
    if (!text.empty()) text += ',';
    text += kScopeNames[i];
  }
  return text;
}

bool is_usable(const ApiKey& key, Timestamp now) {
  return !key.revoked_at && (!key.expires_at || now < *key.expires_at);
}

bool accepts_caller(const ApiKey& key, const std::optional<IpAddress>& caller) {
  return key.allowed_callers.empty() || (caller && is_within(*caller, key.allowed_callers));
}

std::optional<ApiKey> apply(std::optional<ApiKey> key, const ApiKeyEvent& event, Timestamp at) {
  return std::visit(ApplyToKey{std::move(key), at}, event);
}

}  // namespace pixledger::domain
