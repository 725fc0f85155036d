#include "web/site/live_pages.h"

#include <algorithm>
#include <catch2/catch.hpp>

namespace pixledger::tests {
namespace {

using Then = http::BodySource::Then;
constexpr std::size_t kRoom = 16 * 1024;

std::string token(char of, char code = 'A') { return std::string(25, of).append(".").append(22, code); }

// Of another session for each number.
std::string numbered(std::size_t number) {
  auto text = std::to_string(number);
  return text.insert(0, 25 - text.size(), 'n') + "." + std::string(22, 'A');
}

const std::string kNetwork = "192.0.2.1";

std::string read(web::LiveStream& stream) {
  std::string bytes;
  stream.append_to(bytes, kRoom);
  return bytes;
}

}  // namespace

TEST_CASE("a page is told of its session alone, whatever the rest of the token is") {
  web::LivePages pages(1'000);
  const auto one = pages.open(token('a'), kNetwork), other = pages.open(token('b'), kNetwork);
  read(*one);
  read(*other);
  pages.tell(std::string(25, 'a'), "data: 1\n\n");
  CHECK(read(*one) == "data: 1\n\n");
  CHECK(read(*other).empty());
  pages.tell_all("data: 2\n\n");
  CHECK(read(*one) == "data: 2\n\n");
  CHECK(read(*other) == "data: 2\n\n");
}

TEST_CASE("a token has eight streams at once, and another of the session its own") {
  web::LivePages pages(1'000);
  std::vector<std::shared_ptr<web::LiveStream>> streams;
  for (int i = 0; i < 8; ++i) REQUIRE(streams.emplace_back(pages.open(token('a'), kNetwork)));
  CHECK_FALSE(pages.open(token('a'), kNetwork));
  CHECK(pages.open(token('a', 'B'), kNetwork));
  streams.pop_back();
  CHECK(pages.open(token('a'), kNetwork));
  CHECK(pages.count() == 7);
}

TEST_CASE("a network has so many streams at once, and another its own") {
  web::LivePages pages(100'000);
  std::vector<std::shared_ptr<web::LiveStream>> streams;
  for (std::size_t i = 0; i < web::LivePages::kStreamsOfNetworkMax; ++i)
    REQUIRE(streams.emplace_back(pages.open(numbered(i / 8), kNetwork)));
  CHECK_FALSE(pages.open(token('z'), kNetwork));
  CHECK(pages.open(token('z'), "192.0.2.2"));
  streams.pop_back();
  CHECK(pages.open(token('z'), kNetwork));
}

TEST_CASE("where there are as many as may be, the oldest of the network with the most yields to a newcomer") {
  web::LivePages pages(10);
  std::vector<std::shared_ptr<web::LiveStream>> many;
  for (std::size_t i = 0; i < 9; ++i) many.push_back(pages.open(numbered(i), "192.0.2.9"));
  const auto first = pages.open(token('a'), kNetwork);
  const auto second = pages.open(token('b'), kNetwork);
  REQUIRE(second);
  std::string bytes;
  CHECK(many[0]->append_to(bytes, kRoom) == Then::kEnd);
  CHECK(bytes.ends_with("retry: 30000\n\n"));
  CHECK(many[1]->append_to(bytes, kRoom) == Then::kLater);
  CHECK(first->append_to(bytes, kRoom) == Then::kLater);
  // One that is on its way out makes no other leave.
  const auto third = pages.open(token('c'), kNetwork);
  CHECK(pages.ended_for_others() == 2);
  CHECK(many[1]->append_to(bytes, kRoom) == Then::kEnd);
  CHECK(many[2]->append_to(bytes, kRoom) == Then::kLater);
  CHECK(first->append_to(bytes, kRoom) == Then::kLater);
  // Who opens more and more ends their own.
  many.push_back(pages.open(numbered(20), "192.0.2.9"));
  CHECK(many[2]->append_to(bytes, kRoom) == Then::kEnd);
}

TEST_CASE("a stream that nobody reads is cut at sixteen kilobytes, and the others go on") {
  web::LivePages pages(1'000);
  const auto idle = pages.open(token('a'), kNetwork), reader = pages.open(token('a'), kNetwork);
  const std::string event(1024, 'x');
  for (int i = 0; i < 17; ++i) {
    pages.tell(std::string(25, 'a'), event);
    read(*reader);
  }
  std::string bytes;
  CHECK(idle->append_to(bytes, kRoom) == Then::kCut);
  CHECK(bytes.empty());
  CHECK(pages.cut() == 1);
  CHECK(reader->append_to(bytes, kRoom) == Then::kLater);
}

TEST_CASE("each stream has one comment in fifteen seconds, and few of them at once") {
  web::LivePages pages(1'000);
  std::vector<std::shared_ptr<web::LiveStream>> streams;
  for (char of = 'a'; of < 'z'; ++of) read(*streams.emplace_back(pages.open(token(of), kNetwork)));
  web::LivePages::Clock::time_point now;
  pages.comment(now += std::chrono::hours(1));
  for (const auto& stream : streams) CHECK(read(*stream) == ":\n\n");
  const auto ends = now + web::LivePages::kCommentEvery;
  std::size_t written = 0;
  while (now < ends) {
    CHECK(pages.comment(now += web::LivePages::kTurn) == web::LivePages::kTurn);
    const auto told = std::count_if(streams.begin(), streams.end(),
                                    [](const auto& stream) { return !read(*stream).empty(); });
    CHECK(told <= 1);
    written += static_cast<std::size_t>(told);
  }
  CHECK(written == streams.size());
  // After a long time without readers.
  streams.clear();
  CHECK(pages.comment(now + std::chrono::hours(1)) == std::chrono::seconds(1));
}

TEST_CASE("streams end when the program does, once they have said what was to be said") {
  web::LivePages pages(1'000);
  const auto stream = pages.open(token('a'), kNetwork);
  stream->write("data: last\n\n");
  pages.end_all();
  std::string bytes;
  CHECK(stream->append_to(bytes, kRoom) == Then::kEnd);
  CHECK(bytes.ends_with("data: last\n\n"));
  CHECK_FALSE(pages.open(token('b'), kNetwork));
}

}  // namespace pixledger::tests
