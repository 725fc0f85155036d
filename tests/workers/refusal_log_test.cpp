#include <algorithm>
#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

#include "tests/support/fixed_clock.h"
#include "tests/support/temporary_directory.h"
#include "workers/webhooks/webhook_worker.h"

using namespace pixledger;

TEST_CASE("a refused target is logged once for each channel and hour") {
  const tests::TemporaryDirectory directory;
  const auto path = directory.path() / "log";
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  REQUIRE(descriptor >= 0);
  const tests::FixedClock clock(Timestamp(1'790'000'000'000));
  Logger logger(LogFormat::kText, clock, descriptor);
  const auto lines = [&] {
    std::ifstream file(path);
    return std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
  };
  workers::RefusalLog log(logger);
  const auto one = domain::ChannelId::parse("cchannel00001").value();
  const auto other = domain::ChannelId::parse("cchannel00002").value();
  const Timestamp start(1'790'000'000'000);

  log.note(one, "must use https", start);
  log.note(one, "must use https", start.plus_millis(workers::RefusalLog::kPauseMs - 1));
  CHECK(lines() == 1);
  log.note(other, "must use https", start);
  CHECK(lines() == 2);
  log.note(one, "must use https", start.plus_millis(workers::RefusalLog::kPauseMs));
  CHECK(lines() == 3);
  ::close(descriptor);
}
