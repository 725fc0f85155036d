#include "projections/storage/refusal.h"

#include <Poco/Data/SQLite/SQLiteException.h>
#include <cerrno>
#include <new>
#include <system_error>

#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/platform/system_refusal.h"
#include "projections/storage/damage.h"
#include "projections/storage/refused_write.h"

namespace pixledger::projections {
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

// 0 when the error names no code of the system.
int code_of(const std::exception& error) {
  if (const auto* by_system = dynamic_cast<const std::system_error*>(&error))
    return by_system->code().default_error_condition().value();
  if (const auto* by_lmdb = dynamic_cast<const eventstore::LmdbError*>(&error)) return by_lmdb->code();
  if (const auto refused = refused_write_behind(error)) return refused->code;
  if (is_a<std::bad_alloc>(error) || is_a<sqlite::NoMemoryException>(error)) return ENOMEM;
  return 0;
}

std::optional<std::string> refusal_by_sqlite(const std::exception& error) {
  if (is_a<sqlite::DatabaseFullException>(error)) return eventstore::describe_refusal(ENOSPC);
  if (is_a<sqlite::ReadOnlyException>(error)) return eventstore::describe_refusal(EROFS);
  return std::nullopt;
}

}  // namespace

std::optional<std::string> refusal_of(const std::exception& error) {
  if (const auto* full = dynamic_cast<const eventstore::LmdbError*>(&error);
      full && full->code() == MDB_MAP_FULL)
    return std::string(eventstore::kMapIsFull);
  if (auto refusal = eventstore::describe_refusal(code_of(error))) return refusal;
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
    return "cannot write " + refused->file.string() + ": " + *eventstore::describe_refusal(refused->code);
  if (const auto* by_system = dynamic_cast<const std::system_error*>(&error))
    return eventstore::text_of_system_error(*by_system);
  if (const auto* by_lmdb = dynamic_cast<const eventstore::LmdbError*>(&error)) {
    std::string text = by_lmdb->what();
    const auto refusal = refusal_of(error);
    if (!refusal) return text;
    const std::string_view name = mdb_strerror(by_lmdb->code());
    if (text.ends_with(name)) text.erase(text.size() - name.size());
    return text + *refusal;
  }
  const auto* by_poco = dynamic_cast<const Poco::Exception*>(&error);
  return by_poco ? by_poco->displayText() : error.what();
}

}  // namespace pixledger::projections
