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

// Counts that are not in the database yet.
struct UnsavedBankCounts {
  // Connection, counter, and the counter's two labels.
  using Key = std::tuple<std::string, stores::BankCounter, std::string, std::string>;

  std::map<Key, std::int64_t> counts;
  std::map<domain::ConnectionId, std::int64_t> ahead_ms;  // by how much a bank's clock is ahead
};

// Publishes how calls to banks go. API servers learn at once which banks are left alone; metrics get the
// counts each second. Thread-safe.
class BankMeters {
 public:
  // `directory`: the worker's. The other references outlive the object. `unsaved`: counts of an earlier
  // worker of this process, which ended because a write was refused. Throws std::system_error if `directory`
  // cannot be written.
  BankMeters(std::filesystem::path directory, stores::ProviderRepository& database, Logger& logger,
             std::shared_ptr<UnsavedBankCounts> unsaved = std::make_shared<UnsavedBankCounts>());

  // Sets a listener that is called with each connection whose bank is left alone from now on.
  void when_left_alone(std::function<void(const domain::ConnectionId&)> listener);

  // The connection has a new client.
  void on_client(const domain::ConnectionId& connection);
  // Records when the certificate of the connection's client ends; nullopt: it has no certificate.
  void on_certificate(const domain::ConnectionId& connection, std::optional<Timestamp> ends_at);
  void on_call(const domain::ConnectionId& connection, const BankCallReport& report);
  // `connection`: an id, or "none" where a caller named no connection.
  void on_callback(const std::string& connection, std::string_view result);
  // Reports that a bank shows something that contradicts the ledger or that the ledger cannot take. `about`
  // distinguishes discrepancies of one kind. Returns true if it is new: each counts once, until the worker
  // ends or ten thousand others of its kind have come. `kind` is a literal of this program, never a bank's
  // text, so memory is bounded.
  bool report_discrepancy(const domain::ConnectionId& connection, std::string_view kind,
                          std::string_view about);

  // Counts a payment to the connection's key that is older than the connection and so is not recorded. Each
  // payment counts once per run of the worker.
  void on_left_aside(const domain::ConnectionId& connection, std::string_view payment);

  // Adds all counts since the last save to the database. If it throws, as on a full disk, the next save adds
  // them too.
  void save();

 private:
  void count(const std::string& connection, stores::BankCounter counter, std::string first,
             std::string second = {}, std::int64_t value = 1);
  // Removes the written counts from `unsaved`.
  void write(UnsavedBankCounts& unsaved);
  // Returns whether the state has changed.
  bool set_open(const std::string& connection, bool is_open);

  const std::filesystem::path directory_;
  stores::ProviderRepository& database_;
  Logger& logger_;
  std::function<void(const domain::ConnectionId&)> when_left_alone_;
  std::mutex mutex_;
  const std::shared_ptr<UnsavedBankCounts> unsaved_;  // under mutex_
  std::set<std::string> open_;
  std::map<std::string, std::set<std::string>> misfits_;  // by kind, as "CONNECTION ABOUT"
  std::set<std::string> novelties_;                       // already logged, as "CONNECTION WHAT"
  std::set<std::string> left_aside_;
  AtMostEvery left_aside_due_{std::chrono::hours(1)};
};

}  // namespace pixledger::workers
