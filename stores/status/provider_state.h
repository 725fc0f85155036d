#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/values/timestamp.h"
#include "stores/banks/provider_repository.h"

// What a look from outside tells of the banks that the providers' worker of a data directory speaks to, while
// it goes on. `workers` is the directory with one for each.
namespace pixledger::stores {

struct BankState {
  std::string connection;
  Timestamp since;                        // when it was added
  std::optional<Timestamp> looked_up_to;  // all payments up to then were seen; none: never yet
  std::optional<std::int64_t> ahead_ms;   // the bank's clock against ours
  std::optional<Timestamp> certificate_ends_at;
  std::optional<std::int64_t> window_ms;  // it is asked about that much of its account at most; none: any
  std::int64_t early_ms = 0;              // it writes times of payments up to so much too early
  std::optional<Timestamp> early_at;      // and did so last then
  bool is_left_alone = false;             // the breaker is open
};

// What is open of a connection, by kind: "code", "cancel", "refund", "removal", "send_back", "callback",
// "future", "refused".
struct BankBacklog {
  std::string connection;
  std::string kind;
  std::uint64_t open = 0;
  Timestamp oldest;  // of these: since when it is open
};

// A look at a connection's account that is made again and again.
struct BankLook {
  std::string connection;
  AccountLook look;
  Timestamp since;                   // there is such a look
  std::optional<Timestamp> seen_at;  // when it has shown all last; none: never yet
  std::string fault;                 // of the last that did not; empty: it did

  // For how long it is overdue.
  std::int64_t unread_ms(Timestamp now) const {
    return seen_at ? now.millis() - seen_at->millis() - look.every_ms : now.millis() - since.millis();
  }
};
// "100d", "24h", "15m", "30s".
std::string back_of(const AccountLook& look);

struct BankStates {
  std::vector<BankState> banks;
  std::vector<BankLook> looks;
  std::vector<BankBacklog> backlogs;
  std::vector<AccountMisfit> misfits;
  std::vector<BankCount> counts;
};

// All empty where the worker has never run. Throws Poco::Exception or std::runtime_error when its database
// cannot be read.
BankStates bank_states(const std::filesystem::path& workers);

// The banks alone; none where no worker speaks to them from this machine now: what one saw last is no news.
// Throws the same.
std::vector<BankState> watched_banks(const std::filesystem::path& workers);

}  // namespace pixledger::stores
