#include "http/services/turns.h"

#include <catch2/catch.hpp>
#include <thread>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

using namespace pixledger;
using namespace std::chrono_literals;
using http::TurnLimits;
using http::Turns;
using http::WorkBudget;
using tests::parsed;

namespace {

const auto kProject = parsed<domain::ProjectId>("cproject00000000000000000");
const auto kOther = parsed<domain::ProjectId>("cother0000000000000000000");
const WorkBudget kEndless;

void await_waiting(const Turns& turns, std::size_t requests) {
  while (turns.waiting() != requests) std::this_thread::yield();
}

}  // namespace

TEST_CASE("a project has as many requests in work as may be, the next waits for one to end") {
  Turns turns({.in_work_max = 2, .waiting_max = 1, .wait_max = 1h});
  std::optional<Turns::Turn> first = turns.enter(kProject, kEndless);
  const auto second = turns.enter(kProject, kEndless);
  REQUIRE((first && second));
  bool came = false;
  std::thread third([&] { came = turns.enter(kProject, kEndless).has_value(); });
  await_waiting(turns, 1);
  CHECK(turns.enter(kOther, kEndless).has_value());
  CHECK_FALSE(turns.enter(kProject, kEndless).has_value());  // one waits already
  CHECK(turns.refused() == 1);
  first.reset();
  third.join();
  CHECK(came);
  CHECK(turns.waiting() == 0);
}

TEST_CASE("those that wait come in the order in which they arrived") {
  Turns turns({.in_work_max = 1, .waiting_max = 8, .wait_max = 1h});
  std::optional<Turns::Turn> first = turns.enter(kProject, kEndless);
  std::string order;
  std::vector<std::thread> waiting;
  for (const char name : {'a', 'b', 'c'}) {
    waiting.emplace_back([&turns, &order, name] {
      const auto turn = turns.enter(kProject, kEndless);
      order += name;  // one at a time is in work
    });
    await_waiting(turns, waiting.size());
  }
  first.reset();
  for (auto& thread : waiting) thread.join();
  CHECK(order == "abc");
}

TEST_CASE("who has waited for as long as may be is refused, and the place stays with the others") {
  Turns turns({.in_work_max = 1, .waiting_max = 1, .wait_max = 1ms});
  {
    const auto first = turns.enter(kProject, kEndless);
    CHECK_FALSE(turns.enter(kProject, kEndless).has_value());
    CHECK(turns.waiting() == 0);
  }
  CHECK(turns.enter(kProject, kEndless).has_value());
}

TEST_CASE("a request whose caller has gone waits no longer") {
  Turns turns({.in_work_max = 1, .waiting_max = 1, .wait_max = 1h});
  const auto first = turns.enter(kProject, kEndless);
  int looked = 0;
  const WorkBudget budget(WorkBudget::Clock::now() + 1h, [&] { return ++looked == 3; });
  CHECK_THROWS_AS(turns.enter(kProject, budget), http::WorkGivenUp);
  CHECK(looked == 3);
  CHECK(turns.waiting() == 0);
}

TEST_CASE("what is not short takes its turn, and creating, paying and checking a charge does not") {
  tests::TestServiceOptions options;
  options.front.turns = {.in_work_max = 0, .waiting_max = 0};
  tests::TestService service(options);
  const auto project = service.create_project();
  const auto id = tests::create_charge(service, project.test_key);
  CHECK(tests::status_of(service, project.test_key, id) == "waiting_payment");
  CHECK(service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key).status == 200);
  for (const auto& path : std::vector<std::string>{"/api/transactions", "/api/v1/customers",
                                                   "/api/v1/transactions/" + id + "/receipt",
                                                   "/api/v1/notification-channels", "/api/v1/blocklist"}) {
    const auto answer = service.send("GET", path, project.test_key);
    INFO(path);
    CHECK(tests::outcome_of(answer) == "503 ERR_HTTP_503");
    CHECK(answer.headers.at("Retry-After") == "1");
  }
  CHECK(tests::metric(service.metrics(), "pixledger_http_refused_turns_total") == 5);
}
