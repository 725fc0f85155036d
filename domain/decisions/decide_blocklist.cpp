#include "domain/decisions/decide_blocklist.h"

#include <algorithm>

namespace pixledger::domain {

Decision decide(const Blocklist* blocklist, const AddBlocklistEntry& command, const Context& context) {
  if (blocklist) {
    if (find_entry(*blocklist, command.value)) return nothing_to_do();
    if (blocklist->entries.size() >= kBlocklistEntriesMax) return refuse(Rejection::kBlocklistLimit);
  }
  BlocklistEntryAdded added{.id = mint<BlocklistEntryId>(context.ids, 0),
                            .project = command.project,
                            .value = command.value,
                            .reason = command.reason};
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

}  // namespace pixledger::domain
