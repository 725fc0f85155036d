#pragma once

#include <vector>

#include "domain/aggregates/project.h"
#include "eventstore/platform/json.h"

// Parts of a project as commands and events show them.
namespace pixledger::eventstore {

// Into the object that is open.
void write_settings_fields(Json& json, const domain::StoreSettings& settings);
void write_connection_fields(Json& json, const domain::Connection& connection);

// An array.
void write_connections(Json& json, const std::vector<domain::Connection>& connections);

}  // namespace pixledger::eventstore
