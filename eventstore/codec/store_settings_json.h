#pragma once

#include "base/platform/json.h"
#include "domain/aggregates/project.h"

// What merchants are shown of their store's settings, under the API's names. Of a Pix key they see both ends
// and not the middle: enough to tell whether it is theirs.
namespace pixledger::eventstore {

// As members of the object that is open.
void write_store_settings(Json& json, const domain::StoreSettings& settings);

// The members `changed` (the names of those that differ, so that a Pix key that looks the same shows),
// `before` and `after`, into the object that is open.
void write_settings_change(Json& json, const domain::StoreSettings& before,
                           const domain::StoreSettings& after);

}  // namespace pixledger::eventstore
