#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <stdexcept>
#include <vector>

#include "eventstore/log/log_snapshot.h"

namespace pixledger::eventstore {

// The formats that new ledgers begin with, those of release 0.1.0: of a ledger of one machine, and of a
// node's copy of a shared ledger. A copy has a number of its own, since releases that do not know nodes would
// use it as a ledger of one machine. The newest format that this release reads is kNewestFormat.
constexpr std::uint32_t kLedgerFormatVersion = 1;
constexpr std::uint32_t kCopyFormatVersion = 2;

// A reader has a snapshot that still contains removed data.
class SnapshotInUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A log with what keeping a ledger needs: raw snapshots for verify and backup, and the removal of personal
// data. Thread-safe. All implementations pass one contract test
// (tests/eventstore/log/ledger_log_contract_test.cpp).
class LedgerLog : public Log {
 public:
  virtual std::unique_ptr<LogSnapshot> snapshot() const = 0;

  // What opening the log has mended after a loss of power or a kill, as a sentence for the operator; empty if
  // there was nothing.
  virtual std::string recovered() const { return {}; }
  // What is wrong with the files of the log that are no part of a snapshot; nullopt if nothing is.
  virtual std::optional<std::string> problem_of_files() const { return std::nullopt; }

  // Each of these throws LogUnavailable if there is no room for it, and can be repeated.

  // Removes the personal bytes of events, durably; costs nothing if they are gone already. erasure.h says
  // which events an erasure covers.
  virtual void remove_personal(const std::vector<Position>& positions) = 0;
  // Overwrites what this process's write buffers still hold of removed values. Every process that has written
  // such values must call it before scrub().
  virtual void scrub_buffers() = 0;
  // Overwrites what the log's files still hold of values removed before, also in this process. Throws
  // SnapshotInUse if a reader keeps a snapshot from before the call for longer than `patience`.
  virtual void scrub(std::chrono::milliseconds patience) = 0;
};

// A new ledger has the format of release 0.1.0, kLedgerFormatVersion. The first event that 0.1.0 cannot read
// (codec/needed_format.h) raises it to this one, if the ledger has no journal yet; backups keep the
// distinction.
constexpr std::uint32_t kLedgerFormat = 3;
// The format of a node's copy is one higher than that of the same ledger on one machine.
constexpr std::uint64_t format_of_copy(std::uint64_t format) {
  return format + (kCopyFormatVersion - kLedgerFormatVersion);
}
constexpr bool is_format_of_copy(std::uint64_t format) { return format % 2 == 0; }
// The format of a ledger with a journal, whatever its events need: earlier releases would write around it.
constexpr std::uint64_t kJournalFormat = 5;
constexpr std::uint64_t kNewestFormat = format_of_copy(kJournalFormat);
static_assert(is_format_of_copy(kNewestFormat) && !is_format_of_copy(kLedgerFormatVersion));

// Returns the lowest format that an event needs.
using FormatOf = std::function<std::uint32_t(const StoredEvent&)>;

}  // namespace pixledger::eventstore
