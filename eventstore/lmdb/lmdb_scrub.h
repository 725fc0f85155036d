#pragma once

#include <chrono>
#include <functional>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/ledger_log.h"

// Overwrites what an LMDB file holds besides its records. LMDB never writes to a page in use, and of a page
// it writes only what is used, so removed values stay behind: on free pages, in the unused middle of other
// pages, behind the ends of large values, and in the memory in which a process prepares pages, from where
// they get into the unused middle of new ones.
namespace pixledger::eventstore {

// Runs work inside an exclusive write of the environment, when it is its turn.
using InWrite = std::function<void(const std::function<void(LmdbWrite&)>&)>;

// Overwrites the memory in which this process prepares the environment's pages. Every process that has
// written values that were removed since has to, before the file is scrubbed.
void scrub_page_buffers(const InWrite& in_write);

// Afterwards no value that had been removed at the call is in the file, as long as all processes that had
// written it have scrubbed their buffers. Others go on reading and writing: it is done in short exclusive
// writes, each durable before the next, and changes no record and no byte that a reader may look at. Reads
// the whole file. Throws SnapshotInUse when a snapshot from before the call is still read after `patience`;
// LmdbError, std::system_error; and whatever `in_write` throws, or `while_waiting`, which is called again and
// again while a snapshot is waited for: it can be done anew from the beginning.
void scrub_unused_bytes(
    const LmdbEnvironment& environment, const InWrite& in_write, std::chrono::milliseconds patience,
    const std::function<void()>& while_waiting = [] {});

}  // namespace pixledger::eventstore
