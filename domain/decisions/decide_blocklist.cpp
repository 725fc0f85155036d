#include "domain/decisions/decide_blocklist.h"

#include <algorithm>

namespace pixledger::domain {
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
