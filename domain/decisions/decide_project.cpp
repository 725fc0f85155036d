#include <algorithm>

#include "domain/decisions/decide.h"

namespace pixledger::domain {
namespace {

Label label(std::string_view text) { return *Label::parse(text); }

}  // namespace

Decision decide(const CreateProject& command, const Context& context) {
  auto id = mint<ProjectId>(context.ids, 0);
  ProjectCreated created{id,
                         command.settings,
                         {{.id = mint<ConnectionId>(context.ids, 1),
                           .alias = label("pix"),
                           .provider_id = "pix",
                           .provider_name = "PIX BR Code",
                           .environment = Environment::kLive},
                          {.id = mint<ConnectionId>(context.ids, 2),
                           .alias = label("sandbox"),
                           .provider_id = "sandbox",
                           .provider_name = "Sandbox",
                           .environment = Environment::kSandbox}}};
  auto decision = record(project_stream(id), id, ProjectEvent(std::move(created)));
  for (const auto& key : command.keys) {
    ApiKeyIssued issued{.id = key.id,
                        .project = id,
                        .environment = key.environment,
                        .hash = key.hash,
                        .scopes = ScopeSet::all(),
                        .expires_at = std::nullopt,
                        .allowed_callers = {},
                        .last_four = key.last_four};
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
  Connection connection{.id = mint<ConnectionId>(context.ids, 0),
                        .alias = command.alias,
                        .provider_id = command.provider_id.text(),
                        .provider_name = command.provider_name.text(),
                        .environment = command.environment};
  return record(project_stream(command.project), command.project,
                ProjectEvent(ConnectionAdded{std::move(connection)}));
}

Decision decide(const Project* project, const SetDefaultConnection& command, const Context&) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  const auto* connection = connection_of(*project, command.connection);
  if (!connection) return refuse(Rejection::kUnknownConnection);
  if (!connection->is_enabled()) return refuse(Rejection::kConnectionDisabled);
  if (default_connection(*project, connection->environment) == connection) return nothing_to_do();
  return record(project_stream(command.project), command.project,
                ProjectEvent(DefaultConnectionSet{connection->id, connection->environment}));
}

Decision decide(const Project* project, const Team* team, const AddMember& command, const Context& context) {
  if (!project) return refuse(Rejection::kProjectNotFound);
  if (find_member(team, command.user))
    return decide(team, ChangeMemberRole{command.project, command.user, command.role}, context);
  if (team && team->members.size() >= kMembersMax) return refuse(Rejection::kMemberLimit);
  const MemberAdded added{.project = command.project,
                          .user = command.user,
                          .role = command.role,
                          .number = team ? team->added + 1 : 1};
  return record(team_stream(command.project), command.project, TeamEvent(added));
}

Decision decide(const Team* team, const ChangeMemberRole& command, const Context&) {
  const auto* member = find_member(team, command.user);
  if (!member) return refuse(Rejection::kMemberNotFound);
  if (member->role == command.role) return nothing_to_do();
  if (is_last_owner(*team, *member)) return refuse(Rejection::kLastOwner);
  return record(team_stream(command.project), command.project,
                TeamEvent(MemberRoleChanged{command.user, command.role}));
}

Decision decide(const Team* team, const RemoveMember& command, const Context&) {
  const auto* member = find_member(team, command.user);
  if (!member) return refuse(Rejection::kMemberNotFound);
  if (is_last_owner(*team, *member)) return refuse(Rejection::kLastOwner);
  return record(team_stream(command.project), command.project, TeamEvent(MemberRemoved{command.user}));
}

Decision decide(const Team* team, const InviteMember& command, const Context&) {
  if (!find_member(team, command.user)) return refuse(Rejection::kMemberNotFound);
  return record(team_stream(command.project), command.project, TeamEvent(MemberInvited{command.user}));
}

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

namespace {

// Checks that the stream's customer is the requested one and that the caller may access it. The requested one
// may be erased, and a later one may have the same document. nullopt if all guards pass.
template <class Command>
std::optional<Rejection> guard(const Customer* customer, const Command& command) {
  const auto& caller = command.caller;
  if (!customer || customer->erased_at || customer->id != command.id) return Rejection::kCustomerNotFound;
  if (caller.project && *caller.project != customer->project) return Rejection::kCustomerNotFound;
  if (caller.sandbox_only && customer->environment == Environment::kLive) return Rejection::kLiveForTestKey;
  return std::nullopt;
}

bool has_same_block(const Customer& customer, const BlockCustomer& command) {
  return customer.block && customer.block->type == command.type && customer.block->reason == command.reason &&
         customer.block->expires_at == command.expires_at;
}

}  // namespace

Decision decide(const Project* project, const Customer* customer, const SaveCustomer& command,
                const Context& context) {
  const bool verify = project && project->settings.verify_documents;
  if (verify && !has_valid_check_digits(command.details.document))
    return refuse(Rejection::kInvalidDocumentCheckDigits);
  auto stream = customer_stream(command.project, command.environment, command.token);
  auto details = command.details;
  if (command.metadata)
    details.metadata = *command.metadata;
  else if (customer && customer->details)
    details.metadata = customer->details->metadata;
  if (!customer) {
    CustomerRegistered registered{mint<CustomerId>(context.ids, 0), command.project, std::move(details),
                                  command.environment};
    return record(std::move(stream), command.project, CustomerEvent(std::move(registered)));
  }
  if (customer->details == details) return nothing_to_do();
  return record(std::move(stream), command.project, CustomerEvent(CustomerUpdated{std::move(details)}));
}

Decision decide(const Customer* customer, const BlockCustomer& command, const Context& context) {
  if (const auto rejection = guard(customer, command)) return refuse(*rejection);
  if (has_same_block(*customer, command)) return nothing_to_do();
  if (command.expires_at && *command.expires_at <= context.now) return refuse(Rejection::kBlockExpiryInPast);
  return record(command.customer, customer->project,
                CustomerEvent(CustomerBlocked{command.type, command.reason, command.expires_at}));
}

Decision decide(const Customer* customer, const UnblockCustomer& command, const Context& context) {
  if (const auto rejection = guard(customer, command)) return refuse(*rejection);
  if (!is_blocked(*customer, context.now)) return nothing_to_do();
  return record(command.customer, customer->project, CustomerEvent(CustomerUnblocked{}));
}

Decision decide(const Customer* customer, const EraseCustomer& command, const Context&) {
  if (!customer) return refuse(Rejection::kCustomerNotFound);
  // The stream once held that id, so a later id means that this customer was erased.
  if (customer->erased_at || customer->id != command.id) return nothing_to_do();
  return record(command.customer, customer->project,
                CustomerEvent(CustomerErased{command.id, command.reason}));
}

namespace {

bool has_entry(const Blocklist* blocklist, const BlocklistEntryId& id) {
  return blocklist && std::any_of(blocklist->entries.begin(), blocklist->entries.end(),
                                  [&](const BlocklistEntry& entry) { return entry.id == id; });
}

}  // namespace

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry& command, const Context& context) {
  if (blocklist) {
    if (find_entry(*blocklist, command.value)) return nothing_to_do();
    if (blocklist->entries.size() >= kBlocklistEntriesMax) return refuse(Rejection::kBlocklistLimit);
  }
  BlocklistEntryAdded added{.id = mint<BlocklistEntryId>(context.ids, 0),
                            .project = command.project,
                            .value = command.value,
                            .reason = command.reason,
                            .environment = command.environment};
  return record(blocklist_stream(command.project, command.environment), command.project,
                BlocklistEvent(std::move(added)));
}

Decision decide(const Blocklists& blocklists, const RemoveBlocklistEntry& command, const Context&) {
  const bool live = has_entry(blocklists.live, command.id);
  if (!live && !has_entry(blocklists.sandbox, command.id)) return refuse(Rejection::kBlocklistEntryNotFound);
  if (live && command.sandbox_only) return refuse(Rejection::kLiveForTestKey);
  return record(blocklist_stream(command.project, live ? Environment::kLive : Environment::kSandbox),
                command.project, BlocklistEvent(BlocklistEntryRemoved{command.id}));
}

}  // namespace pixledger::domain
