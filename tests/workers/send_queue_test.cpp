#include "workers/webhooks/send_queue.h"

#include <array>
#include <catch2/catch.hpp>
#include <latch>
#include <thread>
#include <vector>

#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::workers;
using namespace pixledger::tests;
using namespace std::chrono_literals;

namespace {

constexpr auto kSoon = 10ms;

stores::Delivery delivery(std::int64_t number, unsigned channel = 1) {
  return {number,
          parsed<domain::DeliveryId>("cdelivery" + std::to_string(1000 + number)),
          sample_channel_id(channel),
          sample_project_id(),
          sample_charge_id(),
          domain::Environment::kLive,
          domain::WebhookEvent::kTransactionPaid,
          domain::WebhookVersion::kV2,
          Position(9),
          1,
          kStart,
          stores::DeliveryStatus::kPending,
          0,
          kStart};
}

std::vector<stores::Delivery> deliveries(std::int64_t first, std::int64_t last, unsigned channel = 1) {
  std::vector<stores::Delivery> result;
  for (auto number = first; number <= last; ++number) result.push_back(delivery(number, channel));
  return result;
}

stores::AttemptRecord result_of(const stores::Delivery& sent, int http_status = 200,
                                std::int64_t latency_ms = 1) {
  return {sent.number,
          sent.channel,
          sent.charge,
          {{1, kStart, http_status, latency_ms, ""}},
          stores::DeliveryStatus::kDelivered,
          {}};
}

constexpr int kNoAnswer = 0;

// Sends to a host and gets answers for so many.
void send(SendQueue& queue, const std::string& host, unsigned channel, std::int64_t first, std::int64_t count,
          int http_status = 200, std::int64_t latency_ms = 1) {
  for (auto number = first; number < first + count; ++number) {
    queue.put(sample_channel_id(channel), host, {delivery(number, channel)}, std::nullopt);
    queue.finish(result_of(*queue.take(), http_status, latency_ms));
  }
}

// Asks the queue what to do now, as the keeper does after a wake.
SendQueue::Work work_of(SendQueue& queue, Timestamp now = kStart) {
  return queue.wait_for_work(now, kSoon).value();
}

}  // namespace

TEST_CASE("a channel is read from the store when it is time") {
  SendQueue queue(4);
  queue.wake(sample_channel_id(), kStart.plus_millis(50));
  REQUIRE(work_of(queue).refills.empty());
  const auto work = work_of(queue, kStart.plus_millis(50));
  REQUIRE(work.refills.size() == 1);
  REQUIRE(work.refills[0].channel == sample_channel_id());
  REQUIRE(work.refills[0].limit == SendQueue::kReadyPerChannelMax);
  // Not twice at a time.
  queue.wake(sample_channel_id(), kStart);
  REQUIRE(work_of(queue, kStart.plus_millis(50)).refills.empty());
}

TEST_CASE("a delivery is sent once until its result is in the store") {
  SendQueue queue(4);
  queue.put(sample_channel_id(), "host", {delivery(1)}, std::nullopt);
  const auto sent = queue.take().value();
  queue.put(sample_channel_id(), "host", {delivery(1), delivery(2)}, std::nullopt);
  REQUIRE(queue.take()->number == 2);
  queue.finish(result_of(sent));
  const auto results = work_of(queue).results;
  REQUIRE(results.size() == 1);
  queue.put(sample_channel_id(), "host", {delivery(1)}, std::nullopt);
  queue.forget(results);
  queue.put(sample_channel_id(), "host", {delivery(1), delivery(3)}, std::nullopt);
  REQUIRE(queue.take()->number == 1);
}

TEST_CASE("what is being sent counts when a channel is read again") {
  SendQueue queue(4);
  queue.put(sample_channel_id(), "host", deliveries(1, 3), std::nullopt);
  const auto sent = queue.take();
  queue.wake(sample_channel_id(), kStart);
  REQUIRE(work_of(queue).refills.at(0).limit == SendQueue::kReadyPerChannelMax - 2 + 3);
}

TEST_CASE("channels take turns") {
  SendQueue queue(32);
  send(queue, "one", 1, 101, 8);
  send(queue, "two", 2, 201, 8);
  queue.put(sample_channel_id(1), "one", deliveries(1, 5, 1), std::nullopt);
  queue.put(sample_channel_id(2), "two", deliveries(11, 15, 2), std::nullopt);
  std::array<int, 2> taken{};
  for (int i = 0; i < 6; ++i) ++taken.at(queue.take()->channel == sample_channel_id(1) ? 0 : 1);
  REQUIRE(taken == std::array<int, 2>{3, 3});
}

TEST_CASE("a host that answers promptly may have a quarter of the senders, and no more") {
  SendQueue queue(64);
  send(queue, "prompt", 1, 1, 100);
  REQUIRE(queue.senders_max("prompt") == 16);
}

TEST_CASE("a host that nobody knows yet may have two senders") {
  SendQueue queue(64);
  REQUIRE(queue.senders_max("new") == 2);
}

TEST_CASE("a host that does not answer has one sender until it does") {
  SendQueue queue(64);
  send(queue, "down", 1, 1, 20);
  send(queue, "down", 1, 101, 1, kNoAnswer, 15'000);
  REQUIRE(queue.senders_max("down") == 1);
  send(queue, "down", 1, 201, 20);
  REQUIRE(queue.senders_max("down") == 16);
}

TEST_CASE("a host gets no more senders than its limit, whichever other hosts are busy") {
  SendQueue queue(64);
  send(queue, "busy", 2, 1, 20);
  send(queue, "down", 1, 101, 1, kNoAnswer, 15'000);
  queue.put(sample_channel_id(2), "busy", deliveries(1'001, 1'009, 2), std::nullopt);
  for (int i = 0; i < 4; ++i) REQUIRE(queue.take()->channel == sample_channel_id(2));
  queue.put(sample_channel_id(1), "down", deliveries(2'001, 2'009, 1), std::nullopt);
  REQUIRE(queue.take()->channel == sample_channel_id(1));
  REQUIRE(queue.take()->channel == sample_channel_id(2));
}

TEST_CASE("a host that breaks off at once has two senders: it keeps nobody waiting") {
  SendQueue queue(64);
  send(queue, "broken", 1, 1, 20);
  send(queue, "broken", 1, 101, 1, kNoAnswer);
  REQUIRE(queue.senders_max("broken") == 2);
}

TEST_CASE("a host that answers slowly has two senders") {
  SendQueue queue(64);
  send(queue, "slow", 1, 1, 20);
  send(queue, "slow", 1, 101, 1, 200, SendQueue::kPromptAnswer.count());
  REQUIRE(queue.senders_max("slow") == 2);
}

TEST_CASE("all hosts that are down together never have more than half of the senders") {
  SendQueue queue(8);
  send(queue, "up", 99, 9'001, 8);
  for (unsigned host = 1; host <= 20; ++host) {
    const auto name = "down" + std::to_string(host);
    queue.put(sample_channel_id(host), name, deliveries(host * 100, host * 100 + 9, host), std::nullopt);
  }
  for (int i = 0; i < 4; ++i) REQUIRE(queue.take()->channel != sample_channel_id(99));
  queue.put(sample_channel_id(99), "up", deliveries(9'101, 9'102, 99), std::nullopt);
  for (int i = 0; i < 2; ++i) REQUIRE(queue.take()->channel == sample_channel_id(99));
}

TEST_CASE("one reading of the store wakes as many senders as the host may have") {
  constexpr int kSenders = 16;
  SendQueue queue(4 * kSenders);
  send(queue, "prompt", 1, 1, 100);
  std::latch about_to_take(kSenders);
  std::latch sending(kSenders);
  std::vector<std::thread> senders;
  for (int i = 0; i < kSenders; ++i)
    senders.emplace_back([&] {
      about_to_take.count_down();
      const auto taken = queue.take().value();
      // No host releases its room before all have some.
      sending.arrive_and_wait();
      queue.finish(result_of(taken));
    });
  about_to_take.wait();
  queue.put(sample_channel_id(), "prompt", deliveries(201, 200 + kSenders), std::nullopt);
  for (auto& sender : senders) sender.join();
  REQUIRE(work_of(queue).results.size() == 100 + kSenders);
}

TEST_CASE("what a channel does not take anymore is not sent, and may come again later") {
  SendQueue queue(8);
  queue.put(sample_channel_id(1), "one", deliveries(1, 3, 1), std::nullopt);
  const auto under_way = queue.take().value();
  queue.drop(sample_channel_id(1));
  queue.put(sample_channel_id(2), "two", deliveries(11, 11, 2), std::nullopt);
  REQUIRE(queue.take()->channel == sample_channel_id(2));
  queue.finish(result_of(under_way));
  queue.put(sample_channel_id(1), "one", deliveries(2, 2, 1), std::nullopt);
  REQUIRE(queue.take()->number == 2);
}

TEST_CASE("a delivery that has changed is not sent as it is here, and what is being sent goes on") {
  SendQueue queue(8);
  queue.put(sample_channel_id(1), "one", deliveries(1, 3, 1), std::nullopt);
  const auto under_way = queue.take().value();
  queue.drop(sample_channel_id(1), under_way.id);
  queue.drop(sample_channel_id(1), delivery(2, 1).id);
  queue.drop(sample_channel_id(2), delivery(3, 2).id);
  REQUIRE(queue.take()->number == 3);
  queue.finish(result_of(under_way));
  auto again = delivery(2, 1);
  again.attempts = 4;
  queue.put(sample_channel_id(1), "one", {again}, std::nullopt);
  REQUIRE(queue.take()->attempts == 4);
}

TEST_CASE("stopping ends the senders, closing ends the keeper after the last result") {
  SendQueue queue(4);
  queue.put(sample_channel_id(), "host", deliveries(1, 2), std::nullopt);
  const auto sent = queue.take().value();
  std::thread other_sender([&queue] {
    while (queue.take()) {
    }
  });
  queue.stop();
  other_sender.join();
  REQUIRE_FALSE(queue.take());
  queue.finish(result_of(sent));
  queue.close();
  REQUIRE(work_of(queue).results.size() == 1);
  REQUIRE_FALSE(queue.wait_for_work(kStart, kSoon));
}
