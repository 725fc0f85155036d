#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/channel_service.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr std::int64_t kHourMs = 60 * kMinuteMs;

// It begins on 2026-09-21 at 14:13:20 UTC, which is 11:13:20 in São Paulo, the store's time zone.
struct Shop {
  TestService service;
  TestService::Project project = service.create_project();

  HttpAnswer stats(const std::string& key, const std::string& query = "") const {
    auto answer = service.send("GET", "/api/v1/stats" + query, key);
    INFO(answer.body);
    return answer;
  }
  void pay(const std::string& charge) const {
    REQUIRE(service.send("POST", "/api/sandbox/transactions/" + charge + "/pay", project.test_key).status ==
            200);
  }
  std::string create() const { return create_charge(service, project.test_key); }
};

// "day created createdCents converted paid paidCents refundedCents"
std::string day_in(const HttpAnswer& answer, int index) {
  const auto day = "/data/days/" + std::to_string(index) + "/";
  std::string text;
  for (const std::string name :
       {"day", "created", "createdCents", "converted", "paid", "paidCents", "refundedCents"})
    text += (text.empty() ? "" : " ") + answer.at(day + name);
  return text;
}
std::string total_in(const HttpAnswer& answer, const std::string& name) {
  return answer.at("/data/totals/" + name);
}

}  // namespace

TEST_CASE("charges are summed by the days of their creations, payments and refunds") {
  Shop shop;
  const auto first = shop.create();
  shop.create();
  shop.service.clock().advance_millis(30'000);
  shop.pay(first);
  shop.service.clock().advance_millis(kDayMs);
  const auto next = shop.create();
  shop.service.clock().advance_millis(10'000);
  shop.pay(next);
  const auto refund = "/api/v1/transactions/" + first + "/refund";
  CHECK(shop.service.send("POST", refund, shop.project.test_key, R"({"amountCents":990})").status == 200);

  const auto stats = shop.stats(shop.project.test_key);
  REQUIRE(stats.status == 200);
  CHECK(day_in(stats, 0) == "2026-08-24 0 0 0 0 0 0");
  CHECK(day_in(stats, 28) == "2026-09-21 2 3980 1 1 1990 0");
  CHECK(day_in(stats, 29) == "2026-09-22 1 1990 1 1 1990 990");
  const auto half_paid_within = [&](int day) {
    return stats.at("/data/days/" + std::to_string(day) + "/timeToPayP50Seconds");
  };
  CHECK(half_paid_within(0) == "null");
  CHECK(half_paid_within(28) == "30");
  CHECK(half_paid_within(29) == "10");
  CHECK_FALSE(stats.has("/data/days/30"));
  CHECK(total_in(stats, "created") == "3");
  CHECK(total_in(stats, "createdCents") == "5970");
  CHECK(total_in(stats, "converted") == "2");
  CHECK(total_in(stats, "paid") == "2");
  CHECK(total_in(stats, "paidCents") == "3980");
  CHECK(total_in(stats, "refundedCents") == "990");
  CHECK(total_in(stats, "conversion") == "0.6666");
  CHECK(total_in(stats, "timeToPayP50Seconds") == "10");
  CHECK(total_in(stats, "timeToPayP90Seconds") == "30");
  CHECK(total_in(stats, "failingChannels") == "0");

  const auto one_day = shop.stats(shop.project.test_key, "?from=2026-09-21&to=2026-09-21");
  CHECK(day_in(one_day, 0) == "2026-09-21 2 3980 1 1 1990 0");
  CHECK_FALSE(one_day.has("/data/days/1"));
  CHECK(total_in(one_day, "conversion") == "0.5");
  CHECK(total_in(one_day, "refundedCents") == "0");
}

TEST_CASE("without charges there is neither a share nor a time") {
  const Shop shop;
  const auto stats = shop.stats(shop.project.live_key);
  CHECK(total_in(stats, "created") == "0");
  CHECK(total_in(stats, "conversion") == "null");
  CHECK(total_in(stats, "timeToPayP50Seconds") == "null");
  CHECK(total_in(stats, "timeToPayP90Seconds") == "null");
  CHECK(total_in(stats, "unappliedCount") == "0");
}

TEST_CASE("days are those of the requested zone, or else of the store's") {
  Shop shop;
  // 23:59 in São Paulo.
  shop.service.clock().advance_millis(12 * kHourMs + 45 * kMinuteMs + 40'000);
  shop.create();
  shop.service.clock().advance_millis(kMinuteMs);
  shop.create();
  const auto both = shop.stats(shop.project.test_key, "?from=2026-09-21&to=2026-09-22");
  CHECK(day_in(both, 0) == "2026-09-21 1 1990 0 0 0 0");
  CHECK(day_in(both, 1) == "2026-09-22 1 1990 0 0 0 0");
  const auto utc = shop.stats(shop.project.test_key, "?from=2026-09-21&to=2026-09-22&timezone=UTC");
  CHECK(day_in(utc, 0) == "2026-09-21 0 0 0 0 0 0");
  CHECK(day_in(utc, 1) == "2026-09-22 2 3980 0 0 0 0");
  // The farthest ahead, and one that is a quarter of an hour off.
  for (const std::string zone : {"Pacific/Kiritimati", "Asia/Kathmandu"})
    CHECK(total_in(shop.stats(shop.project.test_key, "?from=2026-09-22&to=2026-09-22&timezone=" + zone),
                   "created") == "2");
}

TEST_CASE("each environment has sums of its own, and each project") {
  const Shop shop;
  shop.create();
  create_charge(shop.service, shop.project.live_key);
  create_charge(shop.service, shop.project.live_key);
  const auto created = [&](const std::string& key, const std::string& query) {
    return total_in(shop.stats(key, query), "created");
  };
  CHECK(created(shop.project.live_key, "") == "2");
  CHECK(created(shop.project.live_key, "?environment=sandbox") == "1");
  CHECK(created(shop.project.test_key, "") == "1");
  CHECK(created(shop.project.test_key, "?environment=live") == "0");
}

TEST_CASE("another project's sums are its own") {
  Shop shop;
  shop.create();
  const auto other = shop.service.create_project();
  CHECK(total_in(shop.stats(other.test_key), "created") == "0");
}

TEST_CASE("unsettled money is counted as of now, whenever it came") {
  Shop shop;
  const auto charge = create_charge(shop.service, shop.project.live_key);
  const domain::ReportPayment report{.project = shop.project.id,
                                     .charge = parsed<domain::ChargeId>(charge),
                                     .end_to_end_id = sample_end_to_end_id(),
                                     .amount = domain::Cents(500),
                                     .paid_at = std::nullopt};
  shop.service.execute(report);
  const auto before = shop.stats(shop.project.live_key, "?from=2026-01-01&to=2026-01-01");
  CHECK(total_in(before, "unappliedCount") == "1");
  CHECK(total_in(before, "unappliedCents") == "500");
  CHECK(total_in(shop.stats(shop.project.test_key), "unappliedCount") == "0");
  shop.service.execute(domain::AcceptUnappliedPayment{
      .project = shop.project.id, .charge = report.charge, .end_to_end_id = report.end_to_end_id});
  const auto after = shop.stats(shop.project.live_key);
  CHECK(total_in(after, "unappliedCount") == "0");
  CHECK(total_in(after, "unappliedCents") == "0");
  CHECK(total_in(after, "paidCents") == "500");
  auto second = report;
  second.end_to_end_id = sample_end_to_end_id(2);
  second.amount = domain::Cents(700);
  shop.service.execute(second);
  shop.service.execute(domain::AcceptUnappliedPayment{.project = shop.project.id,
                                                      .charge = report.charge,
                                                      .end_to_end_id = second.end_to_end_id,
                                                      .add = true});
  const auto added = shop.stats(shop.project.live_key);
  CHECK(total_in(added, "unappliedCount") == "0");
  CHECK(total_in(added, "paid") == "1");
  CHECK(total_in(added, "paidCents") == "1200");
}

TEST_CASE("unmatched money is unsettled, too, until it is assigned or closed") {
  Shop shop;
  auto bank = sample_bank_connection("banco", domain::Environment::kLive);
  bank.project = shop.project.id;
  shop.service.execute(bank);
  shop.service.execute(domain::RecordUnmatchedPayment{shop.project.id, bank.id, sample_end_to_end_id(7),
                                                      domain::Cents(3333), shop.service.clock().now(),
                                                      std::nullopt, domain::UnmatchedReason::kNoTxid});
  const auto open = shop.stats(shop.project.live_key);
  CHECK(total_in(open, "unmatchedCount") == "1");
  CHECK(total_in(open, "unmatchedCents") == "3333");
  CHECK(total_in(open, "unappliedCents") == "0");
  CHECK(total_in(shop.stats(shop.project.test_key), "unmatchedCount") == "0");
  CHECK(total_in(shop.stats(shop.service.create_project().live_key), "unmatchedCount") == "0");
  shop.service.execute(domain::ClosePayment{shop.project.id, sample_end_to_end_id(7), false, std::nullopt});
  const auto closed = shop.stats(shop.project.live_key);
  CHECK(total_in(closed, "unmatchedCount") == "0");
  CHECK(total_in(closed, "unmatchedCents") == "0");
}

TEST_CASE("a channel whose receiver fails counts as failing, for callers that may see the channel") {
  ChannelService fixture;
  const auto channel = fixture.add_one();
  const auto delivery = fixture.deliver(channel, create_charge(fixture.service, fixture.project.test_key));
  fixture.attempt(delivery, 500, stores::DeliveryStatus::kPending);
  const auto failing = [&](const std::string& key) {
    return total_in(fixture.service.send("GET", "/api/v1/stats", key), "failingChannels");
  };
  CHECK(failing(fixture.project.live_key) == "1");
  CHECK(failing(fixture.project.test_key) == "0");
  CHECK(failing(fixture.service.create_project().live_key) == "0");
}

TEST_CASE("receiving channels are distinguished from unused ones, and from none") {
  ChannelService fixture;
  const auto counts = [&] {
    const auto stats = fixture.send("GET", "/api/v1/stats?environment=live");
    return total_in(stats, "activeChannels") + " active, " + total_in(stats, "untriedChannels") +
           " untried, " + total_in(stats, "failingChannels") + " failing";
  };
  CHECK(counts() == "0 active, 0 untried, 0 failing");
  const auto channel = fixture.add_one();
  CHECK(counts() == "1 active, 1 untried, 0 failing");
  const auto delivery = fixture.deliver(channel, create_charge(fixture.service, fixture.project.test_key));
  fixture.attempt(delivery, 500, stores::DeliveryStatus::kPending);
  CHECK(counts() == "1 active, 0 untried, 1 failing");
  fixture.attempt(delivery, 200, stores::DeliveryStatus::kDelivered);
  CHECK(counts() == "1 active, 0 untried, 0 failing");
  fixture.update(channel, R"({"isActive":false})");
  CHECK(counts() == "0 active, 0 untried, 0 failing");
}

TEST_CASE("a failing channel counts in each environment that it gets") {
  ChannelService fixture;
  const auto failing = [&](const std::string& environment) {
    return total_in(fixture.send("GET", "/api/v1/stats?environment=" + environment), "failingChannels");
  };
  const auto fail = [&](const std::string& environments, const std::string& key) {
    const auto channel =
        fixture.add(R"({"url":"https://shop.example/hooks","environments":)" + environments + "}")
            .at("/data/id");
    const auto delivery = fixture.deliver(channel, create_charge(fixture.service, key));
    fixture.attempt(delivery, 500, stores::DeliveryStatus::kPending);
  };
  fail(R"(["sandbox"])", fixture.project.test_key);
  CHECK(failing("sandbox") == "1");
  CHECK(failing("live") == "0");
  fail(R"(["live"])", fixture.project.live_key);
  CHECK(failing("sandbox") == "1");
  CHECK(failing("live") == "1");
  fail(R"(["live","sandbox"])", fixture.project.live_key);
  CHECK(failing("sandbox") == "2");
  CHECK(failing("live") == "2");
}

TEST_CASE("invalid days are refused") {
  const Shop shop;
  const std::pair<std::string, std::string> cases[] = {
      {"?from=2026-13-01", "from"},
      {"?from=2026-09-21T00:00:00Z", "from"},
      {"?to=yesterday", "to"},
      {"?from=2026-09-22&to=2026-09-21", "from"},
      {"?from=2025-09-20&to=2026-09-21", "from"},
      {"?timezone=Mars/Base", "timezone"},
      {"?environment=moon", "environment"},
      {"?day=2026-09-21", "day"},
  };
  for (const auto& [query, field] : cases) {
    INFO(query);
    const auto refused = shop.stats(shop.project.test_key, query);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == field);
  }
  const auto year = shop.stats(shop.project.test_key, "?from=2025-09-21&to=2026-09-21");
  CHECK(year.at("/data/days/365/day") == "2026-09-21");
  CHECK(total_in(shop.stats(shop.project.test_key, "?from=1970-01-01&to=1970-01-02"), "created") == "0");
}

TEST_CASE("from a day after today is refused with the default of `to`") {
  const Shop shop;
  const auto reason = [&](const std::string& query) {
    const auto answer = shop.service.send("GET", "/api/v1/" + query, shop.project.live_key);
    CHECK(answer.status == 400);
    CHECK(answer.at("/details/0/field") == "from");
    return answer.at("/details/0/reason");
  };
  for (const std::string of : {"exports/charges?", "stats?"}) {
    CHECK(reason(of + "from=2026-09-23") ==
          "must not be after to, which is today unless it is given: 2026-09-21");
    CHECK(reason(of + "from=2026-09-23&to=2026-09-22") == "must not be after to");
  }
}
