#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "domain/values/timestamp.h"
#include "projections/providers/provider_repository.h"

// What a look from outside tells of the banks that the providers' worker of a data directory speaks to, while
// it goes on. `workers` is the directory with one for each.
namespace pixledger::projections {

struct BankState {
  std::string connection;
  domain::Timestamp since;                        // when it was added
  std::optional<domain::Timestamp> looked_up_to;  // all payments up to then were seen; none: never yet
  std::optional<std::int64_t> ahead_ms;           // the bank's clock against ours
  std::optional<domain::Timestamp> certificate_ends_at;
  bool is_left_alone = false;  // the breaker is open
};

// What is open of a connection, by kind: "code", "cancel", "refund", "removal", "send_back", "callback",
// "future", "refused".
struct BankBacklog {
  std::string connection;
  std::string kind;
  std::uint64_t open = 0;
  domain::Timestamp oldest;  // of these: since when it is open
};

struct BankStates {
  std::vector<BankState> banks;
  std::vector<BankBacklog> backlogs;
  std::vector<BankCount> counts;
};

// All empty where the worker has never run. Throws Poco::Exception or std::runtime_error when its database
// cannot be read.
BankStates bank_states(const std::filesystem::path& workers);

// The banks alone; none where no worker speaks to them from this machine now: what one saw last is no news.
// Throws the same.
std::vector<BankState> watched_banks(const std::filesystem::path& workers);

}  // namespace pixledger::projections
