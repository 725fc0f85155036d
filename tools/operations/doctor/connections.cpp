#include <map>

#include "domain/decisions/dispatch.h"
#include "eventstore/codec/codec.h"
#include "eventstore/lmdb/database_facts.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

using domain::StreamName;

constexpr std::int64_t kWarnedBeforeMs = std::int64_t{30} * 24 * 60 * 60 * 1000;

// What the streams hold whose names begin so.
std::map<StreamName, domain::AggregateState> states_of(const eventstore::CommonOptions& options,
                                                       const std::string& name_begin) {
  std::map<StreamName, domain::AggregateState> states;
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

// nullptr: its project does not know it, or has disabled it.
const domain::Connection* in_use(const std::map<StreamName, domain::AggregateState>& projects,
                                 const domain::BankConnection& bank) {
  const auto found = projects.find(domain::project_stream(bank.project));
  if (found == projects.end()) return nullptr;
  const auto* connection = domain::connection_of(std::get<domain::Project>(found->second), bank.id);
  return connection && connection->is_enabled() ? connection : nullptr;
}

Diagnosis ending(const domain::Connection& connection, const domain::BankConnection& bank,
                 domain::Timestamp ends_at, domain::Timestamp now) {
  const bool has_ended = ends_at <= now;
  return {"certificate", has_ended ? Severity::kProblem : Severity::kWarning,
          "that of connection " + connection.alias.text() + " (" + bank.id.text() +
              (has_ended ? ") has ended on " : ") ends on ") + domain::to_iso8601(ends_at),
          "get another one from the bank, then: pixledger connection rotate --project " +
              bank.project.text() + " --connection " + bank.id.text() + " --cert FILE --key FILE"};
}

}  // namespace

void examine_connections(const eventstore::CommonOptions& options, const eventstore::Clock& clock,
                         Diagnoses& found) {
  try {
    const auto before = found.size();
    const auto now = clock.now();
    std::size_t lasting = 0;
    std::map<StreamName, domain::AggregateState> projects;
    for (const auto& [stream, state] : states_of(options, "connection-")) {
      const auto& bank = std::get<domain::BankConnection>(state);
      const auto& certificate = bank.configuration.certificate;
      if (!certificate) continue;
      if (certificate->ends_at > now.plus_millis(kWarnedBeforeMs)) {
        ++lasting;
        continue;
      }
      projects.merge(states_of(options, domain::project_stream(bank.project).text()));
      if (const auto* connection = in_use(projects, bank))
        found.push_back(ending(*connection, bank, certificate->ends_at, now));
    }
    if (lasting > 0 && found.size() == before)
      found.push_back(
          {"certificate", Severity::kOk, "those of banks last over 30 days: " + std::to_string(lasting), ""});
  } catch (const std::exception& error) {
    found.push_back({"certificate", Severity::kWarning, error.what(),
                     advice_when_refused(error).value_or("run: pixledger verify, which says what to do")});
  }
}

}  // namespace pixledger::tools
