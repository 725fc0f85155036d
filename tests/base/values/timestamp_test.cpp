#include "base/values/timestamp.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <rapidcheck.h>
#include <string>

#include "base/values/civil_date.h"

namespace pixledger::domain {
namespace {

constexpr std::int64_t kMillisPerDay = 86'400'000;

rc::Gen<std::int64_t> any_millis() { return rc::gen::inRange<std::int64_t>(0, kLastTimestamp.millis() + 1); }

}  // namespace

TEST_CASE("day numbers agree with counting the days one by one from 1970 to 9999") {
  std::int64_t days = 0;
  bool all_agree = true;
  for (int year = 1970; year <= 9999; ++year) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    const unsigned lengths[] = {31, leap ? 29U : 28U, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    for (unsigned month = 1; month <= 12; ++month) {
      for (unsigned day = 1; day <= lengths[month - 1]; ++day, ++days) {
        const CivilDate date{year, month, day};
        all_agree =
            all_agree && is_real_date(date) && days_from_civil(date) == days && civil_from_days(days) == date;
      }
      all_agree = all_agree && !is_real_date({year, month, lengths[month - 1] + 1});
    }
  }
  CHECK(all_agree);
  CHECK(days * kMillisPerDay - 1 == kLastTimestamp.millis());
}

TEST_CASE("a moment is written in UTC with milliseconds") {
  CHECK(to_iso8601(Timestamp(0)) == "1970-01-01T00:00:00.000Z");
  CHECK(to_iso8601(Timestamp(1'769'860'800'123)) == "2026-01-31T12:00:00.123Z");
  CHECK(to_iso8601(Timestamp(951'782'400'000)) == "2000-02-29T00:00:00.000Z");
  CHECK(to_iso8601(kLastTimestamp) == "9999-12-31T23:59:59.999Z");
}

TEST_CASE("a written moment reads back as itself") {
  REQUIRE(rc::check([] {
    const Timestamp moment(*any_millis());
    return parse_iso8601(to_iso8601(moment)) == moment;
  }));
}

TEST_CASE("a moment keeps its meaning under any offset") {
  REQUIRE(rc::check([] {
    const Timestamp moment(
        *rc::gen::inRange<std::int64_t>(kMillisPerDay, kLastTimestamp.millis() - kMillisPerDay));
    const int minutes = *rc::gen::inRange(-1439, 1440);
    std::string local = to_iso8601(moment.plus_millis(std::int64_t{minutes} * 60'000));
    local.pop_back();
    const int ahead = minutes < 0 ? -minutes : minutes;
    local += minutes < 0 ? '-' : '+';
    local += static_cast<char>('0' + ahead / 600);
    local += static_cast<char>('0' + ahead / 60 % 10);
    local += ':';
    local += static_cast<char>('0' + ahead % 60 / 10);
    local += static_cast<char>('0' + ahead % 10);
    return parse_iso8601(local) == moment;
  }));
}

TEST_CASE("fractions of one to nine digits are read and cut to milliseconds") {
  CHECK(parse_iso8601("1970-01-01T00:00:01Z") == Timestamp(1000));
  CHECK(parse_iso8601("1970-01-01T00:00:00.1Z") == Timestamp(100));
  CHECK(parse_iso8601("1970-01-01T00:00:00.12Z") == Timestamp(120));
  CHECK(parse_iso8601("1970-01-01T00:00:00.1239Z") == Timestamp(123));
  CHECK(parse_iso8601("1970-01-01T00:00:00.999999999Z") == Timestamp(999));
  CHECK(parse_iso8601("1970-01-01T00:00:00.0000000001Z") == std::nullopt);
  CHECK(parse_iso8601("1970-01-01T00:00:00.Z") == std::nullopt);
}

TEST_CASE("texts that name no moment are refused") {
  const auto* text = GENERATE(
      "", "2026", "2026-01-31", "2026-01-31T12:00:00", "2026-01-31 12:00:00Z", "2026-01-31T12:00Z",
      "2026-01-31T12:00:00z", "2026-01-31t12:00:00Z", "2026-02-29T12:00:00Z", "1900-02-29T00:00:00Z",
      "2100-02-29T00:00:00Z", "2026-00-10T00:00:00Z", "2026-13-10T00:00:00Z", "2026-01-00T00:00:00Z",
      "2026-01-32T00:00:00Z", "2026-04-31T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
      "2026-01-31T12:00:60Z", "2026-01-31T12:00:00+3:00", "2026-01-31T12:00:00+0300",
      "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00+03:60", "2026-01-31T12:00:00ZZ",
      "2026-01-31T12:00:00Z ", " 2026-01-31T12:00:00Z", "+026-01-31T12:00:00Z", "1969-12-31T23:59:59Z",
      "1970-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z");
  CAPTURE(text);
  CHECK(parse_iso8601(text) == std::nullopt);
}

TEST_CASE("a date is its midnight in UTC") {
  CHECK(parse_date("1970-01-02") == Timestamp(kMillisPerDay));
  CHECK(parse_date("2024-02-29") == parse_iso8601("2024-02-29T00:00:00Z"));
  CHECK(parse_date("2023-02-29") == std::nullopt);
  CHECK(parse_date("2024-2-29") == std::nullopt);
  CHECK(parse_date("2024-02-29T00:00:00Z") == std::nullopt);
  CHECK(parse_date("1969-12-31") == std::nullopt);
  CHECK(parse_date("") == std::nullopt);
}

TEST_CASE("parsing a moment survives any text") {
  REQUIRE(rc::check([](const std::string& text) { return !parse_iso8601(text) && !parse_date(text); }));
}

}  // namespace pixledger::domain
