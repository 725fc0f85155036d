#pragma once

#include <cstdint>
#include <functional>

#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

// A new ledger has the format of release 0.1.0, kLedgerFormatVersion, and gets this one with the first event
// that 0.1.0 cannot read (codec/needed_format.h): until then that release can go on with it.
constexpr std::uint32_t kLedgerFormat = 3;
// A node's copy of a shared ledger has the number after the one that it would have as a ledger of one
// machine.
constexpr std::uint64_t format_of_copy(std::uint64_t format) {
  return format + (kCopyFormatVersion - kLedgerFormatVersion);
}
constexpr bool is_format_of_copy(std::uint64_t format) { return format % 2 == 0; }
constexpr std::uint64_t kNewestFormat = format_of_copy(kLedgerFormat);
static_assert(is_format_of_copy(kNewestFormat) && !is_format_of_copy(kLedgerFormatVersion));

// The least format that an event needs.
using FormatOf = std::function<std::uint32_t(const StoredEvent&)>;

}  // namespace pixledger::eventstore
