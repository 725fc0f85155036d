#include <catch2/catch.hpp>
#include <memory>
#include <thread>
#include <vector>

#include "base/http/transport/connection_limits.h"
#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using http::ByteBudget;
using tests::ListeningServer;
using tests::RawConnection;

namespace {

constexpr std::size_t kLarge = 1024 * 1024;
const std::string kGetLarge = "GET /large HTTP/1.1\r\nHost: x\r\n\r\n";

}  // namespace

TEST_CASE("large replies share a budget, and small ones need none of it") {
  ByteBudget budget(3 * kLarge);
  auto first = budget.take("a", kLarge);
  auto second = budget.take("b", 2 * kLarge);
  REQUIRE(first);
  REQUIRE(second);
  CHECK_FALSE(budget.take("c", kLarge));
  CHECK(budget.take("c", ByteBudget::kSmallBytes));
  CHECK(budget.in_flight() == 3 * kLarge);
  CHECK(budget.refused() == 1);
  first.reset();
  CHECK(budget.take("c", kLarge));
  second.reset();
  CHECK(budget.in_flight() == 0);
  CHECK(budget.take("a", 100 * kLarge));
}

TEST_CASE("one address has a quarter of the budget, or one reply that is larger") {
  ByteBudget budget(8 * kLarge);
  auto first = budget.take("slow", kLarge);
  auto second = budget.take("slow", kLarge);
  REQUIRE(second);
  CHECK_FALSE(budget.take("slow", kLarge));
  auto large = budget.take("other", 3 * kLarge);
  REQUIRE(large);
  CHECK_FALSE(budget.take("other", kLarge));
  CHECK(budget.in_flight() == 5 * kLarge);
  first.reset();
  CHECK(budget.take("slow", kLarge));
}

TEST_CASE("a share that is moved is given back once") {
  ByteBudget budget(kLarge);
  {
    auto taken = *budget.take("a", kLarge);
    ByteBudget::Share kept;
    kept = std::move(taken);
    CHECK(budget.in_flight() == kLarge);
    kept.release();
    CHECK(budget.in_flight() == 0);
  }
  CHECK(budget.in_flight() == 0);
}

TEST_CASE("callers who do not read their replies do not fill the server's memory") {
  http::ServerOptions options;
  options.reply_bytes_max = ByteBudget::kSharesInAll * 2 * ListeningServer::kLargeBytes;
  ListeningServer server(options);
  std::vector<std::unique_ptr<RawConnection>> slow;
  for (int i = 0; i < 2; ++i) {
    slow.push_back(std::make_unique<RawConnection>(server.port()));
    slow.back()->send(kGetLarge);
  }
  while (server.server().reply_bytes() < 2 * ListeningServer::kLargeBytes) std::this_thread::yield();

  const auto refused = tests::exchange(server.port(), kGetLarge);
  CHECK(refused.status == 503);
  CHECK(refused.header("retry-after") == "1");
  CHECK(server.server().refused_replies() == 1);
  CHECK(tests::exchange(server.port(), "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n").status == 200);

  CHECK(slow.front()->read_reply().body.size() == ListeningServer::kLargeBytes);
  while (server.server().reply_bytes() > ListeningServer::kLargeBytes) std::this_thread::yield();
  CHECK(tests::exchange(server.port(), kGetLarge).status == 200);
}

TEST_CASE("files that arrive share a budget, each address a part of it, and other bodies need none") {
  constexpr auto kMax = ListeningServer::kFileBytesMax;
  http::ServerOptions options;
  options.large_bodies_max = ByteBudget::kSharesInAll * kMax;
  ListeningServer server(options);
  const auto head = [](const std::string& path, std::size_t bytes) {
    return "POST " + path +
           " HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Type: application/octet-stream\r\n" +
           "Content-Length: " + std::to_string(bytes) + "\r\n\r\n";
  };
  RawConnection slow(server.port());
  slow.send(head("/file", kMax));
  REQUIRE(slow.read_stream_head().status == 100);
  CHECK(tests::exchange(server.port(), head("/file", kMax)).status == 503);
  CHECK(tests::exchange(server.port(), head("/file", kMax + 1)).status == 413);
  CHECK(tests::exchange(server.port(), head("/echo", 100'000)).status == 413);
  RawConnection small(server.port());
  small.send(head("/file", 10));
  REQUIRE(small.read_stream_head().status == 100);
  small.send("0123456789");
  CHECK(small.read_reply().status == 200);

  slow.send(std::string(kMax, 'x'));
  CHECK(slow.read_reply().status == 200);
  RawConnection next(server.port());
  next.send(head("/file", kMax));
  CHECK(next.read_stream_head().status == 100);
}
