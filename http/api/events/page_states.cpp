#include "http/api/events/page_states.h"

#include "eventstore/codec/codec.h"
#include "eventstore/log/stream_events.h"

namespace pixledger::http {
namespace {

using domain::RecordedEvent;

// Between two settings lie at most the connections that a project can have.
constexpr std::uint32_t kBetweenSettingsMax = domain::kConnectionsPerProjectMax;

const domain::StoreSettings* settings_in(const RecordedEvent& event) {
  const auto* of_project = std::get_if<domain::ProjectEvent>(&event.event);
  if (!of_project) return nullptr;
  if (const auto* created = std::get_if<domain::ProjectCreated>(of_project)) return &created->settings;
  const auto* changed = std::get_if<domain::StoreSettingsChanged>(of_project);
  return changed ? &changed->settings : nullptr;
}

void fold_in(std::optional<domain::Charge>& charge, const RecordedEvent& event) {
  charge = domain::apply(std::move(charge), std::get<domain::ChargeEvent>(event.event), event.recorded_at);
}

// The settings that the events after a version, up to the one in front of `event`, have set last.
std::optional<domain::StoreSettings> last_settings(const eventstore::Log& log, std::uint32_t after_version,
                                                   const RecordedEvent& event) {
  std::optional<domain::StoreSettings> last;
  const Position before(event.position.value() - 1);
  for (const auto& stored : eventstore::StreamEvents(log, event.stream, after_version, before)) {
    const auto earlier = eventstore::decode(stored);
    if (const auto* settings = settings_in(earlier)) last = *settings;
  }
  return last;
}

}  // namespace

const domain::Charge& PageStates::charge_with(const RecordedEvent& event) {
  auto& [charge, version] = charges_[event.stream];
  if (version + 1 < event.version) {
    const Position before(event.position.value() - 1);
    for (const auto& stored : eventstore::StreamEvents(log_, event.stream, version, before))
      fold_in(charge, eventstore::decode(stored));
  }
  if (version < event.version) fold_in(charge, event);
  version = event.version;
  if (!charge) throw eventstore::LogCorrupt("an event of a charge that was never created");
  return *charge;
}

domain::StoreSettings PageStates::settings_before(const RecordedEvent& event) {
  auto before = settings_ ? std::optional(settings_->second) : std::nullopt;
  const auto known = settings_ ? settings_->first : 0;
  if (known + 1 < event.version) {
    const auto far = event.version - 1 > kBetweenSettingsMax ? event.version - 2 - kBetweenSettingsMax : 0;
    if (auto later = last_settings(log_, std::max(known, far), event)) before = std::move(later);
  }
  if (!before) throw eventstore::LogCorrupt("the settings of a project that was never created");
  if (const auto* settings = settings_in(event)) settings_.emplace(event.version, *settings);
  return *std::move(before);
}

}  // namespace pixledger::http
