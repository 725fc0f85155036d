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

// Whether only a damaged or missing file explains it.
inline bool is_damage(const eventstore::LmdbError& error) {
  return dynamic_cast<const eventstore::LmdbDamaged*>(&error) != nullptr || error.code() == ENOENT;
}

// Returns what `read` does. What LMDB says of damaged files is thrown as `Damaged`.
template <class Damaged, class Read>
std::invoke_result_t<Read> read_or_damaged(const Read& read) {
  try {
    return read();
  } catch (const eventstore::LmdbError& error) {
    if (!is_damage(error)) throw;
    throw Damaged(error.what());
  } catch (const eventstore::LmdbFileDamaged& error) {
    throw Damaged(error.what());
  }
}

// Describes what the system refuses by that error of a file's or of LMDB's, as describe_refusal() does.
// nullopt for errors of all other kinds, damage among them.
std::optional<std::string> refusal_by_system(const std::exception& error);

// The whole text of such an error; a refusal names the file, the cause and what to do.
std::string text_by_system(const std::exception& error);

}  // namespace pixledger::eventstore
