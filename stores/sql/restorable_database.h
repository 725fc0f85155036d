#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/platform/faults.h"
#include "stores/sql/sql_database.h"

namespace pixledger::stores {

// The accounts' database is damaged.
class AccountsDamaged : public DataDamaged {
 public:
  using DataDamaged::DataDamaged;
};

// The accounts' file; the rest of the service works even if it is damaged. Opened at first use, and again
// after damage, since it may have been restored. Throws AccountsDamaged.
class RestorableDatabase final : public SqlDatabase {
 public:
  using Open = std::function<std::unique_ptr<SqlDatabase>()>;
  using OnDamage = std::function<void(const std::string&)>;

  // `file` is its displayed name. Calls `on_damage` when new damage is found.
  RestorableDatabase(std::string file, Open open, OnDamage on_damage);

  // Opens it now, unless it is damaged. Throws the other errors of opening it.
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
  std::optional<SqlTransaction> transaction_;  // on database_
  std::optional<SqlMoment> moment_;
  bool is_damaged_ = false;
};

}  // namespace pixledger::stores
