#pragma once

#include <functional>
#include <string>
#include <vector>

#include "base/platform/json.h"
#include "domain/aggregates/event.h"
#include "domain/aggregates/project.h"

namespace pixledger::eventstore {

// How an event's times are written.
using TimeText = std::function<std::string(Timestamp)>;

// Writes one event, for readers with all rights: position, stream, version, type, recordedAt, actor,
// requestId, data. Includes personal data (null once erased), but no secrets and no hashes of keys.
void write_event(Json& json, const domain::RecordedEvent& event, const TimeText& times = to_iso8601);

// Write parts of a project into the open object, as events show them.
void write_settings_fields(Json& json, const domain::StoreSettings& settings);
// Writes an array.
void write_connections(Json& json, const std::vector<domain::Connection>& connections);

// Store settings as merchants see them, under the API's names. A Pix key shows both ends and not the middle:
// enough to recognize one's own.

// Writes members into the open object.
void write_store_settings(Json& json, const domain::StoreSettings& settings);

// Writes the members `changed` (the names of changed settings, so that a change shows even if the masked Pix
// keys are equal), `before` and `after` into the open object.
void write_settings_change(Json& json, const domain::StoreSettings& before,
                           const domain::StoreSettings& after);

}  // namespace pixledger::eventstore
