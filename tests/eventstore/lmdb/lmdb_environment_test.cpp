#include "eventstore/lmdb/lmdb_environment.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/support/one_gigabyte.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;

namespace {

// During its life this process cannot open any file.
class NoDescriptors {
 public:
  NoDescriptors() {
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const int next = ::dup(STDERR_FILENO);
    ::close(next);
    const rlimit none{static_cast<rlim_t>(next), before_.rlim_max};
    ::setrlimit(RLIMIT_NOFILE, &none);
  }
  ~NoDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  NoDescriptors(const NoDescriptors&) = delete;
  NoDescriptors& operator=(const NoDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace

TEST_CASE("a file that LMDB did not write is damage") {
  const tests::TemporaryDirectory directory;
  std::ofstream(directory.path() / "data.mdb") << std::string(1 << 16, 'x');
  CHECK_THROWS_AS(eventstore::LmdbEnvironment(directory.path(), tests::one_gigabyte()),
                  eventstore::LmdbDamaged);
}

TEST_CASE("a key that LMDB refuses is no damage") {
  const tests::TemporaryDirectory directory;
  eventstore::LmdbEnvironment environment(directory.path(), tests::one_gigabyte());
  const auto database = environment.open_database("events");
  eventstore::LmdbWrite write(environment);
  try {
    eventstore::lmdb_put(write.get(), database, "", "value");
    FAIL("a key without bytes was taken");
  } catch (const eventstore::LmdbDamaged& damaged) {
    FAIL(damaged.what());
  } catch (const eventstore::LmdbError& error) {
    CHECK(error.code() == MDB_BAD_VALSIZE);
  }
}

TEST_CASE("a lack of descriptors is no damage") {
  const tests::TemporaryDirectory directory;
  eventstore::LmdbEnvironment(directory.path(), tests::one_gigabyte()).open_database("events");
  const NoDescriptors none;
  try {
    eventstore::LmdbEnvironment(directory.path(), tests::one_gigabyte());
    FAIL("it was opened without a descriptor");
  } catch (const eventstore::LmdbDamaged& damaged) {
    FAIL(damaged.what());
  } catch (const eventstore::LmdbError& error) {
    CHECK(error.code() == EMFILE);
  }
}

TEST_CASE("an existing database is opened without waiting for a writer") {
  const tests::TemporaryDirectory directory;
  eventstore::LmdbEnvironment environment(directory.path(), tests::one_gigabyte());
  const auto database = environment.open_database("events");
  eventstore::LmdbWrite writer(environment);
  // It would wait for this thread itself.
  CHECK(environment.open_database("events") == database);
  eventstore::lmdb_put(writer.get(), database, "key", "value");
  writer.commit();
  const eventstore::LmdbRead read(environment);
  CHECK(eventstore::lmdb_get(read.get(), database, "key") == "value");
}
