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
// use it as a ledger of one machine. The newest format that this release reads is kLedgerFormat.
constexpr std::uint32_t kLedgerFormatVersion = 1;
constexpr std::uint32_t kCopyFormatVersion = 2;

// Somebody reads a snapshot that still has what was removed.
class SnapshotInUse : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A log with what those need who keep a ledger: verify and backup look at it as it lies there, an erasure
// takes personal data out of it. Thread-safe. All implementations pass one contract test
// (tests/eventstore/log/ledger_log_contract_test.cpp).
class LedgerLog : public Log {
 public:
  virtual std::unique_ptr<LogSnapshot> snapshot() const = 0;

  // Each of these throws LogUnavailable when there is no room to do it, and can be done anew.

  // Removes the personal bytes of events, durably; costs nothing where they are gone already. Which ones an
  // erasure takes is told by erasure.h.
  virtual void remove_personal(const std::vector<Position>& positions) = 0;
  // Overwrites what this process goes on holding of them to write from. Every process that has written values
  // that were removed since has to, before scrub().
  virtual void scrub_buffers() = 0;
  // Overwrites what the log's files go on holding of what was removed before, also in this process. Throws
  // SnapshotInUse when somebody reads a snapshot from before the call for longer than `patience`.
  virtual void scrub(std::chrono::milliseconds patience) = 0;
};

// A new ledger has the format of release 0.1.0, kLedgerFormatVersion. The first event that 0.1.0 cannot read
// (codec/needed_format.h) raises it to this one; before that event 0.1.0 can still use the ledger.
constexpr std::uint32_t kLedgerFormat = 3;
// The format of a node's copy is one higher than that of the same ledger on one machine.
constexpr std::uint64_t format_of_copy(std::uint64_t format) {
  return format + (kCopyFormatVersion - kLedgerFormatVersion);
}
constexpr bool is_format_of_copy(std::uint64_t format) { return format % 2 == 0; }
constexpr std::uint64_t kNewestFormat = format_of_copy(kLedgerFormat);
static_assert(is_format_of_copy(kNewestFormat) && !is_format_of_copy(kLedgerFormatVersion));

// Returns the lowest format that an event needs.
using FormatOf = std::function<std::uint32_t(const StoredEvent&)>;

}  // namespace pixledger::eventstore
