#pragma once

#include "domain/values/timestamp.h"
#include "eventstore/platform/data_directory.h"

namespace pixledger::tools {

// Keep for metrics, alarms and the doctor what a command came to (projections/status/operations_record.h).
// That it cannot be kept is told on stderr, and changes nothing about what the command says.
void note_backup(const eventstore::DataDirectory& data, domain::Timestamp ended_at, bool succeeded);
void note_verification(const eventstore::DataDirectory& data, domain::Timestamp ended_at, bool sound);

}  // namespace pixledger::tools
