#include "stores/sql/restorable_database.h"

#include <system_error>
#include <type_traits>
#include <utility>

#include "stores/sql/refusal.h"

namespace pixledger::stores {

namespace {

bool cannot_be_opened(const std::exception& error) {
  return !refusal_of(error) &&
         (dynamic_cast<const std::system_error*>(&error) != nullptr || is_inaccessible_to_sqlite(error));
}

}  // namespace

RestorableDatabase::RestorableDatabase(std::string file, Open open, OnFault on_fault)
    : file_(std::move(file)), open_(std::move(open)), on_fault_(std::move(on_fault)) {}

template <class Work>
auto RestorableDatabase::guarded(const Work& work) {
  try {
    if (!database_) open();
    if constexpr (std::is_void_v<decltype(work(*database_))>) {
      work(*database_);
      is_reported_ = false;
    } else {
      auto result = work(*database_);
      is_reported_ = false;
      return result;
    }
  } catch (const std::exception& error) {
    if (!is_damaged_file(error)) throw;
    give_up(text_of(error));
  }
}

void RestorableDatabase::open() {
  try {
    database_ = open_();
  } catch (const std::exception& error) {
    if (!cannot_be_opened(error)) throw;
    const auto what = file_ + " cannot be opened (" + text_of(error) +
                      "): give it and its directory to the user of this program";
    report(what);
    throw AccountsUnreadable(what);
  }
}

void RestorableDatabase::give_up(const std::string& problem) {
  roll_back();
  database_.reset();
  const auto what = file_ + " is damaged (" + problem +
                    "): restore it from a backup, or remove it and invite everybody anew";
  report(what);
  throw AccountsDamaged(what);
}

void RestorableDatabase::report(const std::string& fault) {
  if (!std::exchange(is_reported_, true)) on_fault_(fault);
}

void RestorableDatabase::try_open() {
  try {
    guarded([](SqlDatabase&) {});
  } catch (const AccountsDamaged&) {
    // Already reported, as below.
  } catch (const AccountsUnreadable&) {
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
