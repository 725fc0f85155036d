#include <catch2/catch.hpp>
#include <condition_variable>
#include <thread>

#include "tests/support/fixed_clock.h"
#include "workers/banks/api_pix/bank_exchange.h"

using namespace pixledger;
using namespace pixledger::workers;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kSecond = 1'000;

// A bank that gives tokens t1, t2, …, each for five minutes, unless another answer is set.
struct TokenBank {
  tests::FixedClock clock{Timestamp(0), 0};
  int asked = 0;
  std::optional<CallResult> instead;
  BankToken token{clock, [this]() -> CallResult {
                    ++asked;
                    if (instead) return *instead;
                    return answer(200, R"({"access_token":"t)" + std::to_string(asked) +
                                           R"(","expires_in":300,"scope":"cob.read"})");
                  }};

  static Answered answer(int status, std::string body) {
    return {.status = status, .body = std::move(body), .retry_after = "", .date = std::nullopt};
  }
  void pass(std::int64_t seconds) { clock.advance_millis(seconds * kSecond); }
  std::string get() {
    const auto result = token.get();
    if (const auto* const grant = std::get_if<TokenGrant>(&result)) return grant->token;
    if (const auto* const refused = std::get_if<Refused>(&result)) return to_string(refused->error);
    const auto& unavailable = std::get<Unavailable>(result);
    return "not before " + std::to_string(unavailable.until / 1s) + " s: " + unavailable.reason;
  }
};

}  // namespace

TEST_CASE("a token is asked for once, and again 60 s before its end") {
  TokenBank bank;
  CHECK(bank.get() == "t1");
  bank.pass(239);
  CHECK(bank.get() == "t1");
  CHECK(bank.asked == 1);
  bank.pass(1);
  CHECK(bank.get() == "t2");
}

TEST_CASE("a token's scopes are returned") {
  TokenBank bank;
  const auto result = bank.token.get();
  CHECK(std::get<TokenGrant>(result).scopes == std::vector<std::string>{"cob.read"});
}

TEST_CASE("a token that lives shorter than a minute is used for half its life") {
  TokenBank bank;
  bank.instead = TokenBank::answer(200, R"({"access_token":"short","expires_in":40})");
  CHECK(bank.get() == "short");
  bank.pass(19);
  CHECK(bank.get() == "short");
  CHECK(bank.asked == 1);
  bank.pass(1);
  bank.get();
  CHECK(bank.asked == 2);
}

TEST_CASE("a token that the bank does not take is not given again, nor another asked for within 10 s") {
  TokenBank bank;
  CHECK(bank.get() == "t1");
  bank.token.reject("t1");
  CHECK(bank.get() == "not before 10 s: the bank has just given a token that it does not take");
  CHECK(bank.asked == 1);
  bank.pass(10);
  CHECK(bank.get() == "t2");
  bank.token.reject("t1");  // by a slow thread
  CHECK(bank.get() == "t2");
}

TEST_CASE("a refusal holds for 10 s") {
  TokenBank bank;
  bank.instead = TokenBank::answer(401, R"({"error":"invalid_client"})");
  CHECK(bank.get() == "401 invalid_client");
  CHECK(bank.get() == "401 invalid_client");
  CHECK(bank.asked == 1);
  bank.pass(10);
  bank.instead.reset();
  CHECK(bank.get() == "t2");
}

TEST_CASE("a bank that does not answer, or not with a token, is asked again after 10 s") {
  struct Case {
    CallResult result;
    std::string said;
  };
  const auto bad = GENERATE(values<Case>({
      {TokenBank::answer(500, "<html>"), "not before 10 s: token: 500"},
      {TokenBank::answer(429, ""), "not before 10 s: token: 429"},
      {TokenBank::answer(200, "{}"), "not before 10 s: token: access_token is missing"},
      {OutcomeUnknown{"timeout"}, "not before 10 s: token: timeout"},
      {NotSent{"connection refused"}, "not before 10 s: token: connection refused"},
  }));
  TokenBank bank;
  bank.instead = bad.result;
  CHECK(bank.get() == bad.said);
  bank.pass(9);
  CHECK(bank.get() == bad.said);
  CHECK(bank.asked == 1);
  bank.pass(1);
  bank.instead.reset();
  CHECK(bank.get() == "t2");
}

TEST_CASE("while a new token cannot be had, the old one does until its end") {
  TokenBank bank;
  CHECK(bank.get() == "t1");
  bank.instead = NotSent{"connection refused"};
  bank.pass(240);
  CHECK(bank.get() == "t1");
  CHECK(bank.get() == "t1");
  CHECK(bank.asked == 2);
  bank.pass(59);
  CHECK(bank.get() == "t1");
  bank.pass(1);
  CHECK(bank.get() == "not before 309 s: token: connection refused");
}

TEST_CASE("whatever goes wrong while a token is asked for, no thread waits for ever") {
  const tests::FixedClock clock(Timestamp(0), 0);
  BankToken token(clock, []() -> CallResult { throw std::runtime_error("out of memory"); });
  CHECK(std::get<Unavailable>(token.get()).reason == "token: out of memory");
  CHECK(std::get<Unavailable>(token.get()).until == BootTime(10s));
}

TEST_CASE("many threads that want a token have one of them ask") {
  const tests::FixedClock clock(Timestamp(0), 0);
  std::mutex mutex;
  std::condition_variable changed;
  int asked = 0;
  bool let_go = false;
  BankToken token(clock, [&]() -> CallResult {
    std::unique_lock lock(mutex);
    ++asked;
    changed.notify_all();
    changed.wait(lock, [&] { return let_go; });
    return TokenBank::answer(200, R"({"access_token":"one","expires_in":300})");
  });
  std::vector<std::thread> threads;
  std::vector<std::string> got(8);
  for (auto& each : got) threads.emplace_back([&] { each = std::get<TokenGrant>(token.get()).token; });
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return asked > 0; });
    let_go = true;
  }
  changed.notify_all();
  for (auto& thread : threads) thread.join();
  CHECK(asked == 1);
  CHECK(got == std::vector<std::string>(8, "one"));
}
