#include <catch2/catch.hpp>

#include "tools/operations/supervisor.h"

using namespace pixledger;

using namespace std::chrono_literals;
using pixledger::tools::RestartPolicy;

namespace {

constexpr auto kServerWaitsForReadModels = 10s;  // and then fails

unsigned ends_until_hopeless(std::chrono::steady_clock::duration each, unsigned ends_max) {
  RestartPolicy restarts;
  for (unsigned ends = 1; ends <= ends_max; ++ends) {
    restarts.note_end(each);
    if (restarts.is_hopeless()) return ends;
  }
  return 0;
}

}  // namespace

TEST_CASE("a server that fails after each wait for read models that another holds has not stayed up") {
  CHECK(ends_until_hopeless(0s, 100) == 5);
  CHECK(ends_until_hopeless(kServerWaitsForReadModels + 5s, 100) == 5);
}

TEST_CASE("a program that has once stayed up is never given up, and its pause is reset") {
  CHECK(ends_until_hopeless(1min, 100) == 0);
  RestartPolicy restarts;
  for (int i = 0; i < 4; ++i) restarts.note_end(1s);
  CHECK(restarts.pause() == 1600ms);
  restarts.note_end(1min);
  CHECK(restarts.pause() == 200ms);
  for (int i = 0; i < 100; ++i) restarts.note_end(1s);
  CHECK_FALSE(restarts.is_hopeless());
  CHECK(restarts.pause() == 30s);
}
