#include "tools/operations/operations_note.h"

#include <iostream>

#include "projections/status/operations_record.h"
#include "projections/storage/refusal.h"

namespace pixledger::tools {
namespace {

template <class Record>
void attempt(Record record) {
  try {
    record();
  } catch (const std::exception& error) {
    std::cerr << "pixledger: that this was done is not recorded: " << projections::text_of(error) << "\n";
  }
}

}  // namespace

void note_backup(const eventstore::DataDirectory& data, domain::Timestamp ended_at, bool succeeded) {
  attempt([&] { projections::record_backup(data, ended_at, succeeded); });
}

void note_verification(const eventstore::DataDirectory& data, domain::Timestamp ended_at, bool sound) {
  attempt([&] { projections::record_verification(data, ended_at, sound); });
}

}  // namespace pixledger::tools
