#include "eventstore/lmdb/lmdb_damage.h"

#include <cerrno>
#include <new>
#include <string_view>
#include <system_error>

#include "base/platform/faults.h"
#include "eventstore/lmdb/lmdb_environment.h"

namespace pixledger::eventstore {
namespace {

// Returns 0 if the error has no system error code.
int system_code_of(const std::exception& error) {
  if (const auto* by_system = dynamic_cast<const std::system_error*>(&error))
    return by_system->code().default_error_condition().value();
  if (const auto* by_lmdb = dynamic_cast<const LmdbError*>(&error)) return by_lmdb->code();
  return dynamic_cast<const std::bad_alloc*>(&error) != nullptr ? ENOMEM : 0;
}

}  // namespace

std::optional<std::string> refusal_by_system(const std::exception& error) {
  const auto* by_lmdb = dynamic_cast<const LmdbError*>(&error);
  if (by_lmdb && by_lmdb->code() == MDB_MAP_FULL) return std::string(kMapIsFull);
  return describe_refusal(system_code_of(error));
}

std::string text_by_system(const std::exception& error) {
  if (const auto* by_system = dynamic_cast<const std::system_error*>(&error))
    return text_of_system_error(*by_system);
  std::string text = error.what();
  const auto* by_lmdb = dynamic_cast<const LmdbError*>(&error);
  const auto refusal = by_lmdb ? refusal_by_system(error) : std::nullopt;
  if (!refusal) return text;
  const std::string_view name = mdb_strerror(by_lmdb->code());
  if (text.ends_with(name)) text.erase(text.size() - name.size());
  return text + *refusal;
}

}  // namespace pixledger::eventstore
