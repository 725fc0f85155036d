#include "tools/audit/project_keys.h"

#include <algorithm>
#include <iterator>

#include "domain/decisions/dispatch.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::tools {
namespace {

constexpr std::size_t kProjectsKnownMax = 4096;

}  // namespace

std::optional<ProjectKeys::Known> ProjectKeys::before(Position position, const domain::ProjectId& project,
                                                      const domain::ConnectionId& connection) {
  auto found = changes_.find(project.text());
  if (found == changes_.end()) {
    if (changes_.size() >= kProjectsKnownMax) changes_.clear();
    found = changes_.emplace(project.text(), read(project)).first;
  }
  const auto& changes = found->second;
  const auto later = std::partition_point(changes.begin(), changes.end(),
                                          [&](const Change& change) { return change.position < position; });
  if (later == changes.begin()) return std::nullopt;
  const auto& then = *std::prev(later);
  const auto of_bank = then.of_connections.find(connection.text());
  const bool is_of_bank = of_bank != then.of_connections.end();
  return Known{is_of_bank ? of_bank->second : then.key, is_of_bank};
}

std::vector<ProjectKeys::Change> ProjectKeys::read(const domain::ProjectId& project) const {
  std::vector<Change> changes;
  std::optional<domain::Project> state;
  std::uint32_t version = 0;
  for (const auto& stored : eventstore::StreamEvents(log_, domain::project_stream(project))) {
    const auto event = eventstore::decode(stored);
    const auto* change = std::get_if<domain::ProjectEvent>(&event.event);
    if (!change || event.version != ++version) return {};
    state = domain::apply(std::move(state), *change, event.recorded_at);
    if (!state) return {};
    Change now{.position = event.position, .key = state->settings.pix_key, .of_connections = {}};
    for (const auto& connection : state->connections)
      if (connection.api_pix) now.of_connections.emplace(connection.id.text(), connection.api_pix->pix_key);
    if (changes.empty() || changes.back().key != now.key ||
        changes.back().of_connections != now.of_connections)
      changes.push_back(std::move(now));
  }
  return changes;
}

}  // namespace pixledger::tools
