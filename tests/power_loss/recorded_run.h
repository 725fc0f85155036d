#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "tests/power_loss/recording.h"

namespace pixledger::tests {

struct RunOptions {
  std::size_t charges = 30;  // acknowledged ones, at least; half of them are paid
  std::uint32_t seed = 0;    // of the load and of the receiver of webhooks
  std::string server;        // empty: the real one
  std::string fault;         // passed to that server
};

inline constexpr const char* kMapSize = "1GiB";

// Makes a ledger in a new data directory and works with it as a shop does, all under the recorder: commands,
// a server under load, a reader of receipts and tree heads, workers for webhooks and e-mails. Once both
// workers have sent some, a customer is erased, and the programs end. Throws std::runtime_error if one of
// them fails.
void run_recorded(const std::filesystem::path& data, Recording& recording, const RunOptions& options);

}  // namespace pixledger::tests
