#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/values/timestamp.h"
#include "stores/banks/provider_repository.h"

// The status of the banks that a data directory's providers' worker connects to, read while it runs.
// `workers` is the directory that contains one directory per worker.
namespace pixledger::stores {

struct BankState {
  std::string connection;
  Timestamp since;                        // when it was added
  std::optional<Timestamp> looked_up_to;  // all payments up to then were seen; absent: never yet
  std::optional<std::int64_t> ahead_ms;   // the bank's clock against ours
  std::optional<Timestamp> certificate_ends_at;
  std::optional<std::int64_t> window_ms;  // longest period of its account that one query may ask for; absent:
                                          // unlimited
  std::int64_t early_ms = 0;              // its payment times are up to this much too early
  std::optional<Timestamp> early_at;      // when that last occurred
  bool is_left_alone = false;             // the circuit breaker is open
};

// Open work of a connection, by kind: "code", "cancel", "refund", "removal", "send_back", "callback",
// "future", "refused".
struct BankBacklog {
  std::string connection;
  std::string kind;
  std::uint64_t open = 0;
  Timestamp oldest;  // since when the oldest of them is open
};

// A periodic query of a connection's account.
struct BankLook {
  std::string connection;
  AccountLook look;
  Timestamp since;                   // since when this query exists
  std::optional<Timestamp> seen_at;  // last complete result; absent: never yet
  std::string fault;                 // of the last failure; empty: the last query succeeded

  // How long it is overdue.
  std::int64_t unread_ms(Timestamp now) const {
    return seen_at ? now.millis() - seen_at->millis() - look.every_ms : now.millis() - since.millis();
  }
};
// "100d", "24h", "15m", "30s".
std::string back_of(const AccountLook& look);

// Whether later results show that such a misfit is settled, or the worker deletes it then.
bool can_be_settled(const AccountMisfit& misfit);

struct BankStates {
  std::vector<BankState> banks;
  std::vector<BankLook> looks;
  std::vector<BankBacklog> backlogs;
  std::vector<AccountMisfit> misfits;
  std::vector<BankCount> counts;

  // Whether to report it: for thirty days after its last occurrence, unless it is settled before.
  bool is_told(const AccountMisfit& misfit, Timestamp now) const;

 private:
  bool is_settled(const AccountMisfit& misfit) const;
};

// All empty if the worker has never run. Throws Poco::Exception or std::runtime_error if its database cannot
// be read.
BankStates bank_states(const std::filesystem::path& workers);

// The banks only; empty if no worker on this machine connects to them now, because old observations are
// stale. Throws the same.
std::vector<BankState> watched_banks(const std::filesystem::path& workers);

}  // namespace pixledger::stores
