#include <catch2/catch.hpp>

#include "web/upstream/api_connection.h"
#include "web/upstream/change_stream.h"

namespace pixledger::tests {
namespace {

using web::ResponseReader;
using State = ResponseReader::State;

constexpr std::size_t kBodyMax = 64;

ResponseReader read(std::string_view bytes) {
  ResponseReader reader({kBodyMax});
  // As badly as it can arrive.
  for (const char c : bytes) reader.feed({&c, 1});
  return reader;
}

}  // namespace

TEST_CASE("an answer with a length ends where it says") {
  auto reader = read("HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nContent-Length: 2\r\n\r\n{}");
  REQUIRE(reader.state() == State::kDone);
  CHECK(reader.reply().status == 200);
  CHECK(reader.reply().content_type == "application/json");
  CHECK(reader.reply().body == "{}");
  CHECK(reader.keeps_alive());
  reader.feed("x");
  CHECK_FALSE(reader.keeps_alive());
}

TEST_CASE("an answer in chunks, or until the end of the stream, is whole only then") {
  auto chunks = read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
  CHECK(chunks.state() == State::kBody);
  CHECK(chunks.reply().body == "abc");
  chunks.feed("0\r\n\r\n");
  CHECK(chunks.state() == State::kDone);

  auto open = read("HTTP/1.1 503 Service Unavailable\r\nConnection: close\r\n\r\nsorry");
  CHECK(open.state() == State::kBody);
  open.end_of_stream();
  CHECK(open.state() == State::kDone);
  CHECK_FALSE(open.keeps_alive());

  auto cut = read("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc");
  cut.end_of_stream();
  CHECK(cut.state() == State::kBroken);
}

TEST_CASE("what is no answer, contradicts itself or is too long is broken") {
  CHECK(read("ICY 200 OK\r\n\r\n").state() == State::kBroken);
  CHECK(read("HTTP/1.1 100 Continue\r\n\r\n").state() == State::kBroken);
  CHECK(read("HTTP/1.1 200 OK\r\nno colon\r\n\r\n").state() == State::kBroken);
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\n").state() == State::kBroken);
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n").state() ==
        State::kBroken);
  CHECK(read("HTTP/1.1 200 OK\r\nContent-Length: 65\r\n\r\n").state() == State::kBroken);
  CHECK(read("HTTP/1.1 200 OK\r\n\r\n" + std::string(65, 'x')).state() == State::kBroken);
  CHECK(read("HTTP/1.1 200 OK\r\nx: " + std::string(20'000, 'x')).state() == State::kBroken);
}

TEST_CASE("a body that is taken off as it comes may be of any length, and wanted headers are kept") {
  constexpr std::array<std::string_view, 2> kKept{"Retry-After", "ETag"};
  ResponseReader reader({.body_bytes_max = 4, .is_taken_off = true, .kept_headers = kKept});
  reader.feed("HTTP/1.1 200 OK\r\nretry-after: 7\r\nSet-Cookie: x=y\r\nContent-Length: 9\r\n\r\nabcd");
  REQUIRE(reader.state() == State::kBody);
  CHECK(reader.reply().headers ==
        std::vector<std::pair<std::string_view, std::string>>{{"Retry-After", "7"}});
  CHECK(std::exchange(reader.reply().body, {}) == "abcd");
  reader.feed("efgh");
  CHECK(reader.state() == State::kBody);
  CHECK(std::exchange(reader.reply().body, {}) == "efgh");
  reader.feed("i");
  CHECK(reader.state() == State::kDone);
  CHECK(reader.reply().body == "i");

  ResponseReader full({.body_bytes_max = 4, .is_taken_off = true});
  full.feed("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabcde");
  CHECK(full.state() == State::kBroken);
}

TEST_CASE("events of a stream are taken as wholes, and comments dropped") {
  web::StreamEvent event;
  std::string bytes =
      ":\n\nevent: session\r\ndata: {\"a\":1}\r\n\r\n:\n\nevent: other\ndata:x\ndata: y\n\nevent: half\n";
  REQUIRE(web::take_event(bytes, event));
  CHECK(event.name == "session");
  CHECK(event.data == "{\"a\":1}");
  REQUIRE(web::take_event(bytes, event));
  CHECK(event.name == "other");
  CHECK(event.data == "x\ny");
  CHECK_FALSE(web::take_event(bytes, event));
  CHECK(bytes == "event: half\n");
  bytes += "data: z\n\n";
  REQUIRE(web::take_event(bytes, event));
  CHECK(event.name == "half");
}

}  // namespace pixledger::tests
