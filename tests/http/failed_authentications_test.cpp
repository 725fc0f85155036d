#include <catch2/catch.hpp>
#include <string>

#include "http/front/rate_limit.h"

using namespace pixledger;

using pixledger::http::FailedAuthentications;

namespace {

void fail_often(FailedAuthentications& failures, const std::string& address, std::int64_t now_ms) {
  for (std::uint32_t i = 0; i < FailedAuthentications::kFailuresMax; ++i)
    REQUIRE_FALSE(failures.note(address, now_ms));
}

}  // namespace

TEST_CASE("an address may fail a hundred times a minute") {
  FailedAuthentications failures;
  fail_often(failures, "203.0.113.1", 1000);
  CHECK(failures.note("203.0.113.1", 1000) == 60);
  CHECK(failures.note("203.0.113.1", 60'001) == 1);
  CHECK_FALSE(failures.note("203.0.113.2", 60'001));
  CHECK_FALSE(failures.note("203.0.113.1", 61'000));
}

TEST_CASE("the addresses of one IPv6 /56 fail together, and mapped IPv4 is IPv4") {
  FailedAuthentications failures;
  fail_often(failures, "2001:db8:0:1::1", 0);
  CHECK(failures.note("2001:db8:0:1:ffff::2", 0));
  CHECK_FALSE(failures.note("2001:db8:0:100::1", 0));
  fail_often(failures, "203.0.113.1", 0);
  CHECK(failures.note("::ffff:203.0.113.1", 0));
  CHECK(failures.addresses_known() == 3);
}

TEST_CASE("an invalid address is limited too") {
  FailedAuthentications failures;
  fail_often(failures, "fe80::1%eth0", 0);
  CHECK(failures.note("", 0));
}

TEST_CASE("a bounded number of addresses is kept, each for its minute only") {
  FailedAuthentications failures;
  const auto address = [](std::size_t number) {
    return "10." + std::to_string(number >> 16 & 255) + "." + std::to_string(number >> 8 & 255) + "." +
           std::to_string(number & 255);
  };
  for (std::size_t i = 0; i < pixledger::RequestWindows<>::kNamesMax + 1000; ++i)
    failures.note(address(i), static_cast<std::int64_t>(i / 100));
  CHECK(failures.addresses_known() == pixledger::RequestWindows<>::kNamesMax);
  failures.note("203.0.113.1", 120'000);
  CHECK(failures.addresses_known() == 1);
}
