#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

#include "base/platform/faults.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// The accounts' database is damaged.
class AccountsDamaged : public DataDamaged {
 public:
  using DataDamaged::DataDamaged;
};

// The accounts' database cannot be opened, for example for its rights.
class AccountsUnreadable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The accounts' file; the rest of the service works even if it is damaged or cannot be opened. Opened at
// first use, and again after such a fault, since it may have been restored. Throws AccountsDamaged and
// AccountsUnreadable, but a refusal of the system (refusal_of) as it is.
class RestorableDatabase final : public SqlDatabase {
 public:
  using Open = std::function<std::unique_ptr<SqlDatabase>()>;
  using OnFault = std::function<void(const std::string&)>;

  // `file` is its displayed name. Calls `on_fault` when a new fault is found.
  RestorableDatabase(std::string file, Open open, OnFault on_fault);

  // Opens it now, unless it is damaged or cannot be opened. Throws the other errors of opening it.
  void try_open();

  SqlResult run(const std::string& statement, const SqlValues& values) override;
  void run_each(const std::string& statement, const std::vector<SqlValues>& rows) override;
  bool is_shared() const override { return false; }

 private:
  void begin() override;
  void begin_reading() override;
  void commit() override;
  void roll_back() noexcept override;

  template <class Work>
  auto guarded(const Work& work);
  void open();
  [[noreturn]] void give_up(const std::string& problem);
  void report(const std::string& fault);

  const std::string file_;
  const Open open_;
  const OnFault on_fault_;
  std::unique_ptr<SqlDatabase> database_;
  std::optional<SqlTransaction> transaction_;  // on database_
  std::optional<SqlMoment> moment_;
  bool is_reported_ = false;
};

}  // namespace pixledger::stores
