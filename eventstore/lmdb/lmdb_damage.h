#pragma once

#include <cerrno>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>

#include "base/platform/faults.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"

namespace pixledger::eventstore {

// Whether the error means that a file is damaged or missing.
inline bool is_damage(const eventstore::LmdbError& error) {
  return dynamic_cast<const eventstore::LmdbDamaged*>(&error) != nullptr || error.code() == ENOENT;
}

// Returns the result of `read`. LMDB's errors about damaged files are thrown as DataDamaged.
template <class Read>
std::invoke_result_t<Read> read_or_damaged(const Read& read) {
  try {
    return read();
  } catch (const eventstore::LmdbError& error) {
    if (!is_damage(error)) throw;
    throw DataDamaged(error.what());
  } catch (const eventstore::LmdbFileDamaged& error) {
    throw DataDamaged(error.what());
  }
}

// Describes a refusal of the system in an error of a file or of LMDB, as describe_refusal() does. nullopt for
// all other errors, including damage.
std::optional<std::string> refusal_by_system(const std::exception& error);

// Returns the full text of such an error; for a refusal it names the file, the cause and what to do.
std::string text_by_system(const std::exception& error);

}  // namespace pixledger::eventstore
