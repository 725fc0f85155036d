#include "eventstore/lmdb/lmdb_environment.h"

#include <catch2/catch.hpp>

#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;

TEST_CASE("a database that is there is opened without waiting for a writer") {
  const tests::TemporaryDirectory directory;
  eventstore::LmdbEnvironment environment(directory.path(), tests::one_gigabyte());
  const auto database = environment.open_database("events");
  eventstore::LmdbWrite writer(environment);
  // It would wait for this very thread.
  CHECK(environment.open_database("events") == database);
  eventstore::lmdb_put(writer.get(), database, "key", "value");
  writer.commit();
  const eventstore::LmdbRead read(environment);
  CHECK(eventstore::lmdb_get(read.get(), database, "key") == "value");
}
