#include "workers/banks/connection_keys.h"

#include <algorithm>

#include "base/text/ascii.h"
#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::workers {
namespace {

// The connection that an event of a project makes what it is; null: none.
const domain::Connection* connection_in(const domain::RecordedEvent& event) {
  const auto* of_project = std::get_if<domain::ProjectEvent>(&event.event);
  if (!of_project) return nullptr;
  if (const auto* added = std::get_if<domain::ConnectionAdded>(of_project)) return &added->connection;
  const auto* changed = std::get_if<domain::ConnectionChanged>(of_project);
  return changed ? &changed->connection : nullptr;
}

// An e-mail address without blanks around it, of others letters and digits, in lower case.
std::string folded(std::string_view text) {
  const bool is_address = text.find('@') != std::string_view::npos;
  std::string kept;
  for (const char c : text)
    if (is_address ? c != ' ' : is_ascii_alnum(c)) kept += to_ascii_lower(c);
  return kept;
}

}  // namespace

bool is_key(const domain::PixKey& key, std::string_view written) {
  const auto own = folded(key.text());
  const auto other = folded(written);
  if (own == other) return true;
  constexpr std::string_view kCountry = "55";
  return key.text().front() == '+' && !other.empty() && own == std::string(kCountry) + other;
}

bool is_legible_key(std::string_view written) {
  return !folded(written).empty() && written.find('*') == std::string_view::npos;
}

void ConnectionKeys::refresh(const domain::ProjectId& project, Known& known) const {
  for (const auto& stored : eventstore::StreamEvents(log_, domain::project_stream(project), known.version)) {
    const auto event = eventstore::decode(stored);
    known.version = event.version;
    const auto* connection = connection_in(event);
    if (!connection || !connection->api_pix) continue;
    auto& keys = known.keys[connection->id];
    std::erase(keys, connection->api_pix->pix_key);
    keys.push_back(connection->api_pix->pix_key);
  }
}

std::vector<domain::PixKey> ConnectionKeys::all(const domain::ProjectId& project,
                                                const domain::ConnectionId& connection) {
  const std::lock_guard lock(mutex_);
  auto& known = known_[project];
  refresh(project, known);
  const auto found = known.keys.find(connection);
  return found == known.keys.end() ? std::vector<domain::PixKey>() : found->second;
}

bool ConnectionKeys::has(const domain::ProjectId& project, const domain::ConnectionId& connection,
                         std::string_view key) {
  const auto keys = all(project, connection);
  return std::any_of(keys.begin(), keys.end(), [&](const auto& own) { return is_key(own, key); });
}

}  // namespace pixledger::workers
