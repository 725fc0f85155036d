#include "http/front/rate_limit.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <rapidcheck.h>

using namespace pixledger;
using domain::Environment;
using http::RateLimiter;
using http::RateVerdict;

namespace {

std::string key(unsigned number = 0) {
  char text[25];
  std::snprintf(text, sizeof text, "%024x", number);
  return text;
}

}  // namespace

TEST_CASE("a key may make a burst of twice its rate, then its rate") {
  RateLimiter limiter({0, 5});
  for (std::uint32_t left = 10; left > 0; --left) {
    const auto verdict = limiter.take(key(), Environment::kSandbox, 0);
    REQUIRE(verdict);
    CHECK(verdict->allowed);
    CHECK(verdict->remaining == left - 1);
    CHECK(verdict->wait_s == 0);
  }
  const auto refused = limiter.take(key(), Environment::kSandbox, 0);
  CHECK_FALSE(refused->allowed);
  CHECK(refused->wait_s == 1);
  CHECK(refused->full_s == 2);
  CHECK_FALSE(limiter.take(key(), Environment::kSandbox, 199)->allowed);
  CHECK(limiter.take(key(), Environment::kSandbox, 200)->allowed);
  CHECK_FALSE(limiter.take(key(), Environment::kSandbox, 200)->allowed);
}

TEST_CASE("kinds of keys have rates of their own, and no rate means no limit") {
  RateLimiter limiter({1, 0});
  CHECK(limiter.limits(Environment::kLive));
  CHECK_FALSE(limiter.limits(Environment::kSandbox));
  CHECK_FALSE(limiter.take(key(), Environment::kSandbox, 0));
  CHECK(limiter.take(key(), Environment::kLive, 0)->per_s == 1);
}

TEST_CASE("one key's requests do not count for another key") {
  RateLimiter limiter({1, 1});
  CHECK(limiter.take(key(1), Environment::kLive, 0)->allowed);
  CHECK(limiter.take(key(1), Environment::kLive, 0)->allowed);
  CHECK_FALSE(limiter.take(key(1), Environment::kLive, 0)->allowed);
  CHECK(limiter.take(key(2), Environment::kLive, 0)->allowed);
}

TEST_CASE("a key gets at most its burst and its rate, however it spreads its requests") {
  CHECK(rc::check([] {
    const auto per_s = *rc::gen::inRange<std::uint32_t>(1, 50);
    RateLimiter limiter({per_s, 0});
    std::int64_t now_ms = 1'000'000;
    std::int64_t allowed = 0;
    const auto pauses_ms = *rc::gen::container<std::vector<int>>(200, rc::gen::inRange(0, 120));
    for (const int pause_ms : pauses_ms) {
      now_ms += pause_ms;
      const auto verdict = *limiter.take(key(), Environment::kLive, now_ms);
      if (verdict.allowed) ++allowed;
      RC_ASSERT(verdict.remaining < 2 * per_s);
      RC_ASSERT(verdict.allowed == (verdict.wait_s == 0));
      RC_ASSERT(allowed * 1000 <= 2000 * std::int64_t{per_s} + (now_ms - 1'000'000) * per_s);
    }
  }));
}

TEST_CASE("a clock that threads read out of order costs a key no requests") {
  RateLimiter limiter({1, 0});
  CHECK(limiter.take(key(), Environment::kLive, 5000)->remaining == 1);
  CHECK(limiter.take(key(), Environment::kLive, 4000)->remaining == 0);
  CHECK(limiter.take(key(), Environment::kLive, 6000)->allowed);
  CHECK_FALSE(limiter.take(key(), Environment::kLive, 6000)->allowed);
}

TEST_CASE("the limiter keeps a bounded number of keys") {
  RateLimiter limiter({1, 0});
  const auto many = static_cast<unsigned>(RateLimiter::kKeysMax) * 2;
  for (unsigned number = 0; number < many; ++number) limiter.take(key(number), Environment::kLive, 0);
  CHECK(limiter.keys_known() <= RateLimiter::kKeysMax);
  CHECK(limiter.keys_known() > RateLimiter::kKeysMax / 2);
  // Keys whose buckets are full again are evicted.
  for (unsigned number = 0; number < 1000; ++number) limiter.take(key(number), Environment::kLive, 10'000);
  CHECK(limiter.keys_known() < RateLimiter::kKeysMax / 2);
}

TEST_CASE("the rate headers name the policy and the remaining requests") {
  const auto headers = http::rate_headers(Environment::kLive, RateVerdict{true, 10, 19, 0, 1});
  REQUIRE(headers.size() == 2);
  CHECK(headers[0].name == "RateLimit-Policy");
  CHECK(headers[0].value == R"("live";q=10;w=1;burst=20)");
  CHECK(headers[1].name == "RateLimit");
  CHECK(headers[1].value == R"("live";r=19;t=1)");
}
