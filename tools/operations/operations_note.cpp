#include "tools/operations/operations_note.h"

#include <iostream>

#include "stores/sql/refusal.h"
#include "stores/status/operations_record.h"

namespace pixledger::tools {
namespace {

template <class Record>
void attempt(Record record) {
  try {
    record();
  } catch (const std::exception& error) {
    std::cerr << "pixledger: that this was done is not recorded: " << stores::text_of(error) << "\n";
  }
}

}  // namespace

void note_backup(const DataDirectory& data, Timestamp ended_at, bool succeeded) {
  attempt([&] { stores::record_backup(data, ended_at, succeeded); });
}

void note_verification(const DataDirectory& data, Timestamp ended_at, bool sound) {
  attempt([&] { stores::record_verification(data, ended_at, sound); });
}

}  // namespace pixledger::tools
