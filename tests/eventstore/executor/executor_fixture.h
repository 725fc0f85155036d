#pragma once

#include <catch2/catch.hpp>
#include <condition_variable>
#include <mutex>
#include <string>
#include <vector>

#include "eventstore/executor/executor.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"

// An executor on a log in memory, with a project.
namespace pixledger::tests {

using eventstore::Completed;
using eventstore::Request;
using eventstore::Result;

inline constexpr std::int64_t kNowMs = 1'790'000'000'000;

inline domain::Label label(std::string_view text) { return *domain::Label::parse(text); }

struct ExecutorFixture {
  Result execute(domain::Command command,
                 std::optional<eventstore::IdempotencyKey> idempotency = std::nullopt,
                 std::optional<domain::ApiKeyId> key = std::nullopt) {
    return executor.execute({std::move(command), "operator-test", key, "req_1", idempotency});
  }
  Completed done(domain::Command command) {
    auto completed = std::get<Completed>(execute(std::move(command)));
    REQUIRE(completed.outcome.done());
    return completed;
  }

  domain::CreateCharge creation(const std::string& document = "52998224725") const {
    return {project,
            domain::Environment::kSandbox,
            *domain::DocumentToken::parse(std::string(32 - document.size(), '0') + document),
            {*domain::PersonName::parse("Ana"),
             *domain::Document::parse(document),
             *EmailAddress::parse("ana@example.com"),
             *domain::Phone::parse("11987654321"),
             {}},
            domain::Cents(500),
            *domain::ProductName::parse("Produto"),
            1,
            std::nullopt,
            *OriginHost::parse("loja.example.com"),
            std::nullopt,
            std::nullopt,
            std::nullopt};
  }

  // Appends records that no command would.
  void append(std::vector<eventstore::NewRecord> records,
              std::vector<eventstore::NewIdempotencyRecord> remembered, std::uint32_t id_counter = 0) {
    const auto write = log.begin_write();
    write->append({write->head().time, id_counter, std::move(records), std::move(remembered)});
    write->commit();
  }

  static domain::ChargeId charge_of(const Completed& completed) {
    return std::get<domain::ChargeCreated>(std::get<domain::ChargeEvent>(completed.events().back().event)).id;
  }

  domain::ApiKeyId issue_key() {
    const auto id = *domain::ApiKeyId::parse("0123456789abcdef01234567");
    done(domain::IssueApiKey{
        id, project, domain::Environment::kSandbox, {}, domain::ScopeSet::all(), false, std::nullopt, {}});
    return id;
  }

  FixedClock clock{Timestamp(kNowMs)};
  SeededEntropy entropy{11};
  eventstore::MemoryLog log{{"000102030405060708090a0b0c0d0e0f", 1}};
  eventstore::Executor executor{log, clock, entropy};
  domain::ProjectId project =
      done(domain::CreateProject{{label("Loja"), std::nullopt, label("LOJA"), label("RECIFE")}})
          .events()
          .front()
          .project;
};

inline eventstore::IdempotencyKey idempotency(std::string_view key, std::string_view body) {
  return {sha256(key), sha256(body)};
}

// Holds the committer inside a completion until everything is submitted, so that the rest comes in one batch.
class Gate {
 public:
  void open() {
    const std::lock_guard lock(mutex_);
    open_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return open_; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

inline std::vector<Result> execute_in_one_batch(ExecutorFixture& fixture, std::vector<Request> requests) {
  Gate entered;
  Gate gate;
  Gate finished;
  std::vector<Result> results;
  fixture.executor.submit(
      {domain::ChangeStoreSettings{fixture.project, {}}, "operator-test", std::nullopt, "", std::nullopt},
      [&](Result) {
        entered.open();
        gate.wait();
      });
  entered.wait();
  const auto count = requests.size();
  for (auto& request : requests) {
    fixture.executor.submit(std::move(request), [&](Result result) {
      results.push_back(std::move(result));
      if (results.size() == count) finished.open();
    });
  }
  gate.open();
  finished.wait();
  return results;
}

}  // namespace pixledger::tests
