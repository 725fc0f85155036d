#include "base/trace/trace_context.h"

#include <catch2/catch.hpp>

using namespace pixledger;

// The cases are those of the W3C's own suite (trace-context, test/test.py).
namespace {

const std::string kTrace = "12345678901234567890123456789012";
const std::string kParent = "1234567890123456";
const std::string kValid = "00-" + kTrace + "-" + kParent + "-01";

std::string state_of(std::string_view tracestate) {
  return parse_trace_context(kValid, tracestate).value().state;
}

}  // namespace

TEST_CASE("a valid traceparent is parsed, and passed on with the id of another span") {
  const auto context = parse_trace_context(kValid);
  REQUIRE(context);
  CHECK(context->trace_id == kTrace);
  CHECK(context->parent_id == kParent);
  CHECK(context->is_sampled);
  CHECK(context->is_callers);
  CHECK(traceparent_of(*context, "b7ad6b7169203331") == "00-" + kTrace + "-b7ad6b7169203331-01");
  CHECK_FALSE(parse_trace_context("00-" + kTrace + "-" + kParent + "-00").value().is_sampled);
}

TEST_CASE("of the flags only sampled is read and passed on") {
  const auto context = parse_trace_context("00-" + kTrace + "-" + kParent + "-ff").value();
  CHECK(context.is_sampled);
  CHECK(traceparent_of(context, kParent) == kValid);
  CHECK_FALSE(parse_trace_context("00-" + kTrace + "-" + kParent + "-fe").value().is_sampled);
}

TEST_CASE("of a later version's traceparent the part of version 00 is read") {
  for (const auto* rest : {"", "-", "-what-the-future-will-be-like"}) {
    const auto context = parse_trace_context("cc-" + kTrace + "-" + kParent + "-01" + rest);
    REQUIRE(context);
    CHECK(traceparent_of(*context, kParent) == kValid);
  }
  CHECK_FALSE(parse_trace_context("cc-" + kTrace + "-" + kParent + "-01.what-the-future-will-not-be-like"));
  CHECK_FALSE(parse_trace_context("cc-" + kTrace + "-" + kParent + "-011"));
}

TEST_CASE("an invalid traceparent is refused") {
  const auto text = GENERATE(
      std::string(), "00-" + kTrace, "00-" + kTrace + "-" + kParent, kValid + "-what-the-future",
      kValid + "-", kValid + "1", "0-" + kTrace + "-" + kParent + "-01",
      "000-" + kTrace + "-" + kParent + "-01", "ff-" + kTrace + "-" + kParent + "-01",
      ".0-" + kTrace + "-" + kParent + "-01", "0.-" + kTrace + "-" + kParent + "-01",
      "00-" + std::string(32, '0') + "-" + kParent + "-01",
      "00-" + kTrace + "-" + std::string(16, '0') + "-01",
      "00-.2345678901234567890123456789012-" + kParent + "-01",
      "00-1234567890123456789012345678901.-" + kParent + "-01",
      "00-1234567890123456789012345678901-" + kParent + "-01",
      "00-123456789012345678901234567890123-" + kParent + "-01",
      "00-ABCDEFABCDEFABCDEFABCDEFABCDEFAB-" + kParent + "-01", "00-" + kTrace + "-.234567890123456-01",
      "00-" + kTrace + "-123456789012345.-01", "00-" + kTrace + "-123456789012345-01",
      "00-" + kTrace + "-12345678901234567-01", "00-" + kTrace + "-ABCDEFABCDEFABCD-01",
      "00-" + kTrace + "-" + kParent + "-.0", "00-" + kTrace + "-" + kParent + "-0.",
      "00-" + kTrace + "-" + kParent + "-1", "00-" + kTrace + "-" + kParent + "-001",
      "00-" + kTrace + "-" + kParent + "-0A", "00_" + kTrace + "_" + kParent + "_01", kValid + "," + kValid);
  CAPTURE(text);
  CHECK_FALSE(parse_trace_context(text));
}

TEST_CASE("a valid tracestate is kept, without blanks around its members and empty ones") {
  CHECK(state_of("foo=1,bar=2") == "foo=1,bar=2");
  CHECK(state_of("foo=1 \t , \t bar=2, \t baz=3") == "foo=1,bar=2,baz=3");
  CHECK(state_of("foo=1,,,bar=2,") == "foo=1,bar=2");
  CHECK(state_of("foo= 1 2") == "foo= 1 2");
  CHECK(state_of(" ,\t") == "");
  CHECK(state_of("fw529a3039@dt=FfUAx2,0a*/-_@b=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~") ==
        "fw529a3039@dt=FfUAx2,0a*/-_@b=!\"#$%&'()*+-./:;<>?@[\\]^_`{|}~");
  const auto longest_key = std::string(256, 'z') + "=1";
  CHECK(state_of(longest_key) == longest_key);
  const auto longest_tenant = std::string(241, 't') + "@" + std::string(14, 'v') + "=1";
  CHECK(state_of(longest_tenant) == longest_tenant);
  const auto longest_value = "a=" + std::string(256, 'v');
  CHECK(state_of(longest_value) == longest_value);
}

TEST_CASE("an invalid tracestate is ignored, and its traceparent is not") {
  const auto text = GENERATE(std::string("foo"), "foo=", "foo=1,bar=", "=1", "foo =1", "FOO=1", "foo.bar=1",
                             "1foo=1", "foo@=1,bar=2", "@foo=1,bar=2", "foo@@bar=1,bar=2",
                             "foo@bar@baz=1,bar=2", "foo@1=1", "foo=bar=baz", "foo=1,foo=2", "foo=\x7f",
                             "foo=\xc3\xa3", std::string(257, 'z') + "=1", std::string(242, 't') + "@v=1",
                             "t@" + std::string(15, 'v') + "=1", "a=" + std::string(257, 'v'));
  CAPTURE(text);
  CHECK(state_of(text) == "");
}

TEST_CASE("a tracestate has at most 32 members and 512 bytes") {
  std::string members = "a0=1";
  for (int i = 1; i < 32; ++i) members += ",a" + std::to_string(i) + "=1";
  CHECK(state_of(members) == members);
  CHECK(state_of(members + ",more=1") == "");
  const auto longest = "a=" + std::string(252, 'v') + ",b=" + std::string(255, 'v');
  REQUIRE(longest.size() == kTraceStateBytesMax);
  CHECK(state_of(longest) == longest);
  CHECK(state_of(longest + "v") == "");
}
