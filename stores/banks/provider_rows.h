#pragma once

#include <Poco/Data/Session.h>
#include <Poco/Data/Statement.h>
#include <string>
#include <utility>

#include "base/platform/damage.h"
#include "stores/banks/provider_repository.h"

// What the providers' repository shares between its files.
namespace pixledger::stores {

template <class Value>
Value parsed(const std::string& text) {
  auto value = Value::parse(text);
  if (!value) throw WorkerDatabaseDamaged("a row of the providers' database is damaged");
  return *std::move(value);
}

// Throws Poco::Exception.
inline void add_count(Poco::Data::Session& session, const BankCount& count) {
  using namespace Poco::Data::Keywords;
  session << "INSERT INTO counts VALUES (?, ?, ?, ?, ?) "
             "ON CONFLICT DO UPDATE SET value = value + excluded.value",
      bind(count.connection), bind(static_cast<Poco::Int64>(count.counter)), bind(count.first),
      bind(count.second), bind(Poco::Int64{count.value}), now;
}

}  // namespace pixledger::stores
