#include "tools/operations/doctor/bank_streams.h"

#include "eventstore/codec/codec.h"
#include "eventstore/lmdb/database_facts.h"

namespace pixledger::tools {

using States = std::map<domain::StreamName, domain::AggregateState>;

States states_of(const eventstore::LedgerOptions& options, const std::string& name_begin) {
  States states;
  for (const auto& stored :
       eventstore::stream_events_in(options.data.ledger(), options.map_bytes, name_begin)) {
    const auto event = eventstore::decode(stored);
    const auto found = states.find(event.stream);
    auto next = domain::apply(found == states.end() ? std::nullopt : std::optional(found->second),
                              event.event, event.recorded_at);
    if (next) states.insert_or_assign(event.stream, *std::move(next));
  }
  return states;
}

std::vector<KnownBank> known_banks(const eventstore::LedgerOptions& options) {
  std::vector<KnownBank> banks;
  States projects;
  for (const auto& [stream, state] : states_of(options, "connection-")) {
    const auto& bank = std::get<domain::BankConnection>(state);
    const auto of_project = domain::project_stream(bank.project);
    if (!projects.contains(of_project)) projects.merge(states_of(options, of_project.text()));
    const auto found = projects.find(of_project);
    if (found == projects.end()) continue;
    const auto* connection = domain::connection_of(std::get<domain::Project>(found->second), bank.id);
    if (connection) banks.push_back({*connection, bank});
  }
  return banks;
}

}  // namespace pixledger::tools
