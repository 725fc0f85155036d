#include "domain/pix/end_to_end_id.h"

#include <catch2/catch.hpp>
#include <cstdint>
#include <rapidcheck.h>
#include <string>

namespace pixledger::domain {

TEST_CASE("an end-to-end id is E, institution, minute and eleven letters or digits") {
  const std::string text = "E12345678202601311200AbCdEfGhI12";
  REQUIRE(EndToEndId::parse(text));
  CHECK(EndToEndId::parse(text)->text() == text);
  CHECK(EndToEndId::parse("E00000000202402292359zzzzzzzzzzz"));
}

TEST_CASE("texts that are no end-to-end id are refused") {
  const auto* text = GENERATE("", "E12345678202601311200AbCdEfGhI1", "E12345678202601311200AbCdEfGhI123",
                              "e12345678202601311200AbCdEfGhI12", "D12345678202601311200AbCdEfGhI12",
                              "E1234567x202601311200AbCdEfGhI12", "E12345678202613311200AbCdEfGhI12",
                              "E12345678202602291200AbCdEfGhI12", "E12345678202601312400AbCdEfGhI12",
                              "E12345678202601311260AbCdEfGhI12", "E12345678202601311200AbCdEfGhI1-",
                              "E12345678202601311200AbCdEfGhI1 ", "E12345678000000000000AbCdEfGhI12");
  CAPTURE(text);
  CHECK_FALSE(EndToEndId::parse(text));
}

TEST_CASE("a made-up id has the form of a real one and shows its minute") {
  const auto now = parse_iso8601("2026-01-31T12:34:56Z");
  CHECK(synthesize_end_to_end_id(*now, 1).substr(0, 21) == "E00000000202601311234");
  CHECK(synthesize_end_to_end_id(*now, 1) != synthesize_end_to_end_id(*now, 2));
  REQUIRE(rc::check([](std::uint64_t random) {
    const Timestamp moment(*rc::gen::inRange<std::int64_t>(0, kLastTimestamp.millis()));
    return EndToEndId::parse(synthesize_end_to_end_id(moment, random)).has_value();
  }));
}

}  // namespace pixledger::domain
