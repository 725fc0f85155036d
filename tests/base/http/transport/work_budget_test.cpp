#include <catch2/catch.hpp>
#include <thread>

#include "base/http/message/request.h"
#include "tests/support/servers/listening_server.h"
#include "tests/support/servers/raw_http.h"

using namespace pixledger;
using namespace std::chrono_literals;
using http::WorkBudget;

namespace {

const std::string kWork = "GET /work HTTP/1.1\r\nHost: x\r\n\r\n";

void await_no_connection(const http::Server& server) {
  while (server.open_connections() > 0) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a budget ends with its time, or when the caller has gone") {
  const auto now = WorkBudget::Clock::now();
  std::atomic<bool> has_gone{false};
  const WorkBudget budget(now + 1h, has_gone);
  CHECK_FALSE(WorkBudget().is_over());
  CHECK_FALSE(budget.is_over());
  CHECK(WorkBudget(now, has_gone).is_over());
  has_gone = true;
  CHECK(budget.is_over());
  CHECK_THROWS_AS(budget.check(), http::WorkGivenUp);
}

TEST_CASE("a request that takes longer than it may is answered 503, and the connection goes on") {
  http::ServerOptions options;
  options.work_max = 20ms;
  tests::ListeningServer server(options);
  tests::RawConnection connection(server.port());
  connection.send(kWork + "GET /echo HTTP/1.1\r\nHost: x\r\n\r\n");
  const auto reply = connection.read_reply();
  CHECK(reply.status == 503);
  CHECK(reply.header("retry-after") == "1");
  CHECK(reply.body.find("given up") != std::string::npos);
  CHECK(connection.read_reply().status == 200);
  CHECK(server.faults().empty());
}

TEST_CASE("a request is given up when its caller has gone") {
  http::ServerOptions options;
  options.work_max = 1h;
  tests::ListeningServer server(options);
  {
    tests::RawConnection connection(server.port());
    connection.send(kWork);
    while (server.handled() == 0) std::this_thread::yield();
  }
  await_no_connection(server.server());
  CHECK(server.faults().empty());
}

TEST_CASE("a caller that has sent a request ahead and leaves counts as gone, too") {
  http::ServerOptions options;
  options.work_max = 1h;
  tests::ListeningServer server(options);
  {
    tests::RawConnection connection(server.port());
    connection.send(kWork + kWork);
    while (server.handled() == 0) std::this_thread::yield();
  }
  await_no_connection(server.server());
  CHECK(server.faults().empty());
}
