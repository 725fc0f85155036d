#pragma once

#include <cstdint>
#include <functional>

#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

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
