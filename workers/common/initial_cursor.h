#pragma once

#include <optional>

#include "eventstore/log/log.h"
#include "eventstore/reading/log_cursor.h"

// Where a worker begins that has no state and is not told: at the ledger's head, if up to it there was
// nothing to tell. Otherwise nobody knows what it has told already, and it has to be asked.
namespace pixledger::workers {

struct InitialCursor {
  // Nullopt: it has to be told. What comes while it looks is after the head that it returns. Throws what
  // reading the log throws.
  using Find = std::optional<eventstore::LogCursor> (*)(const eventstore::Log& log);

  const char* messages;  // what the worker sends
  // Of a worker that is started by itself, which asks as soon as there was somebody to tell.
  Find find;
  // Of one that `up` starts, which asks once there was something to tell them as well.
  Find find_under_up;
};

// Webhooks are told to channels: of what has happened since the first was added. Reads up to there, which
// ledgers in use have early.
extern const InitialCursor kWebhooksBegin;
// E-mails, to customers: of their charges. Reads up to the first one.
extern const InitialCursor kEmailsBegin;

}  // namespace pixledger::workers
