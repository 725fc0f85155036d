#include <catch2/catch.hpp>

#include "tests/eventstore/executor/executor_fixture.h"
#include "tests/support/ledgers/forwarding_log.h"

namespace {

using namespace pixledger;
using eventstore::Completed;
using eventstore::Request;
using tests::idempotency;
using Fixture = tests::ExecutorFixture;

}  // namespace

TEST_CASE("a repeat with the same idempotency key is answered from the recorded events") {
  Fixture fixture;
  const auto first = std::get<Completed>(fixture.execute(fixture.creation(), idempotency("k", "a")));
  const auto before = fixture.log.head();
  const auto again = std::get<Completed>(fixture.execute(fixture.creation(), idempotency("k", "a")));
  CHECK(again.replayed);
  CHECK(again.first_request_id == "req_1");
  CHECK(Fixture::charge_of(again) == Fixture::charge_of(first));
  CHECK(fixture.log.head() == before);
  CHECK(std::holds_alternative<eventstore::KeyReused>(
      fixture.execute(fixture.creation(), idempotency("k", "b"))));
}

TEST_CASE("an idempotency key is new again after 48 hours") {
  Fixture fixture;
  const auto create = [&](std::string_view body) {
    return fixture.execute(fixture.creation(), idempotency("k", body));
  };
  const auto first = std::get<Completed>(create("a"));
  fixture.clock.advance_millis(eventstore::kIdempotencyKeptMs);
  CHECK(std::get<Completed>(create("a")).replayed);
  CHECK(std::holds_alternative<eventstore::KeyReused>(create("b")));
  fixture.clock.advance_millis(1);
  const auto second = std::get<Completed>(create("b"));
  CHECK_FALSE(second.replayed);
  CHECK_FALSE(Fixture::charge_of(second) == Fixture::charge_of(first));
  CHECK(Fixture::charge_of(std::get<Completed>(create("b"))) == Fixture::charge_of(second));
}

TEST_CASE("a repeat is answered in full when the log hands out its events one by one") {
  class OneByOne final : public tests::ForwardingLog {
   public:
    using ForwardingLog::ForwardingLog;
    std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t) const override {
      return inner_.read_after(after, 1);
    }
  };
  Fixture fixture;
  OneByOne slow(fixture.log);
  eventstore::Executor executor(slow, fixture.clock, fixture.entropy);
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")};
  const auto first = std::get<Completed>(executor.execute(request));
  const auto again = executor.execute(request);
  REQUIRE(std::holds_alternative<Completed>(again));
  CHECK(std::get<Completed>(again).replayed);
  CHECK(std::get<Completed>(again).events().size() == 2);
  CHECK(Fixture::charge_of(std::get<Completed>(again)) == Fixture::charge_of(first));
}

TEST_CASE("a repeat learns the outcome of a commit that is unknown") {
  // Loses its commits, or commits without an answer.
  class SilentWrite final : public eventstore::LogWrite {
   public:
    SilentWrite(std::unique_ptr<eventstore::LogWrite> inner, bool commits)
        : inner_(std::move(inner)), commits_(commits) {}
    Head head() const override { return inner_->head(); }
    std::uint32_t id_counter() const override { return inner_->id_counter(); }
    std::uint32_t version_of(const domain::StreamName& stream) const override {
      return inner_->version_of(stream);
    }
    eventstore::Loaded load(const eventstore::LoadSet& set) const override { return inner_->load(set); }
    std::vector<eventstore::StoredEvent> read_after(Position after, std::size_t max) const override {
      return inner_->read_after(after, max);
    }
    void append(const eventstore::Batch& batch) override { inner_->append(batch); }
    void commit() override {
      if (commits_) inner_->commit();
      throw eventstore::LogOutcomeUnknown("no answer");
    }

   private:
    const std::unique_ptr<eventstore::LogWrite> inner_;
    const bool commits_;
  };
  class SilentLog final : public tests::ForwardingLog {
   public:
    using ForwardingLog::ForwardingLog;
    std::unique_ptr<eventstore::LogWrite> begin_write() override {
      auto write = inner_.begin_write();
      if (!is_silent) return write;
      return std::make_unique<SilentWrite>(std::move(write), commits);
    }
    bool is_silent = true;
    bool commits = true;
  };
  const bool commits = GENERATE(true, false);
  Fixture fixture;
  SilentLog silent(fixture.log);
  silent.commits = commits;
  eventstore::Executor executor(silent, fixture.clock, fixture.entropy);
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")};
  const auto unknown = executor.execute(request);
  REQUIRE(std::holds_alternative<eventstore::OutcomeUnknown>(unknown));
  CHECK(eventstore::fault_of(unknown) == "no answer");
  silent.is_silent = false;
  const auto learnt = std::get<Completed>(executor.execute(request));
  CHECK(learnt.outcome.done());
  CHECK(learnt.replayed == commits);
  // The next decision does not rely on the unknown commit.
  const auto other = std::get<Completed>(
      executor.execute({fixture.creation(), "operator-test", std::nullopt, "", idempotency("other", "a")}));
  CHECK(other.outcome.done());
  CHECK(other.events().size() == 1);
}

TEST_CASE("the same idempotency key twice in one batch is in flight") {
  Fixture fixture;
  const Request request{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")};
  const auto results = tests::execute_in_one_batch(fixture, {request, request});
  CHECK(std::holds_alternative<Completed>(results[0]));
  CHECK(std::holds_alternative<eventstore::KeyInFlight>(results[1]));
}

TEST_CASE("an idempotency record that cannot be read costs only the command that names it") {
  Fixture fixture;
  fixture.append({}, {{sha256("k"), "no record"}});
  const auto results = tests::execute_in_one_batch(
      fixture, {{fixture.creation(), "operator-test", std::nullopt, "", idempotency("k", "a")},
                {fixture.creation(), "operator-test", std::nullopt, "", std::nullopt}});
  CHECK(std::holds_alternative<eventstore::Unavailable>(results[0]));
  CHECK(std::holds_alternative<Completed>(results[1]));
}
