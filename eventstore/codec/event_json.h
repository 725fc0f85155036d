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

// One event for who may see all of it: position, stream, version, type, recordedAt, actor, requestId, data.
// Personal data is shown (null once erased); secrets and the hashes of keys are not.
void write_event(Json& json, const domain::RecordedEvent& event, const TimeText& times = to_iso8601);

// Parts of a project as events show them, into the object that is open.
void write_settings_fields(Json& json, const domain::StoreSettings& settings);
// An array.
void write_connections(Json& json, const std::vector<domain::Connection>& connections);

// What merchants are shown of their store's settings, under the API's names. Of a Pix key they see both ends
// and not the middle: enough to tell whether it is theirs.

// As members of the object that is open.
void write_store_settings(Json& json, const domain::StoreSettings& settings);

// The members `changed` (the names of those that differ, so that a Pix key that looks the same shows),
// `before` and `after`, into the object that is open.
void write_settings_change(Json& json, const domain::StoreSettings& before,
                           const domain::StoreSettings& after);

}  // namespace pixledger::eventstore
