#pragma once

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

#include "tests/power_loss/shown.h"

namespace pixledger::tests {

// What the webhook worker's database holds at the end of a recording: the positions of its deliveries'
// events.
std::multiset<std::uint64_t> delivery_positions(const std::filesystem::path& data);

// Opens the data directory of an image by the product's own code, as after a start of the machine, and
// returns what is wrong with it:
// - the ledger does not open, is inconsistent, or lacks or contradicts something that was shown;
// - a command is there by half;
// - a file holds a customer who was erased;
// - a worker that has told anybody anything would ask for --resume-from, or has lost messages: it has handled
//   events whose messages are neither sent nor queued.
std::vector<std::string> problems_of_image(const std::filesystem::path& data, const Shown& shown,
                                           const std::multiset<std::uint64_t>& deliveries);

}  // namespace pixledger::tests
