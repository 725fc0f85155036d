#pragma once

#include <catch2/catch.hpp>
#include <chrono>
#include <thread>

namespace pixledger::tests {

// For half a minute, after which the test has failed.
template <class Condition>
void wait_until(const Condition& condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!condition()) {
    REQUIRE(std::chrono::steady_clock::now() < deadline);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace pixledger::tests
