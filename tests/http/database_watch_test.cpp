#include "http/services/database_watch.h"

#include <catch2/catch.hpp>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/fixed_clock.h"
#include "tests/support/servers/test_service.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using eventstore::LmdbEnvironment;

namespace {

// Another process that holds a snapshot of the environment until it is killed. LMDB wants it to be forked
// before this process opens the environment.
class ForeignReader {
 public:
  explicit ForeignReader(const std::filesystem::path& directory) {
    int ends[2];
    if (::pipe(ends) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ < 0) throw std::runtime_error("fork");
    if (pid_ == 0) {
      const LmdbEnvironment environment(directory, tests::test_lmdb_options());
      const eventstore::LmdbRead read(environment);
      if (::write(ends[1], "r", 1) == 1) ::pause();
      ::_exit(1);
    }
    ::close(ends[1]);
    char byte = 0;
    const bool is_ready = ::read(ends[0], &byte, 1) == 1;
    ::close(ends[0]);
    if (!is_ready) throw std::runtime_error("the reader did not start");
  }
  ~ForeignReader() {
    if (pid_ > 0) kill();
  }
  ForeignReader(const ForeignReader&) = delete;
  ForeignReader& operator=(const ForeignReader&) = delete;

  void kill() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

double value_of(const http::DatabaseWatch& watch, const std::string& name) {
  for (const auto& family : watch.Collect()) {
    if (family.name == "pixledger_lmdb_" + name) return family.metric.at(0).gauge.value;
  }
  throw std::runtime_error("there is no " + name);
}

void await(const std::function<bool()>& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) throw std::runtime_error("it never came true");
    std::this_thread::yield();
  }
}

}  // namespace

TEST_CASE("a reader that lags is seen, and forgotten once its process has died") {
  const tests::TemporaryDirectory directory;
  ForeignReader reader(directory.path());
  LmdbEnvironment environment(directory.path(), tests::test_lmdb_options());
  const tests::FixedClock clock{domain::Timestamp(0)};
  eventstore::Logger logger(eventstore::LogFormat::kJson, clock);
  const std::shared_ptr<const LmdbEnvironment> watched(std::shared_ptr<const LmdbEnvironment>(),
                                                       &environment);
  const http::DatabaseWatch watch({{"test", [&] { return watched; }}}, logger);
  CHECK(value_of(watch, "reader_slots") == 2);
  CHECK(value_of(watch, "readers") == 1);
  CHECK(value_of(watch, "oldest_reader_lag_transactions") == 0);
  CHECK(value_of(watch, "oldest_reader_age_seconds") == 0);

  environment.open_database("a");
  environment.open_database("b");
  CHECK(value_of(watch, "oldest_reader_lag_transactions") == 2);
  await([&] { return value_of(watch, "oldest_reader_age_seconds") > 0; });

  reader.kill();
  // What is left is this process's own.
  await([&] { return value_of(watch, "reader_slots") == 1; });
  CHECK(value_of(watch, "oldest_reader_lag_transactions") == 0);
  CHECK(value_of(watch, "oldest_reader_age_seconds") == 0);
}
