#pragma once

#include <optional>
#include <string>
#include <vector>

#include "domain/aggregates/api_key.h"
#include "tools/cli/command_context.h"

namespace pixledger::tools {

struct NewKey {
  domain::ApiKeyId id;
  std::string text;  // the secret: shown once, never stored
};

// A key that no command has recorded yet.
struct MintedKey {
  NewKey key;
  domain::ApiKeyHash hash;
  std::optional<domain::ApiKeyEnd> last_four;
};
MintedKey mint_key(CommandContext& context, const eventstore::Ledger& ledger,
                   domain::Environment environment);

// The rights that `key issue` can set.
struct KeyRights {
  domain::ProjectId project;
  domain::Environment environment;
  domain::ScopeSet scopes = domain::ScopeSet::all();
  bool sandbox_only = false;
  std::optional<Timestamp> expires_at = std::nullopt;
  std::vector<Cidr> allowed_callers = {};
  std::optional<domain::ApiKeyName> name = std::nullopt;
};

// Nullopt if rejected, with the reason on stderr.
std::optional<NewKey> issue_key(CommandContext& context, eventstore::Ledger& ledger, const KeyRights& rights);
std::optional<NewKey> roll_key(CommandContext& context, eventstore::Ledger& ledger,
                               const domain::ApiKey& old_key, std::int64_t overlap_ms);

}  // namespace pixledger::tools
