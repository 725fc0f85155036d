#include "eventstore/reading/read_ahead.h"

#include <algorithm>
#include <atomic>
#include <catch2/catch.hpp>
#include <memory>
#include <stdexcept>
#include <string>

namespace pixledger::eventstore {
namespace {

struct Numbers {
  std::vector<int> numbers{};
  std::size_t bytes = 0;

  std::size_t event_count() const { return numbers.size(); }
  std::size_t byte_count() const { return bytes; }
};

constexpr AheadLimits kRoom{.events = 1000, .bytes = 1000};

// 0, 1, 2… in batches of one.
class Counting {
 public:
  explicit Counting(int end) : end_(end) {}
  std::optional<Numbers> operator()() {
    if (next_ == end_) return std::nullopt;
    return Numbers{{next_++}, 1};
  }

 private:
  int next_ = 0;
  const int end_;
};

std::vector<int> taken_from(ReadAhead<Numbers>& batches) {
  std::vector<int> taken;
  while (const auto* batch = batches.next())
    taken.insert(taken.end(), batch->numbers.begin(), batch->numbers.end());
  return taken;
}

}  // namespace

TEST_CASE("batches are taken in the order in which they are made, and after the last one there are no more") {
  for (const auto limits : {AheadLimits{1, 1}, AheadLimits{3, 100}, AheadLimits{100, 2}, kRoom}) {
    ReadAhead<Numbers> batches(limits, Counting(500));
    std::vector<int> all;
    for (int number = 0; number < 500; ++number) all.push_back(number);
    CHECK(taken_from(batches) == all);
    CHECK(batches.next() == nullptr);
    CHECK(batches.next() == nullptr);
  }
}

TEST_CASE("the next batch is made while the previous one is processed") {
  std::atomic<int> made = 0;
  ReadAhead<Numbers> batches({.events = 1, .bytes = 1}, [&made]() -> std::optional<Numbers> {
    if (made == 2) return std::nullopt;
    ++made;
    made.notify_one();
    return Numbers{{made.load()}, 1};
  });
  const auto* first = batches.next();
  made.wait(1);  // blocks for ever if batches were only made on demand
  REQUIRE(first);
  CHECK(first->numbers == std::vector{1});
  CHECK(batches.next()->numbers == std::vector{2});
}

TEST_CASE("an exception of making a batch is thrown after the batches before it") {
  ReadAhead<Numbers> batches(kRoom, [next = 0]() mutable -> std::optional<Numbers> {
    if (next == 3) throw std::runtime_error("there is no " + std::to_string(next));
    return Numbers{{next++}, 1};
  });
  for (int number = 0; number < 3; ++number) CHECK(batches.next()->numbers == std::vector{number});
  CHECK_THROWS_WITH(batches.next(), "there is no 3");
  CHECK_THROWS_WITH(batches.next(), "there is no 3");
}

TEST_CASE("a consumer that stops ends the thread, however much is left to make, and nothing is kept") {
  const auto content = std::make_shared<int>(7);
  for (int taken = 0; taken < 3; ++taken) {
    ReadAhead<Numbers> batches({.events = 2, .bytes = 100}, [content]() -> std::optional<Numbers> {
      return Numbers{{*content}, 1};
    });
    for (int i = 0; i < taken; ++i) REQUIRE(batches.next());
  }
  CHECK(content.use_count() == 1);
}

TEST_CASE("no more is made ahead than the limits of events and of bytes allow") {
  constexpr int kBatches = 400;
  constexpr int kWaiting = 3;  // batches of four events: 8 are fewer than 10, 12 are not
  const auto limits = GENERATE(AheadLimits{10, 1'000'000}, AheadLimits{1'000'000, 10});
  std::atomic<int> made = 0;
  std::atomic<int> taken = 0;
  std::atomic<int> most_ahead = 0;
  ReadAhead<Numbers> batches(limits, [&]() -> std::optional<Numbers> {
    if (made == kBatches) return std::nullopt;
    const int ahead = ++made - taken;
    if (ahead > most_ahead) most_ahead = ahead;
    return Numbers{{1, 2, 3, 4}, 4};
  });
  while (taken < kBatches) {
    while (made < std::min(kBatches, taken + kWaiting)) std::this_thread::yield();
    REQUIRE(batches.next());
    ++taken;
  }
  CHECK(most_ahead >= kWaiting);
  // One more is begun when one has been taken, before this test counts it.
  CHECK(most_ahead <= kWaiting + 1);
}

}  // namespace pixledger::eventstore
