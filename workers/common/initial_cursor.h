#pragma once

#include <optional>

#include "eventstore/log/log.h"
#include "projections/storage/log_cursor.h"

// Where a worker begins that has no state and is not told: at the ledger's head, if there is nothing up to it
// that the worker would tell of. Otherwise nobody knows what it has told already, and it has to be asked.
namespace pixledger::workers {

struct InitialCursor {
  const char* messages;  // what the worker sends
  // Nullopt: it has to be told. What comes while it looks is after the head that it returns. Throws what
  // reading the log throws.
  std::optional<projections::LogCursor> (*find)(const eventstore::Log& log);
};

// Webhooks: nothing, unless something happened that channels are told of since the first was added. Reads up
// to there, which ledgers in use have early.
extern const InitialCursor kWebhooksBegin;
// E-mails: nothing without a charge. Reads up to the first one.
extern const InitialCursor kEmailsBegin;

}  // namespace pixledger::workers
