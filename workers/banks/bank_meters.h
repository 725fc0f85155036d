#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "base/process/logging.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/api_pix/bank_exchange.h"

namespace pixledger::workers {

// What is counted and not in the database yet.
struct UnsavedBankCounts {
  // Connection, counter, and the counter's two labels.
  using Key = std::tuple<std::string, stores::BankCounter, std::string, std::string>;

  std::map<Key, std::int64_t> counts;
  std::map<domain::ConnectionId, std::int64_t> ahead_ms;  // by how much a bank's clock is ahead
};

// What others see of how the banks are spoken to: the API's servers which of them are left alone for now, at
// once, and their metrics what is counted, each second. Thread-safe.
class BankMeters {
 public:
  // `directory`: the worker's. The others outlive it. `unsaved`: of a former worker of this process, which a
  // refused write has ended. Throws std::system_error when nothing can be written there.
  BankMeters(std::filesystem::path directory, stores::ProviderRepository& database, Logger& logger,
             std::shared_ptr<UnsavedBankCounts> unsaved = std::make_shared<UnsavedBankCounts>());

  // Called with each connection whose bank is left alone from now on.
  void when_left_alone(std::function<void(const domain::ConnectionId&)> listener);

  // A connection is spoken to with a new client.
  void on_client(const domain::ConnectionId& connection);
  // The certificate of the connection's client ends then; nullopt: it has none.
  void on_certificate(const domain::ConnectionId& connection, std::optional<Timestamp> ends_at);
  void on_call(const domain::ConnectionId& connection, const BankCallReport& report);
  // `connection`: an id, or "none" where a caller named no connection.
  void on_callback(const std::string& connection, std::string_view result);
  // The bank shows something that the ledger has otherwise or cannot take. `about` distinguishes it from
  // others of its kind. Returns whether it is news: it is counted once, until the worker ends or ten thousand
  // others of its kind have come. `kind` is one of the few names in this program, never a bank's text: this
  // bounds what is remembered.
  bool report_discrepancy(const domain::ConnectionId& connection, std::string_view kind,
                          std::string_view about);

  // A payment to the connection's key is from before the connection, and none of its business. Counted once,
  // as long as the worker runs.
  void on_left_aside(const domain::ConnectionId& connection, std::string_view payment);

  // Adds to the database all that was counted since the last time. Where it throws, as on a full disk,
  // nothing is lost: the next time adds that as well.
  void save();

 private:
  void count(const std::string& connection, stores::BankCounter counter, std::string first,
             std::string second = {}, std::int64_t value = 1);
  // Removes from `unsaved` what is in the database.
  void write(UnsavedBankCounts& unsaved);
  // Whether that is news.
  bool set_open(const std::string& connection, bool is_open);

  const std::filesystem::path directory_;
  stores::ProviderRepository& database_;
  Logger& logger_;
  std::function<void(const domain::ConnectionId&)> when_left_alone_;
  std::mutex mutex_;
  const std::shared_ptr<UnsavedBankCounts> unsaved_;  // under mutex_
  std::set<std::string> open_;
  std::map<std::string, std::set<std::string>> misfits_;  // by kind, as "CONNECTION ABOUT"
  std::set<std::string> novelties_;                       // that were told, as "CONNECTION WHAT"
  std::set<std::string> left_aside_;
  AtMostEvery left_aside_due_{std::chrono::hours(1)};
};

}  // namespace pixledger::workers
