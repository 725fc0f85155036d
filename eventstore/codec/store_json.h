#pragma once

#include "domain/aggregates/project.h"
#include "eventstore/platform/json.h"

// A store's settings as merchants see them, in the API and in webhooks: the Pix key without its middle.
namespace pixledger::eventstore {

// Members of the object that is open.
void write_store_settings(Json& json, const domain::StoreSettings& settings);

// What a change is, as members of the object that is open: "changed", the names of what is not as it was, of
// which some may look alike since they are masked; "before" and "after", all settings.
void write_store_change(Json& json, const domain::StoreSettings& before, const domain::StoreSettings& after);

}  // namespace pixledger::eventstore
