#pragma once

#include "base/platform/data_directory.h"
#include "base/values/timestamp.h"

namespace pixledger::tools {

// Record a command's result for metrics, alerts and the doctor (stores/status/operations_record.h). A failure
// is reported on stderr and does not change the command's result.
void note_backup(const DataDirectory& data, Timestamp ended_at, bool succeeded);
void note_verification(const DataDirectory& data, Timestamp ended_at, bool sound);

}  // namespace pixledger::tools
