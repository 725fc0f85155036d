#include "eventstore/platform/time_zone.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using eventstore::TimeZone;
using tests::parsed;

namespace {

// The C library's opinion, which needs the whole process's time zone.
class CLibraryZone {
 public:
  explicit CLibraryZone(const std::string& name) {
    ::setenv("TZ", name.c_str(), 1);
    ::tzset();
  }
  ~CLibraryZone() {
    ::unsetenv("TZ");
    ::tzset();
  }
  std::int64_t offset_s(domain::Timestamp moment) const {
    const std::time_t seconds = moment.millis() / 1000;
    std::tm local{};
    ::localtime_r(&seconds, &local);
    return local.tm_gmtoff;
  }
};

// 2038-01-01T00:00:00Z
constexpr std::uint64_t kEndS = 2'145'916'800;

domain::Timestamp at(const std::string& text) { return domain::parse_iso8601(text).value(); }

}  // namespace

TEST_CASE("local time is what the C library says, from 1970 to 2037") {
  const auto seed = tests::seed_from_environment(31);
  INFO("PIXLEDGER_SEED=" << seed);
  tests::RandomNumbers random(seed);
  for (const std::string name :
       {"America/Sao_Paulo", "America/New_York", "Europe/Lisbon", "Asia/Kathmandu", "Australia/Lord_Howe",
        "Africa/Casablanca", "Pacific/Apia", "America/Santiago", "Europe/Dublin", "Etc/GMT+3", "Asia/Gaza"}) {
    const CLibraryZone expected(name);
    const auto zone = parsed<TimeZone>(name);
    for (int i = 0; i < 3'000; ++i) {
      const domain::Timestamp moment(static_cast<std::int64_t>(random.below(kEndS)) * 1000);
      INFO(name << " at " << domain::to_iso8601(moment));
      REQUIRE(zone.offset_s(moment) == expected.offset_s(moment));
    }
  }
}

TEST_CASE("days begin at local midnight") {
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  CHECK(eventstore::date_text(zone.day_of(at("2026-01-31T02:59:59.999Z"))) == "2026-01-30");
  CHECK(eventstore::date_text(zone.day_of(at("2026-01-31T03:00:00Z"))) == "2026-01-31");
  CHECK(zone.text_of(at("2026-01-31T03:00:00.007Z")) == "2026-01-31T00:00:00.007-03:00");
  CHECK(parsed<TimeZone>("Asia/Kathmandu").text_of(at("2026-01-31T03:00:00Z")) ==
        "2026-01-31T08:45:00.000+05:45");
  CHECK(TimeZone().text_of(at("2026-01-31T03:00:00Z")) == "2026-01-31T03:00:00.000Z");
}

TEST_CASE("what is no time zone is refused") {
  for (const char* name : {"", "Nowhere/Land", "/etc/passwd", "../../../etc/passwd", "America", "zone.tab"})
    CHECK_FALSE(TimeZone::parse(name));
}
