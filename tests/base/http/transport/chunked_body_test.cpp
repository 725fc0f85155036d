#include <algorithm>
#include <catch2/catch.hpp>
#include <rapidcheck.h>
#include <sstream>
#include <vector>

#include "base/http/transport/message_reader.h"

using namespace pixledger;

using pixledger::http::ChunkedBody;

namespace {

constexpr std::size_t kBytesMax = 1000;

std::string chunk(const std::string& data) {
  std::ostringstream text;
  text << std::hex << data.size() << "\r\n" << data << "\r\n";
  return text.str();
}

std::vector<std::string> chunks_of_any_bytes() {
  const auto data = rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::arbitrary<char>()));
  auto chunks = *rc::gen::container<std::vector<std::string>>(data);
  if (chunks.size() > 8) chunks.resize(8);
  return chunks;
}

}  // namespace

TEST_CASE("a chunked body is decoded however it arrives, and takes no byte of what follows") {
  REQUIRE(rc::check([] {
    std::string expected;
    std::string encoded;
    for (const std::string& data : chunks_of_any_bytes()) {
      expected += data;
      encoded += chunk(data);
    }
    encoded += "0\r\n\r\n";
    const std::string next = "GET / HTTP/1.1";

    ChunkedBody chunks(100'000);
    std::string body;
    const std::string all = encoded + next;
    std::size_t used = 0;
    while (chunks.state() == ChunkedBody::State::kIncomplete) {
      const auto piece = *rc::gen::inRange<std::size_t>(1, 20);
      used += chunks.feed(std::string_view(all).substr(used, piece), body);
    }
    RC_ASSERT(chunks.state() == ChunkedBody::State::kDone);
    RC_ASSERT(used == encoded.size());
    RC_ASSERT(body == expected);
  }));
}

TEST_CASE("no beginning of a chunked body passes for the whole") {
  REQUIRE(rc::check([] {
    std::string encoded;
    for (const std::string& data : chunks_of_any_bytes()) encoded += chunk(data);
    encoded += "0\r\n\r\n";
    const auto bytes = *rc::gen::inRange<std::size_t>(0, encoded.size());
    ChunkedBody chunks(100'000);
    std::string body;
    chunks.feed(std::string_view(encoded).substr(0, bytes), body);
    RC_ASSERT(chunks.state() == ChunkedBody::State::kIncomplete);
  }));
}

TEST_CASE("whatever bytes arrive, no more than the limit is kept") {
  REQUIRE(rc::check([] {
    const auto alphabet = rc::gen::element('0', '1', '2', 'f', ';', '\r', '\n', 'x', ':');
    const auto bytes = *rc::gen::container<std::string>(alphabet);
    ChunkedBody chunks(kBytesMax);
    std::string body;
    RC_ASSERT(chunks.feed(bytes, body) <= bytes.size());
    RC_ASSERT(body.size() <= kBytesMax);
  }));
}

TEST_CASE("a chunk's size line and a trailer are read in one way only") {
  const auto state_after = [](const std::string& bytes) {
    ChunkedBody chunks(kBytesMax);
    std::string body;
    chunks.feed(bytes, body);
    return chunks.state();
  };
  for (const char* good :
       {"1\r\nx\r\n0\r\n\r\n", "1;a=b\r\nx\r\n0;last\r\n\r\n", "1 \t;a=\"b c\"\r\nx\r\n0\r\n\r\n",
        "0001\r\nx\r\n0\r\nDigest: a:b\r\nX-Empty:\r\n\r\n"}) {
    CAPTURE(good);
    CHECK(state_after(good) == ChunkedBody::State::kDone);
  }
  for (const char* bad : {"1 \r\nx\r\n0\r\n\r\n", "1 2\r\nx\r\n0\r\n\r\n", "1x\r\nx\r\n0\r\n\r\n",
                          "0x1\r\nx\r\n0\r\n\r\n", "+1\r\nx\r\n0\r\n\r\n", "-1\r\n", " 1\r\nx\r\n0\r\n\r\n",
                          "1\nx\n0\n\n", "1;\x80\r\nx\r\n0\r\n\r\n", "1\r\nx\r\n0\r\nGET / HTTP/1.1\r\n\r\n",
                          "0\r\nA B: c\r\n\r\n", "0\r\n: c\r\n\r\n", "0\r\nname\r\n\r\n", "123456789\r\n"}) {
    CAPTURE(bad);
    CHECK(state_after(bad) == ChunkedBody::State::kMalformed);
  }
}
