#include "domain/decisions/decide_others.h"

#include <algorithm>

namespace pixledger::domain {
namespace {

Decision record(StreamName stream, const ProjectId& project, Event event) {
  return {{NewEvent{std::move(stream), project, std::move(event)}}, {}};
}

Label label(std::string_view text) { return *Label::parse(text); }

// Whether the stream's customer is the one meant, and the caller may touch it: it may be an erased one, or a
// later one of the same document.
template <class Command>
bool is_there(const Customer* customer, const Command& command) {
  if (!customer || customer->erased_at || customer->id != command.id) return false;
  return !command.caller.project || *command.caller.project == customer->project;
}

bool has_same_block(const Customer& customer, const BlockCustomer& command) {
  return customer.block && customer.block->type == command.type && customer.block->reason == command.reason &&
         customer.block->expires_at == command.expires_at;
}

}  // namespace

Decision decide(const CreateProject& command, const Context& context) {
  auto id = mint<ProjectId>(context.ids, 0);
  ProjectCreated created{
      id,
      command.settings,
      {{mint<ConnectionId>(context.ids, 1), label("pix"), "pix", "PIX BR Code", Environment::kLive},
       {mint<ConnectionId>(context.ids, 2), label("sandbox"), "sandbox", "Sandbox", Environment::kSandbox}}};
  auto decision = record(project_stream(id), id, ProjectEvent(std::move(created)));
  for (const auto& key : command.keys) {
    ApiKeyIssued issued{key.id, id, key.environment, key.hash, ScopeSet::all(), false, std::nullopt, {}};
    decision.events.push_back({api_key_stream(key.id), id, ApiKeyEvent(std::move(issued))});
  }
  return decision;
}

Decision decide(const Project* project, const ChangeStoreSettings& command, const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  auto settings = changed(project->settings, command.change);
  if (project->settings == settings) return nothing_to_do();
  return record(project_stream(command.project), command.project,
                ProjectEvent(StoreSettingsChanged{std::move(settings)}));
}

Decision decide(const Project* project, const AddConnection& command, const Context& context) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (has_alias(*project, command.environment, command.alias))
    return refuse(Rejection::kConnectionAliasTaken);
  if (project->connections.size() >= kConnectionsPerProjectMax) return refuse(Rejection::kConnectionLimit);
  Connection connection{mint<ConnectionId>(context.ids, 0), command.alias, command.provider_id.text(),
                        command.provider_name.text(), command.environment};
  return record(project_stream(command.project), command.project,
                ProjectEvent(ConnectionAdded{std::move(connection)}));
}

Decision decide(const Project* project, const IssueApiKey& command, const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  ApiKeyIssued issued{command.id,     command.project,      command.environment, command.hash,
                      command.scopes, command.sandbox_only, command.expires_at,  command.allowed_callers};
  return record(api_key_stream(command.id), command.project, ApiKeyEvent(std::move(issued)));
}

Decision decide(const ApiKey* old_key, const RollApiKey& command, const Context& context) {
  if (!old_key) return refuse(Rejection::kApiKeyNotFound);
  if (!is_usable(*old_key, context.now)) return refuse(Rejection::kApiKeyUnusable);
  auto end = context.now.plus_millis(command.overlap_ms);
  if (old_key->expires_at) end = std::min(end, *old_key->expires_at);
  ApiKeyIssued successor{
      command.id,      old_key->project,      old_key->environment,  command.hash,
      old_key->scopes, old_key->sandbox_only, old_key->issued_until, old_key->allowed_callers};
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

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry& command, const Context& context) {
  if (blocklist) {
    if (find_entry(*blocklist, command.value)) return nothing_to_do();
    if (blocklist->entries.size() >= kBlocklistEntriesMax) return refuse(Rejection::kBlocklistLimit);
  }
  BlocklistEntryAdded added{mint<BlocklistEntryId>(context.ids, 0), command.project, command.value,
                            command.reason};
  return record(blocklist_stream(command.project), command.project, BlocklistEvent(std::move(added)));
}

Decision decide(const Blocklist* blocklist, const RemoveBlocklistEntry& command, const Context&) {
  const bool known =
      blocklist && std::any_of(blocklist->entries.begin(), blocklist->entries.end(),
                               [&](const BlocklistEntry& entry) { return entry.id == command.id; });
  if (!known) return refuse(Rejection::kBlocklistEntryNotFound);
  return record(blocklist_stream(command.project), command.project,
                BlocklistEvent(BlocklistEntryRemoved{command.id}));
}

Decision decide(const Project* project, const Customer* customer, const SaveCustomer& command,
                const Context& context) {
  const bool verify = project && project->settings.verify_documents;
  if (verify && !has_valid_check_digits(command.details.document))
    return refuse(Rejection::kInvalidDocumentCheckDigits);
  auto stream = customer_stream(command.project, command.token);
  if (!customer) {
    CustomerRegistered registered{mint<CustomerId>(context.ids, 0), command.project, command.details};
    return record(std::move(stream), command.project, CustomerEvent(std::move(registered)));
  }
  if (customer->details == command.details) return nothing_to_do();
  return record(std::move(stream), command.project, CustomerEvent(CustomerUpdated{command.details}));
}

Decision decide(const Customer* customer, const BlockCustomer& command, const Context& context) {
  if (!is_there(customer, command)) return refuse(Rejection::kCustomerNotFound);
  if (has_same_block(*customer, command)) return nothing_to_do();
  if (command.expires_at && *command.expires_at <= context.now) return refuse(Rejection::kBlockExpiryInPast);
  return record(command.customer, customer->project,
                CustomerEvent(CustomerBlocked{command.type, command.reason, command.expires_at}));
}

Decision decide(const Customer* customer, const UnblockCustomer& command, const Context& context) {
  if (!is_there(customer, command)) return refuse(Rejection::kCustomerNotFound);
  if (!is_blocked(*customer, context.now)) return nothing_to_do();
  return record(command.customer, customer->project, CustomerEvent(CustomerUnblocked{}));
}

Decision decide(const Customer* customer, const EraseCustomer& command, const Context&) {
  if (!customer) return refuse(Rejection::kCustomerNotFound);
  // The stream held that id before, so a later one says that it has been erased.
  if (customer->erased_at || customer->id != command.id) return nothing_to_do();
  return record(command.customer, customer->project,
                CustomerEvent(CustomerErased{command.id, command.reason}));
}

}  // namespace pixledger::domain
