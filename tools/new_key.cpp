#include "tools/new_key.h"

#include <utility>

#include "eventstore/api_key_text.h"

namespace pixledger::tools {
namespace {

std::optional<NewKey> recorded(Tool& tool, eventstore::Ledger& ledger, domain::Command command, NewKey key) {
  if (!execute(tool, ledger, std::move(command))) return std::nullopt;
  return key;
}

}  // namespace

MintedKey mint_key(Tool& tool, const eventstore::Ledger& ledger, domain::Environment environment) {
  const bool live = environment == domain::Environment::kLive;
  auto minted = eventstore::make_api_key(live, ledger.log->identity().fingerprint(), tool.entropy);
  auto id = domain::ApiKeyId::parse(eventstore::api_key_id(minted.hash)).value();
  return {{std::move(id), std::move(minted.text)}, minted.hash};
}

std::optional<NewKey> issue_key(Tool& tool, eventstore::Ledger& ledger, const KeyRights& rights) {
  auto minted = mint_key(tool, ledger, rights.environment);
  domain::IssueApiKey command{minted.key.id, rights.project,      rights.environment, minted.hash,
                              rights.scopes, rights.sandbox_only, rights.expires_at,  rights.allowed_callers};
  return recorded(tool, ledger, std::move(command), std::move(minted.key));
}

std::optional<NewKey> roll_key(Tool& tool, eventstore::Ledger& ledger, const domain::ApiKey& old_key,
                               std::int64_t overlap_ms) {
  auto minted = mint_key(tool, ledger, old_key.environment);
  domain::RollApiKey command{old_key.id, minted.key.id, minted.hash, overlap_ms};
  return recorded(tool, ledger, std::move(command), std::move(minted.key));
}

}  // namespace pixledger::tools
