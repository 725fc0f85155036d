#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "stores/status/provider_state.h"
#include "tools/operations/banks/bank_session.h"

namespace pixledger::tools {

// What the worker has noted of the connection; empty where it has never run.
stores::BankState state_of(const BankSession& bank);

// And of what its account shows, as long as that is told.
std::vector<stores::AccountMisfit> misfits_at(const BankSession& bank);

// How far back the worker looks at the account, from the nearest on: by its plan, and where it begins.
std::vector<std::chrono::milliseconds> looks_back(const BankSession& bank);

// "100 days", "15 minutes".
std::string days_of(std::chrono::milliseconds length);

// Whether a bank shows its account as far back as the worker looks. As the worker does, it narrows a window
// that the bank refuses or does not manage by halves, down to an hour.
class WindowReading {
 public:
  // `bank` outlives it. `window_ms`: what the worker has found out that the bank takes.
  WindowReading(BankSession& bank, std::optional<std::int64_t> window_ms);

  struct Seen {
    std::int64_t items = 0;    // of the newest window
    std::string problem = {};  // empty: both the newest and the oldest window are shown
  };
  Seen read(std::chrono::milliseconds back);
  // What the bank shows at a time; nullopt: as much as it was asked for.
  std::optional<std::chrono::milliseconds> longest() const { return longest_; }

 private:
  BankSession& bank_;
  std::optional<std::chrono::milliseconds> longest_;
};

}  // namespace pixledger::tools
