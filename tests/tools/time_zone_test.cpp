#include "tools/cli/time_zone.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>

#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using tests::parsed;
using tools::TimeZone;

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

domain::Timestamp at(const std::string& text) { return domain::parse_iso8601(text).value(); }

}  // namespace

TEST_CASE("local time is what the C library says, for moments of two centuries") {
  const auto seed = tests::seed_from_environment(31);
  INFO("PIXLEDGER_SEED=" << seed);
  tests::RandomNumbers random(seed);
  for (const std::string name :
       {"America/Sao_Paulo", "America/New_York", "Europe/Lisbon", "Asia/Kathmandu", "Australia/Lord_Howe",
        "Africa/Casablanca", "Pacific/Apia", "America/Santiago", "Europe/Dublin", "Etc/GMT+3", "Asia/Gaza"}) {
    const CLibraryZone expected(name);
    const auto zone = parsed<TimeZone>(name);
    for (int i = 0; i < 3'000; ++i) {
      const domain::Timestamp moment(static_cast<std::int64_t>(random.below(6'300'000'000)) * 1000);
      INFO(name << " at " << domain::to_iso8601(moment));
      REQUIRE(zone.offset_s(moment) == expected.offset_s(moment));
    }
  }
}

TEST_CASE("a rule with days of the year is understood") {
  // What a file would end with, in front of it a file without transitions.
  std::string file = "TZif2" + std::string(15, '\0') + std::string(24, '\0');
  file += "TZif2" + std::string(15, '\0') + std::string(12, '\0') + std::string(4, '\0');
  file += std::string("\0\0\0\1\0\0\0\4", 8) + std::string(6, '\0') + std::string("ZZZ\0", 4);
  const auto with_rule = [&file](const std::string& rule) {
    return TimeZone::from_tzif(file + "\n" + rule + "\n");
  };
  const auto zone = with_rule("AAA-1BBB,J60/3,299/-1");
  REQUIRE(zone);
  CHECK(zone->offset_s(at("2028-02-29T12:00:00Z")) == 3600);
  CHECK(zone->offset_s(at("2028-03-01T01:59:59Z")) == 3600);
  CHECK(zone->offset_s(at("2028-03-01T02:00:00Z")) == 7200);
  // Day 299 of a leap year, counted from 0, is October 26th; an hour before its midnight, in summer time.
  CHECK(zone->offset_s(at("2028-10-25T20:59:59Z")) == 7200);
  CHECK(zone->offset_s(at("2028-10-25T21:00:00Z")) == 3600);
  CHECK(with_rule(""));
  CHECK_FALSE(with_rule("AAA-1BBB,M13.1.0,M2.1.0"));
  CHECK_FALSE(with_rule("AAA"));
  CHECK_FALSE(with_rule("AAA-1BBB"));
}

TEST_CASE("days begin at local midnight") {
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  CHECK(tools::date_text(zone.day_of(at("2026-01-31T02:59:59.999Z"))) == "2026-01-30");
  CHECK(tools::date_text(zone.day_of(at("2026-01-31T03:00:00Z"))) == "2026-01-31");
  CHECK(zone.text_of(at("2026-01-31T03:00:00.007Z")) == "2026-01-31T00:00:00.007-03:00");
  CHECK(parsed<TimeZone>("Asia/Kathmandu").text_of(at("2026-01-31T03:00:00Z")) ==
        "2026-01-31T08:45:00.000+05:45");
  CHECK(TimeZone().text_of(at("2026-01-31T03:00:00Z")) == "2026-01-31T03:00:00.000Z");
}

TEST_CASE("what is no time zone is refused") {
  for (const char* name : {"", "Nowhere/Land", "/etc/passwd", "../../../etc/passwd", "America", "zone.tab"})
    CHECK_FALSE(TimeZone::parse(name));
  CHECK_FALSE(TimeZone::from_tzif("TZif"));
  CHECK_FALSE(TimeZone::from_tzif(""));
}

TEST_CASE("a damaged time zone file is refused or read, but never read beyond its end") {
  const auto seed = tests::seed_from_environment(32);
  INFO("PIXLEDGER_SEED=" << seed);
  tests::RandomNumbers random(seed);
  std::string file = "TZif2" + std::string(15, '\0') + std::string(24, '\0');
  file += "TZif2" + std::string(15, '\0') + std::string(12, '\0') + std::string("\0\0\0\1", 4);
  file += std::string("\0\0\0\1\0\0\0\4", 8) + std::string(8, '\0') + std::string(1, '\0') +
          std::string(6, '\0') + std::string("ZZZ\0", 4) + "\nEST5EDT,M3.2.0,M11.1.0\n";
  REQUIRE(TimeZone::from_tzif(file));
  for (int i = 0; i < 20'000; ++i) {
    auto damaged = file;
    for (auto changes = random.below(4); changes > 0; --changes)
      damaged[random.below(damaged.size())] = static_cast<char>(random.below(256));
    damaged.resize(random.below(damaged.size() + 1));
    const auto zone = TimeZone::from_tzif(damaged);
    if (zone) zone->day_of(at("2026-06-01T00:00:00Z"));
  }
}
