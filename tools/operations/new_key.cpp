#include "tools/operations/new_key.h"

#include <utility>

#include "eventstore/keys/tokens.h"

namespace pixledger::tools {
namespace {

std::optional<NewKey> recorded(CommandContext& context, eventstore::Ledger& ledger, domain::Command command,
                               NewKey key) {
  if (!execute(context, ledger, std::move(command))) return std::nullopt;
  return key;
}

}  // namespace

MintedKey mint_key(CommandContext& context, const eventstore::Ledger& ledger,
                   domain::Environment environment) {
  const bool live = environment == domain::Environment::kLive;
  auto minted = eventstore::make_api_key(live, ledger.log->identity().fingerprint(), context.entropy);
  auto id = domain::ApiKeyId::parse(eventstore::api_key_id(minted.hash)).value();
  auto last_four = domain::ApiKeyEnd::parse(eventstore::api_key_end(minted.text));
  return {{std::move(id), std::move(minted.text)}, minted.hash, std::move(last_four)};
}

std::optional<NewKey> issue_key(CommandContext& context, eventstore::Ledger& ledger,
                                const KeyRights& rights) {
  auto minted = mint_key(context, ledger, rights.environment);
  domain::IssueApiKey command{.id = minted.key.id,
                              .project = rights.project,
                              .environment = rights.environment,
                              .hash = minted.hash,
                              .scopes = rights.scopes,
                              .sandbox_only = rights.sandbox_only,
                              .expires_at = rights.expires_at,
                              .allowed_callers = rights.allowed_callers,
                              .name = rights.name,
                              .last_four = minted.last_four};
  return recorded(context, ledger, std::move(command), std::move(minted.key));
}

std::optional<NewKey> roll_key(CommandContext& context, eventstore::Ledger& ledger,
                               const domain::ApiKey& old_key, std::int64_t overlap_ms) {
  auto minted = mint_key(context, ledger, old_key.environment);
  domain::RollApiKey command{old_key.id, minted.key.id, minted.hash, overlap_ms, minted.last_four};
  return recorded(context, ledger, std::move(command), std::move(minted.key));
}

}  // namespace pixledger::tools
