#pragma once

#include "base/platform/data_directory.h"
#include "base/values/timestamp.h"

namespace pixledger::tools {

// Keep for metrics, alarms and the doctor what a command came to (stores/status/operations_record.h).
// That it cannot be kept is told on stderr, and changes nothing about what the command says.
void note_backup(const DataDirectory& data, Timestamp ended_at, bool succeeded);
void note_verification(const DataDirectory& data, Timestamp ended_at, bool sound);

}  // namespace pixledger::tools
