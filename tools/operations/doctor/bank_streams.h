#pragma once

#include <map>
#include <string>
#include <vector>

#include "domain/aggregates/bank_connection.h"
#include "domain/aggregates/project.h"
#include "domain/decisions/dispatch.h"
#include "domain/values/stream_name.h"
#include "eventstore/ledger_options.h"

namespace pixledger::tools {

// What the streams hold whose names begin so, read as the doctor reads: without a lock or a reader's slot.
std::map<domain::StreamName, domain::AggregateState> states_of(const eventstore::LedgerOptions& options,
                                                               const std::string& name_begin);

// A connection to a bank. One that its project has disabled is not in use: it gets no charges any more, but
// what is open there goes on.
struct KnownBank {
  domain::Connection connection;
  domain::BankConnection bank;

  bool is_in_use() const { return connection.is_enabled(); }
};
std::vector<KnownBank> known_banks(const eventstore::LedgerOptions& options);

}  // namespace pixledger::tools
