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

// The parts of `pixledger doctor`. They write nothing and take no locks or reader slots, so they work beside
// other programs and on read-only directories.
namespace pixledger::tools {

enum class Severity { kOk, kWarning, kProblem };

struct Diagnosis {
  std::string check;  // "disk"
  Severity severity;
  std::string found;
  std::string advice;  // remedy; empty if none is needed
};
using Diagnoses = std::vector<Diagnosis>;

// The states of streams with this name prefix, read without a lock or a reader slot.
using StreamStates = std::map<domain::StreamName, domain::AggregateState>;
StreamStates states_of(const eventstore::LedgerOptions& options, const std::string& name_begin);

// Page size, kernel, file system and its write permission, memory, open files, disk.
void examine_machine(const DataDirectory& data, Diagnoses& found);
// Errors of the configuration file, contradicting options and invalid values.
void examine_configuration(const eventstore::LedgerOptions& options, Diagnoses& found);
// Modes and owner of the keys, whether they open, and whether they belong to the ledger.
void examine_keys(const eventstore::LedgerOptions& options, Diagnoses& found);
// Format, map, readers, gate and clock. Returns false if the ledger is unreadable and cannot be compared with
// other data.
bool examine_ledger(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// For a node: PostgreSQL's settings and clock, the other nodes, and the locations of active workers. Does
// nothing on a ledger of one machine.
void examine_cluster(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Bank connections' certificates that expire soon or have expired.
void examine_connections(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Whether banks of active connections are reachable, respond correctly and have the right time. Also open
// work of disabled connections, and payments that match no charge.
void examine_banks(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// The remedy for a damaged ledger: of one machine, or a node's copy.
std::string remedy_of_damage(const DataDirectory& data);
// Unfinished erasures.
void examine_erasures(const DataDirectory& data, Diagnoses& found);
void examine_kept_copies(const DataDirectory& data, Diagnoses& found);
// Generations and the processes that use them.
void examine_views(const eventstore::LedgerOptions& options, Diagnoses& found);
// Payments at live charges that paid none of them, from the read models.
void examine_money(const eventstore::LedgerOptions& options, Diagnoses& found);
// Whether workers run, their positions and their queues.
void examine_workers(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Whether the accounts are accessible to other users, and readable; users who cannot sign in. Does nothing if
// there are no accounts.
void examine_accounts(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);
// Times and results of the last backup and the last verification.
void examine_operations(const DataDirectory& data, const Clock& clock, Diagnoses& found);
// Whether the targets of `pixledger follow` have everything, and no longer have what was erased. Does nothing
// where nothing follows.
void examine_targets(const eventstore::LedgerOptions& options, const Clock& clock, Diagnoses& found);

// True if the ledger contains the event at a cursor; a cursor at the beginning is of every history.
bool has_event_of(const eventstore::LedgerOptions& options, Position position, const Digest& leaf_hash);

// The remedy for an error that says nothing about the data, such as missing permission or too many open
// files. Nullopt for other errors, such as damage.
std::optional<std::string> advice_when_refused(const std::exception& error);

}  // namespace pixledger::tools
