#include "http/front/request_log.h"

#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <unistd.h>

#include "http/front/caller.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace std::chrono_literals;

namespace {

class Counter final : public http::ServerObserver {
 public:
  void request_arrived() override { ++arrived; }
  void request_answered(const http::Request&, int, std::chrono::nanoseconds) override { ++answered; }
  void request_refused(const http::Request&, int) override { ++refused; }
  int arrived = 0;
  int answered = 0;
  int refused = 0;
};

// Logs to a file.
struct World {
  explicit World(http::LoggedRequests which) : log(counter, logger, which, failed, clock) {}
  ~World() { ::close(descriptor); }
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  tests::TemporaryDirectory directory;
  std::string path = (directory.path() / "log").string();
  int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  tests::FixedClock clock{Timestamp(1'790'000'000'000)};
  Logger logger{LogFormat::kJson, clock, descriptor};
  Counter counter;
  http::FailedRequests failed;
  http::RequestLog log;

  std::string logged() const {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::size_t lines() const {
    const auto text = logged();
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
  }
};

http::Request request_of(std::string id) {
  http::Request request;
  request.method = http::Method::kPost;
  request.path = "/api/v1/transactions/secret-path";
  request.query = "email=ana@example.com";
  request.request_id = std::move(id);
  request.caller_address = "203.0.113.7";
  return request;
}

}  // namespace

TEST_CASE("a refused request is a line that its requestId finds, without path, query or key") {
  World world(http::LoggedRequests::kErrors);
  auto request = request_of("req_1");
  request.route_pattern = "/api/v1/transactions/:id";
  const auto key = tests::parsed<domain::ApiKeyId>("4d09ee475399f716baca068e");
  request.caller = std::make_shared<const http::Caller>(
      http::Caller{.key = key,
                   .project = tests::parsed<domain::ProjectId>("cproject00000000000000000"),
                   .environment = domain::Environment::kLive,
                   .arrival = {}});
  world.log.request_arrived();
  world.log.request_answered(request, 400, 1'200us);
  CHECK(world.logged() ==
        R"({"time":"2026-09-21T14:13:20.000Z","level":"info","message":"request","requestId":"req_1",)"
        R"("method":"POST","route":"/api/v1/transactions/:id","status":400,"durationMs":2,)"
        R"("keyId":"4d09ee475399f716baca068e","caller":"203.0.113.7"})"
        "\n");
  CHECK(world.counter.arrived == 1);
  CHECK(world.counter.answered == 1);
}

TEST_CASE("a request that did not arrive as a whole has neither route nor key nor duration") {
  World world(http::LoggedRequests::kErrors);
  world.log.request_refused(request_of("req_2"), 503);
  CHECK(world.logged() ==
        R"({"time":"2026-09-21T14:13:20.000Z","level":"warning","message":"request","requestId":"req_2",)"
        R"("method":"POST","route":"unmatched","status":503,"caller":"203.0.113.7"})"
        "\n");
  CHECK(world.counter.refused == 1);
}

TEST_CASE("errors, all requests or none are logged, and everything is forwarded") {
  struct Row {
    http::LoggedRequests which;
    std::size_t lines;
  };
  for (const auto& row : {Row{http::LoggedRequests::kErrors, 1}, Row{http::LoggedRequests::kAll, 2},
                          Row{http::LoggedRequests::kNone, 0}}) {
    World world(row.which);
    world.log.request_answered(request_of("a"), 200, 1ms);
    world.log.request_answered(request_of("b"), 404, 1ms);
    CHECK(world.lines() == row.lines);
    CHECK(world.counter.answered == 2);
  }
}

TEST_CASE("of very many errors a bounded number is written, and the others are counted") {
  World world(http::LoggedRequests::kErrors);
  constexpr std::uint64_t kMany = 100 * http::RequestLog::kErrorsMax;
  for (std::uint64_t i = 0; i < kMany; ++i) world.log.request_answered(request_of("x"), 401, 1ms);
  // Seconds may have passed meanwhile; each one logged the number of lines left out before it.
  const auto text = world.logged();
  std::uint64_t written = 0;
  for (auto at = text.find("\"requestId\""); at != std::string::npos; at = text.find("\"requestId\"", at + 1))
    ++written;
  CHECK(written + world.log.left_out() == kMany);
  CHECK(world.log.left_out() > 0);
}
