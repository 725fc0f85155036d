#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/dispatch.h"
#include "domain/values/stream_name.h"
#include "eventstore/process/options.h"

namespace pixledger::tools {

// What the streams hold whose names begin so, read as the doctor reads: without a lock or a reader's slot.
std::map<domain::StreamName, domain::AggregateState> states_of(const eventstore::CommonOptions& options,
                                                               const std::string& name_begin);

// A connection to a bank that its project has enabled.
struct BankInUse {
  domain::Connection connection;
  domain::BankConnection bank;
};
std::vector<BankInUse> banks_in_use(const eventstore::CommonOptions& options);

}  // namespace pixledger::tools
