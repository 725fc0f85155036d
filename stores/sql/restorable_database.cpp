#include "stores/sql/restorable_database.h"

#include <type_traits>
#include <utility>

#include "stores/sql/refusal.h"

namespace pixledger::stores {

RestorableDatabase::RestorableDatabase(std::string file, Open open, OnDamage on_damage)
    : file_(std::move(file)), open_(std::move(open)), on_damage_(std::move(on_damage)) {}

template <class Work>
auto RestorableDatabase::guarded(const Work& work) {
  try {
    if (!database_) database_ = open_();
    if constexpr (std::is_void_v<decltype(work(*database_))>) {
      work(*database_);
      is_damaged_ = false;
    } else {
      auto result = work(*database_);
      is_damaged_ = false;
      return result;
    }
  } catch (const std::exception& error) {
    if (!is_damaged_file(error)) throw;
    give_up(text_of(error));
  }
}

void RestorableDatabase::give_up(const std::string& problem) {
  roll_back();
  database_.reset();
  const auto what = file_ + " is damaged (" + problem +
                    "): restore it from a backup, or remove it and invite everybody anew";
  if (!std::exchange(is_damaged_, true)) on_damage_(what);
  throw AccountsDamaged(what);
}

void RestorableDatabase::try_open() {
  try {
    guarded([](SqlDatabase&) {});
  } catch (const AccountsDamaged&) {
    // Already reported.
  }
}

SqlResult RestorableDatabase::run(const std::string& statement, const SqlValues& values) {
  return guarded([&](SqlDatabase& database) { return database.run(statement, values); });
}

void RestorableDatabase::run_each(const std::string& statement, const std::vector<SqlValues>& rows) {
  guarded([&](SqlDatabase& database) { database.run_each(statement, rows); });
}

void RestorableDatabase::begin() {
  guarded([this](SqlDatabase& database) { transaction_.emplace(database); });
}

void RestorableDatabase::begin_reading() {
  guarded([this](SqlDatabase& database) { moment_.emplace(database); });
}

void RestorableDatabase::commit() {
  guarded([this](SqlDatabase&) {
    if (transaction_) transaction_->commit();
    transaction_.reset();
  });
}

void RestorableDatabase::roll_back() noexcept {
  transaction_.reset();
  moment_.reset();
}

}  // namespace pixledger::stores
