#include "http/dispatch/subscriptions.h"

#include <atomic>
#include <catch2/catch.hpp>
#include <mutex>
#include <thread>
#include <vector>

#include "domain/aggregates/event.h"

using namespace pixledger;
using http::Exchange;
using http::Responder;
using http::Subscription;
using http::Subscriptions;

namespace {

domain::ProjectId project(int number) {
  auto text = std::to_string(number);
  return domain::ProjectId::parse("cproject" + std::string(17 - text.size(), '0') + text).value();
}

// Counts how often it is asked to look.
class Counted final : public Subscription {
 public:
  Counted(std::optional<domain::ProjectId> of, std::atomic<int>& looks)
      : Subscription({std::move(of), domain::Environment::kLive}), looks_(looks) {}

  Clock::time_point next_look() const override { return Clock::time_point::max(); }
  std::chrono::milliseconds wait_max() const override { return {}; }
  std::optional<http::Reply> begin() override { return std::nullopt; }
  Looked look(Time time) override {
    ++looks_;
    looks_.notify_all();
    if (time == Time::kIsOver) return {.reply = http::Reply{}, .has_ended = true};
    return {};
  }

 private:
  std::atomic<int>& looks_;
};

// The dependencies of a server's subscriptions.
struct Fixture {
  std::vector<std::shared_ptr<Exchange>> exchanges;
  std::shared_ptr<http::EventLoop> loop = std::make_shared<http::EventLoop>();
  std::atomic<int> faults{0};
  std::atomic<int> looks{0};
  Subscriptions subscriptions{[this](const http::Request&, std::string_view) { ++faults; }};

  bool enter(int of_project) { return enter(project(of_project)); }
  bool enter(std::optional<domain::ProjectId> of) {
    auto exchange = exchanges.emplace_back(std::make_shared<Exchange>());
    exchange->loop = loop;
    return subscriptions.enter(Responder(exchange), std::make_shared<Counted>(std::move(of), looks),
                               [](const Responder& responder, http::Answer answer) {
                                 responder(std::get<http::Reply>(std::move(answer)));
                               });
  }
  Fixture() { loop->start(); }
  // Ends like a server and its connections.
  ~Fixture() {
    subscriptions.stop();
    loop->stop();
    for (const auto& exchange : exchanges) exchange->on_gone = nullptr;
  }
  void await_looks(int count) {
    for (int seen = looks; seen < count; seen = looks) looks.wait(seen);
  }
};

}  // namespace

TEST_CASE("at most ten thousand calls may wait, a thousand of them of a project") {
  Fixture fixture;
  std::size_t waiting = 0;
  for (int of = 0; waiting < Subscriptions::kMax; ++of) {
    for (std::size_t i = 0; i < Subscriptions::kOfProjectMax; ++i, ++waiting) REQUIRE(fixture.enter(of));
    CHECK_FALSE(fixture.enter(of));
  }
  CHECK_FALSE(fixture.enter(99));
  for (std::size_t i = 0; i < Subscriptions::kOfAllMax; ++i) REQUIRE(fixture.enter(std::nullopt));
  CHECK_FALSE(fixture.enter(std::nullopt));
  CHECK(fixture.subscriptions.waiting() == Subscriptions::kMax);
  fixture.subscriptions.stop();
  CHECK(fixture.subscriptions.waiting() == 0);
  CHECK_FALSE(fixture.enter(1));
}

TEST_CASE("a new subscription looks once, since earlier events were announced before it") {
  Fixture fixture;
  REQUIRE(fixture.enter(1));
  fixture.await_looks(1);
  CHECK(fixture.faults == 0);
}

TEST_CASE("only the subscriptions of a project with news look") {
  Fixture fixture;
  REQUIRE(fixture.enter(1));
  REQUIRE(fixture.enter(2));
  fixture.await_looks(2);
  fixture.subscriptions.on_applied({{.position = Position(2),
                                     .stream = domain::project_stream(project(2)),
                                     .version = 1,
                                     .recorded_at = Timestamp(0),
                                     .project = project(2),
                                     .actor = "test",
                                     .request_id = "",
                                     .event = domain::ChargeEvent(domain::ChargeExpired{})}});
  fixture.await_looks(3);
  fixture.subscriptions.stop();
  // The first and the last look of each, and the one for the new event.
  CHECK(fixture.looks == 5);
}
