#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/sha256.h"
#include "base/values/position.h"
#include "domain/decisions/dispatch.h"
#include "eventstore/ledger_options.h"

// The parts of `pixledger doctor`. They only look: nothing is written, no lock is taken, no reader's slot is
// freed, so they work beside everything else and on a directory that can only be read.
namespace pixledger::tools {

enum class Severity { kOk, kWarning, kProblem };

struct Diagnosis {
  std::string check;  // "disk"
  Severity severity;
  std::string found;
  std::string advice;  // what to do; empty when nothing is to be done
};
using Diagnoses = std::vector<Diagnosis>;

// What the streams hold whose names begin so, read without a lock or a reader's slot.
using StreamStates = std::map<domain::StreamName, domain::AggregateState>;
StreamStates states_of(const eventstore::LedgerOptions& options, const std::string& name_begin);

// Page size, kernel, file system and whether it may be written, memory, open files, disk.
void examine_machine(const DataDirectory& data, Diagnoses& found);
// What is wrong with the configuration file, and options that contradict each other or whose value is none.
void examine_configuration(const eventstore::LedgerOptions& options, Diagnoses& found);
// Modes and owner of the keys, whether they open, and whether they are those of the ledger.
void examine_keys(const eventstore::LedgerOptions& options, Diagnoses& found);
// Format, map, readers, gate and clock. False when it cannot be read, and nothing compared with it.
bool examine_ledger(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Of a node: PostgreSQL's settings and clock, the other nodes, and where workers are at work. Nothing on a
// ledger of one machine.
void examine_cluster(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Certificates of connections to banks that end soon, or have ended.
void examine_connections(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Whether the banks of connections in use are spoken to, do their work, and have the time; what is open still
// at those that were disabled, and what arrived anywhere and fits no charge.
void examine_banks(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// What to do once a ledger is known to be damaged: that of one machine, or a node's copy.
std::string remedy_of_damage(const DataDirectory& data);
// Erasures that were not finished.
void examine_erasures(const DataDirectory& data, Diagnoses& found);
void examine_kept_copies(const DataDirectory& data, Diagnoses& found);
// Generations and who uses them.
void examine_views(const eventstore::LedgerOptions& options, Diagnoses& found);
// Payments at live charges that paid none of them, from the read models.
void examine_money(const eventstore::LedgerOptions& options, Diagnoses& found);
// Whether workers run, how far they are, what waits.
void examine_workers(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Whether the accounts let others in, and can be read; who cannot sign in. Nothing where there are none.
void examine_accounts(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// When the last backup and the last verification were, and what they came to.
void examine_operations(const DataDirectory& data, const Clock& clock, Diagnoses& found);

// Whether the ledger has the event that a cursor was left at; one at the beginning is of every history.
bool has_event_of(const eventstore::LedgerOptions& options, Position position, const Digest& leaf_hash);

// What to do about an error that tells nothing of the bytes, since they may not be read here or no file can
// be opened any more; nothing for all others, such as damage.
std::optional<std::string> advice_when_refused(const std::exception& error);

}  // namespace pixledger::tools
