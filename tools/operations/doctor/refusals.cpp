#include <Poco/Data/SQLite/SQLiteException.h>
#include <cerrno>
#include <system_error>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lock_file.h"
#include "eventstore/lmdb/map_refused.h"
#include "stores/sql/refusal.h"
#include "tools/operations/doctor/diagnosis.h"

namespace pixledger::tools {
namespace {

bool is_access_refused(const std::exception& error) {
  namespace sqlite = Poco::Data::SQLite;
  const auto* by_system = dynamic_cast<const std::system_error*>(&error);
  if (by_system && by_system->code() == std::errc::permission_denied) return true;
  const auto* by_lmdb = dynamic_cast<const eventstore::LmdbError*>(&error);
  if (by_lmdb && by_lmdb->code() == EACCES) return true;
  return dynamic_cast<const sqlite::CantOpenDBFileException*>(&error) ||
         dynamic_cast<const sqlite::DBLockedException*>(&error) ||
         dynamic_cast<const sqlite::TableLockedException*>(&error);
}

}  // namespace

std::optional<std::string> advice_when_refused(const std::exception& error) {
  if (dynamic_cast<const eventstore::LmdbMapRefused*>(&error))
    return "give all programs a smaller --map-size, or raise the limit of address space (LimitAS, ulimit -v)";
  if (dynamic_cast<const eventstore::LockFileUnusable*>(&error)) return eventstore::kLockFileRemedy;
  if (is_access_refused(error)) return "run this as the directory's owner";
  return stores::refusal_of(error);
}

}  // namespace pixledger::tools
