#include <catch2/catch.hpp>

#include "tools/cli/terminal.h"

using namespace pixledger;

using pixledger::tools::progress_line;
using std::chrono::milliseconds;

TEST_CASE("a progress line shows share, rate and time left") {
  CHECK(progress_line("verify", "events", 500'000, 2'000'000, milliseconds(500)) ==
        "verify  [#######.......................]  25 %  1,000,000 events/s  1 s left");
  CHECK(progress_line("verify", "events", 0, 10, milliseconds(0)) ==
        "verify  [..............................]  0 %  0 events/s");
}

TEST_CASE("more than the expected total, or an empty total, shows as complete") {
  CHECK(progress_line("verify", "events", 11, 10, milliseconds(1000)).find("100 %") != std::string::npos);
  CHECK(progress_line("verify", "events", 0, 0, milliseconds(1000)).find("100 %") != std::string::npos);
}
