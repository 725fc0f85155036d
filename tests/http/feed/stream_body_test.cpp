#include "http/routing/stream_body.h"

#include <catch2/catch.hpp>

using namespace pixledger;
using http::StreamBody;
using Then = http::BodySource::Then;

namespace {

constexpr std::size_t kRoom = 1'000;

// A reader, after the first comment, of a stream that may send events until the moment changes.
struct Reader {
  std::uint64_t moment = 1;
  StreamBody body{[this](std::uint64_t made_at) { return made_at == moment; }};
  std::string had;

  Reader() {
    CHECK(read() == Then::kLater);
    had.clear();
  }
  Then read(std::size_t room = kRoom) { return body.append_to(had, room); }
};

}  // namespace

TEST_CASE(
    "events that were made before a customer was erased, or their reader ended, are not sent afterwards") {
  Reader reader;
  reader.body.write_events("id: 1\ndata: Maria\n\n", 1);
  ++reader.moment;
  CHECK(reader.read() == Then::kCut);
  CHECK(reader.had.empty());
}

TEST_CASE("an event that is half sent by then is cut off") {
  Reader reader;
  reader.body.write_events("id: 1\ndata: Maria\n\n", 1);
  CHECK(reader.read(6) == Then::kMore);
  ++reader.moment;
  reader.body.write_events("id: 2\ndata: later\n\n", 2);
  CHECK(reader.read() == Then::kCut);
  CHECK(reader.had == "id: 1\n");
}

TEST_CASE("a stream whose events have all been read continues with later ones") {
  Reader reader;
  reader.body.write_events("id: 1\ndata: Maria\n\n", 1);
  CHECK(reader.read() == Then::kLater);
  ++reader.moment;
  reader.body.write(http::kStreamComment);
  CHECK(reader.read() == Then::kLater);
  reader.body.write_events("id: 2\ndata: later\n\n", 2);
  CHECK(reader.read() == Then::kLater);
  CHECK(reader.had == "id: 1\ndata: Maria\n\n:\n\nid: 2\ndata: later\n\n");
}
