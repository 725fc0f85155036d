#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/platform/faults.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// The accounts are not what was written.
class AccountsDamaged : public WorkerDatabaseDamaged {
 public:
  using WorkerDatabaseDamaged::WorkerDatabaseDamaged;
};

// The accounts' file, which need not be sound for the rest of the service to work. Opened when it is used
// first, and again after damage was met: it may have been restored by then. Throws AccountsDamaged.
class RestorableDatabase final : public SqlDatabase {
 public:
  using Open = std::function<std::unique_ptr<SqlDatabase>()>;
  using OnDamage = std::function<void(const std::string&)>;

  // `file`: its name, for people. `on_damage` is called when damage is met that was not there before.
  RestorableDatabase(std::string file, Open open, OnDamage on_damage);

  // Opens it now, unless it is damaged. Throws what else opening it throws.
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
  [[noreturn]] void give_up(const std::string& problem);

  const std::string file_;
  const Open open_;
  const OnDamage on_damage_;
  std::unique_ptr<SqlDatabase> database_;
  std::optional<SqlTransaction> transaction_;  // of that database
  std::optional<SqlMoment> moment_;
  bool is_damaged_ = false;
};

}  // namespace pixledger::stores
