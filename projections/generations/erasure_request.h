#pragma once

#include <cstdint>
#include <filesystem>

#include "domain/aggregates/event.h"

// How whoever erases a customer, and the process that has the views, tell each other: through a file beside
// the generations, and one in each of them.
namespace pixledger::projections {

struct ErasureRequest {
  std::uint64_t number = 0;  // 1, 2, 3… of these views; 0: none yet
  Position position;
};

// Asks the keeper of the views, whoever that is now or later, for its part of an erasure at that position,
// whose personal bytes are gone from the ledger already. Returns the request's number. One caller at a time.
std::uint64_t request_erasure(const std::filesystem::path& views, Position erased);
ErasureRequest last_erasure_request(const std::filesystem::path& views);

// Whether a generation has nothing that this request or an earlier one is to remove.
bool is_erasure_done(const std::filesystem::path& generation, std::uint64_t request);
void note_erasure_done(const std::filesystem::path& generation, std::uint64_t request);

}  // namespace pixledger::projections
