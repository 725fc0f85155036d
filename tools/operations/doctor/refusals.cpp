#include <Poco/Data/SQLite/SQLiteException.h>
#include <cerrno>
#include <system_error>

#include "eventstore/lmdb/lmdb_environment.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

// 0 when the error names no code of the system.
int code_of(const std::exception& error) {
  const auto* by_system = dynamic_cast<const std::system_error*>(&error);
  if (by_system) return by_system->code().default_error_condition().value();
  const auto* by_lmdb = dynamic_cast<const eventstore::LmdbError*>(&error);
  return by_lmdb ? by_lmdb->code() : 0;
}

bool is_refused_by_sqlite(const std::exception& error) {
  namespace sqlite = Poco::Data::SQLite;
  return dynamic_cast<const sqlite::CantOpenDBFileException*>(&error) ||
         dynamic_cast<const sqlite::DBLockedException*>(&error) ||
         dynamic_cast<const sqlite::TableLockedException*>(&error);
}

}  // namespace

std::optional<std::string> advice_when_refused(const std::exception& error) {
  const int code = code_of(error);
  if (code == EMFILE || code == ENFILE) return "raise the limit of open files (LimitNOFILE, ulimit -n)";
  if (code == EACCES || is_refused_by_sqlite(error)) return "run this as the directory's owner";
  return std::nullopt;
}

}  // namespace pixledger::tools
