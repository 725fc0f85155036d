#pragma once

#include <chrono>
#include <functional>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/ledger_log.h"

// Overwrites what an LMDB file holds besides its records. LMDB never writes to a page in use, and writes only
// the used bytes of a page. So removed values stay on free pages, in the unused middle of other pages, and
// behind the ends of large values. They also stay in a process's page buffers, from where they get into the
// unused middle of new pages.
namespace pixledger::eventstore {

// Waits for its turn and runs work inside an exclusive write of the environment.
using InWrite = std::function<void(const std::function<void(LmdbWrite&)>&)>;

// Overwrites this process's buffers for the environment's pages. Every process that has written values
// removed since must call it before the file is scrubbed.
void scrub_page_buffers(const InWrite& in_write);

// Overwrites in the file all values removed before the call, if all processes that wrote them have scrubbed
// their buffers. Other threads and processes continue to read and write: it works in short exclusive writes,
// each durable before the next, and changes no byte that a reader may use. Reads the whole file. Calls
// `while_waiting` repeatedly while it waits for a snapshot to end. `make_checkpoint` makes one where there
// are any (checkpoints.h), since the newest holds a snapshot. Throws SnapshotInUse if a snapshot from before
// the call is still open after `patience`, LmdbError, std::system_error, and what the functions throw. It can
// then be repeated from the beginning.
void scrub_unused_bytes(
    const LmdbEnvironment& environment, const InWrite& in_write, std::chrono::milliseconds patience,
    const std::function<void()>& while_waiting = [] {}, const std::function<void()>& make_checkpoint = [] {});

}  // namespace pixledger::eventstore
