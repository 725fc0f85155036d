#include "domain/decisions/decide_api_key.h"

#include <algorithm>

namespace pixledger::domain {

Decision decide(const Project* project, const IssueApiKey& command, const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  ApiKeyIssued issued{.id = command.id,
                      .project = command.project,
                      .environment = command.environment,
                      .hash = command.hash,
                      .scopes = command.scopes,
                      .sandbox_only = command.sandbox_only,
                      .expires_at = command.expires_at,
                      .allowed_callers = command.allowed_callers,
                      .name = command.name,
                      .last_four = command.last_four};
  return record(api_key_stream(command.id), command.project, ApiKeyEvent(std::move(issued)));
}

Decision decide(const ApiKey* old_key, const RollApiKey& command, const Context& context) {
  if (!old_key) return refuse(Rejection::kApiKeyNotFound);
  if (!is_usable(*old_key, context.now)) return refuse(Rejection::kApiKeyUnusable);
  auto end = context.now.plus_millis(command.overlap_ms);
  if (old_key->expires_at) end = std::min(end, *old_key->expires_at);
  ApiKeyIssued successor{.id = command.id,
                         .project = old_key->project,
                         .environment = old_key->environment,
                         .hash = command.hash,
                         .scopes = old_key->scopes,
                         .sandbox_only = old_key->sandbox_only,
                         .expires_at = old_key->issued_until,
                         .allowed_callers = old_key->allowed_callers,
                         .name = old_key->name,
                         .last_four = command.last_four};
  Decision decision;
  decision.events.push_back(
      {api_key_stream(command.id), old_key->project, ApiKeyEvent(std::move(successor))});
  decision.events.push_back(
      {api_key_stream(command.old_id), old_key->project, ApiKeyEvent(ApiKeyExpirySet{end})});
  return decision;
}

Decision decide(const ApiKey* key, const RevokeApiKey& command, const Context&) {
  if (!key) return refuse(Rejection::kApiKeyNotFound);
  if (key->revoked_at) return nothing_to_do();
  return record(api_key_stream(command.id), key->project, ApiKeyEvent(ApiKeyRevoked{}));
}

}  // namespace pixledger::domain
