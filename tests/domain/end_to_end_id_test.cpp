#include <catch2/catch.hpp>
#include <cstdint>
#include <rapidcheck.h>
#include <string>

#include "domain/pix/payment_ids.h"

namespace pixledger::domain {

TEST_CASE("an end-to-end id is any 32 letters and digits, since banks guarantee no more") {
  const auto* text = GENERATE("E12345678202601311200AbCdEfGhI12", "E1234A67Z202601311200AbCdEfGhI12",
                              "e12345678202601311200AbCdEfGhI12", "D12345678202613311200AbCdEfGhI12",
                              "0123456789abcdefABCDEF0123456789");
  REQUIRE(EndToEndId::parse(text));
  CHECK(EndToEndId::parse(text)->text() == text);
}

TEST_CASE("texts that are no end-to-end id are refused") {
  const auto* text = GENERATE("", "E12345678202601311200AbCdEfGhI1", "E12345678202601311200AbCdEfGhI123",
                              "E12345678202601311200AbCdEfGhI1-", "E12345678202601311200AbCdEfGhI1 ",
                              "E12345678202601311200AbCdEfGh\xc3\xa9"
                              "2");
  CAPTURE(text);
  CHECK_FALSE(EndToEndId::parse(text));
}

TEST_CASE("the usual form of an end-to-end id is E, institution, minute and eleven letters or digits") {
  const auto* usual = GENERATE("E12345678202601311200AbCdEfGhI12", "E00000000202402292359zzzzzzzzzzz",
                               "E1234A67Z202601311200AbCdEfGhI12");
  CHECK(EndToEndId::parse(usual)->has_usual_form());
}

TEST_CASE("an end-to-end id of another form is detected") {
  const auto* other = GENERATE("e12345678202601311200AbCdEfGhI12", "D12345678202601311200AbCdEfGhI12",
                               "E1234567x202601311200AbCdEfGhI12", "E12345678202613311200AbCdEfGhI12",
                               "E12345678202602291200AbCdEfGhI12", "E12345678202601312400AbCdEfGhI12",
                               "E12345678202601311260AbCdEfGhI12", "E12345678000000000000AbCdEfGhI12");
  CAPTURE(other);
  CHECK_FALSE(EndToEndId::parse(other)->has_usual_form());
}

TEST_CASE("a made-up id has the form of a real one and shows its minute") {
  const auto now = parse_iso8601("2026-01-31T12:34:56Z");
  CHECK(synthesize_end_to_end_id(*now, 1).substr(0, 21) == "E00000000202601311234");
  CHECK(synthesize_end_to_end_id(*now, 1) != synthesize_end_to_end_id(*now, 2));
  REQUIRE(rc::check([](std::uint64_t random) {
    const Timestamp moment(*rc::gen::inRange<std::int64_t>(0, kLastTimestamp.millis()));
    return EndToEndId::parse(synthesize_end_to_end_id(moment, random))->has_usual_form();
  }));
}

}  // namespace pixledger::domain
