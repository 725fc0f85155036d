#include "stores/sql/refusal.h"

#include <Poco/Data/SQLite/SQLiteException.h>
#include <cerrno>
#include <system_error>

#include "base/platform/damage.h"
#include "base/platform/system_refusal.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lmdb_refusal.h"
#include "stores/sql/refused_write.h"

namespace pixledger::stores {
namespace {

namespace sqlite = Poco::Data::SQLite;

template <class Kind>
bool is_a(const std::exception& error) {
  return dynamic_cast<const Kind*>(&error) != nullptr;
}

// The call of SQLite's that the error is about, as far as this thread has seen one that was refused.
std::optional<RefusedWrite> refused_write_behind(const std::exception& error) {
  const bool may_be = is_a<sqlite::IOErrorException>(error) || is_a<sqlite::CantOpenDBFileException>(error) ||
                      is_a<sqlite::DatabaseFullException>(error);
  return may_be ? last_refused_write() : std::nullopt;
}

std::optional<std::string> refusal_by_sqlite(const std::exception& error) {
  if (const auto refused = refused_write_behind(error)) {
    if (auto refusal = describe_refusal(refused->code)) return refusal;
  }
  if (is_a<sqlite::NoMemoryException>(error)) return describe_refusal(ENOMEM);
  if (is_a<sqlite::DatabaseFullException>(error)) return describe_refusal(ENOSPC);
  if (is_a<sqlite::ReadOnlyException>(error)) return describe_refusal(EROFS);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refusal_of(const std::exception& error) {
  if (auto refusal = eventstore::refusal_by_system(error)) return refusal;
  return refusal_by_sqlite(error);
}

void rethrow_refusal(const std::exception& error) {
  if (const auto refused = refused_write_behind(error))
    throw std::system_error(refused->code, std::generic_category(), "cannot write " + refused->file.string());
}

bool is_damaged_file(const std::exception& error) {
  return is_a<WorkerDatabaseDamaged>(error) || is_a<ViewsDamaged>(error) ||
         is_a<eventstore::LmdbDamaged>(error) || is_a<eventstore::LmdbFileDamaged>(error) ||
         is_a<sqlite::CorruptImageException>(error);
}

std::string text_of(const std::exception& error) {
  if (const auto refused = refused_write_behind(error))
    return "cannot write " + refused->file.string() + ": " + *describe_refusal(refused->code);
  const auto* by_poco = dynamic_cast<const Poco::Exception*>(&error);
  return by_poco ? by_poco->displayText() : eventstore::text_by_system(error);
}

}  // namespace pixledger::stores
