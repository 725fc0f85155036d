#include "base/platform/time_zone.h"

#include <catch2/catch.hpp>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <vector>

#include "tests/support/domain/random_commands.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using tests::parsed;

namespace {

// The C library's answer, which needs the whole process's time zone.
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
  std::int64_t offset_s(Timestamp moment) const {
    const std::time_t seconds = moment.millis() / 1000;
    std::tm local{};
    ::localtime_r(&seconds, &local);
    return local.tm_gmtoff;
  }
};

// 2038-01-01T00:00:00Z
constexpr std::uint64_t kEndS = 2'145'916'800;

Timestamp at(const std::string& text) { return parse_iso8601(text).value(); }

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
      const Timestamp moment(static_cast<std::int64_t>(random.below(kEndS)) * 1000);
      INFO(name << " at " << to_iso8601(moment));
      REQUIRE(zone.offset_s(moment) == expected.offset_s(moment));
    }
  }
}

TEST_CASE("days begin at local midnight") {
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  CHECK(date_text(zone.day_of(at("2026-01-31T02:59:59.999Z"))) == "2026-01-30");
  CHECK(date_text(zone.day_of(at("2026-01-31T03:00:00Z"))) == "2026-01-31");
  CHECK(zone.text_of(at("2026-01-31T03:00:00.007Z")) == "2026-01-31T00:00:00.007-03:00");
  CHECK(parsed<TimeZone>("Asia/Kathmandu").text_of(at("2026-01-31T03:00:00Z")) ==
        "2026-01-31T08:45:00.000+05:45");
  CHECK(TimeZone().text_of(at("2026-01-31T03:00:00Z")) == "2026-01-31T03:00:00.000Z");
}

TEST_CASE("a day begins at its first moment, where the clocks skip midnight or repeat it, too") {
  const auto bounds = [](const char* zone, const char* date) {
    const auto given = GivenTime::parse(date).value();
    return to_iso8601(parsed<TimeZone>(zone).first_of(given)) + " " +
           to_iso8601(parsed<TimeZone>(zone).last_of(given));
  };
  CHECK(bounds("UTC", "2026-01-31") == "2026-01-31T00:00:00.000Z 2026-01-31T23:59:59.999Z");
  CHECK(bounds("America/Sao_Paulo", "2026-01-31") == "2026-01-31T03:00:00.000Z 2026-02-01T02:59:59.999Z");
  // The clocks went from midnight to one o'clock: 23 hours.
  CHECK(bounds("America/Sao_Paulo", "2018-11-04") == "2018-11-04T03:00:00.000Z 2018-11-05T01:59:59.999Z");
  CHECK(bounds("America/Sao_Paulo", "2018-11-03") == "2018-11-03T03:00:00.000Z 2018-11-04T02:59:59.999Z");
  // The clocks went back from midnight to eleven o'clock: the ending day had 25 hours.
  CHECK(bounds("America/Sao_Paulo", "2019-02-16") == "2019-02-16T02:00:00.000Z 2019-02-17T02:59:59.999Z");
  CHECK(bounds("America/New_York", "2026-03-08") == "2026-03-08T05:00:00.000Z 2026-03-09T03:59:59.999Z");
  // The hour after midnight comes twice, and the day begins with the first.
  CHECK(bounds("America/Havana", "2026-11-01") == "2026-11-01T04:00:00.000Z 2026-11-02T04:59:59.999Z");
  // Samoa skipped this day.
  CHECK(bounds("Pacific/Apia", "2011-12-30") == "2011-12-30T10:00:00.000Z 2011-12-30T09:59:59.999Z");
}

TEST_CASE("a time is exact, whatever the zone") {
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  const auto given = GivenTime::parse("2018-11-04T00:00:00.250Z").value();
  CHECK(to_iso8601(zone.first_of(given)) == "2018-11-04T00:00:00.250Z");
  CHECK(zone.last_of(given) == zone.first_of(given));
}

TEST_CASE("the first and the last date there is stay within the times that have a text") {
  for (const char* name : {"Pacific/Kiritimati", "UTC", "Pacific/Pago_Pago"}) {
    const auto zone = parsed<TimeZone>(name);
    CHECK(zone.first_of(GivenTime::parse("1970-01-01").value()) >= Timestamp(0));
    CHECK(zone.last_of(GivenTime::parse("9999-12-31").value()) <= kLastTimestamp);
  }
}

TEST_CASE("every moment is of one day, between the beginnings of that day and the next") {
  const auto seed = tests::seed_from_environment(32);
  INFO("PIXLEDGER_SEED=" << seed);
  tests::RandomNumbers random(seed);
  for (const std::string name :
       {"UTC", "America/Sao_Paulo", "America/Havana", "America/St_Johns", "Africa/Cairo", "Asia/Beirut",
        "America/Santiago", "Pacific/Apia", "Asia/Kathmandu", "Europe/Lisbon", "Australia/Lord_Howe"}) {
    const auto zone = parsed<TimeZone>(name);
    std::vector<Timestamp> moments;
    for (int i = 0; i < 400; ++i) moments.emplace_back(static_cast<std::int64_t>(random.below(kEndS)) * 1000);
    for (int i = 0; i < 400; ++i) {
      const auto day = static_cast<std::int64_t>(random.below(kEndS / 86'400));
      for (const std::int64_t shift : {-1, 0, 1, 3'599'999, 3'600'000})
        moments.push_back(zone.begin_of(day).plus_millis(shift));
    }
    for (const auto moment : moments) {
      INFO(name << " at " << moment.millis());
      const auto day = zone.day_of(moment);
      REQUIRE(zone.begin_of(day) <= moment);
      REQUIRE(moment < zone.begin_of(day + 1));
    }
  }
}

TEST_CASE("an unknown time zone is refused") {
  for (const char* name : {"", "Nowhere/Land", "/etc/passwd", "../../../etc/passwd", "America", "zone.tab"})
    CHECK_FALSE(TimeZone::parse(name));
}
