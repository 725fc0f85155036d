#include "http/services/database_watch.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "tests/support/fixed_clock.h"
#include "tests/support/foreign_reader.h"
#include "tests/support/servers/test_service.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using eventstore::LmdbEnvironment;

namespace {

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
  tests::ForeignReader reader(directory.path(), tests::test_lmdb_options());
  LmdbEnvironment environment(directory.path(), tests::test_lmdb_options());
  const tests::FixedClock clock{Timestamp(0)};
  Logger logger(LogFormat::kJson, clock);
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
  // The remaining slot is this process's own.
  await([&] { return value_of(watch, "reader_slots") == 1; });
  CHECK(value_of(watch, "oldest_reader_lag_transactions") == 0);
  CHECK(value_of(watch, "oldest_reader_age_seconds") == 0);
}

TEST_CASE("a process that is stopped while it reads is named in the log, once, and its age is a metric") {
  const tests::TemporaryDirectory directory;
  const tests::ForeignReader reader(directory.path(), tests::test_lmdb_options());
  reader.stop();
  LmdbEnvironment environment(directory.path(), tests::test_lmdb_options());
  const auto log = directory.path() / "log";
  const int descriptor = ::open(log.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  const tests::FixedClock clock{Timestamp(0)};
  Logger logger(LogFormat::kJson, clock, descriptor);
  const std::shared_ptr<const LmdbEnvironment> watched(std::shared_ptr<const LmdbEnvironment>(),
                                                       &environment);
  const auto lines = [&log] {
    std::ifstream in(log);
    return std::string(std::istreambuf_iterator<char>(in), {});
  };
  {
    const http::DatabaseWatch watch({{"test", [&] { return watched; }}}, logger,
                                    std::chrono::milliseconds(1));
    environment.open_database("a");
    await([&] { return !lines().empty(); });
    CHECK(value_of(watch, "oldest_reader_age_seconds") > 0);
  }
  ::close(descriptor);
  const auto told = lines();
  INFO(told);
  CHECK(told.find("a reader is stuck") != std::string::npos);
  CHECK(told.find("\"pid\":" + std::to_string(reader.pid()) + ",") != std::string::npos);
  CHECK(told.find('\n') == told.size() - 1);
}
