#include <algorithm>
#include <catch2/catch.hpp>
#include <vector>

#include "base/platform/time_zone.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/checkout_calls.h"
#include "tests/support/servers/test_service.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

Timestamp at(const std::string& text) { return parse_iso8601(text).value(); }

// A store in a zone, with charges of given moments, all after 2026-09-21T14:13:20Z.
struct Store {
  TestService service{with_pages()};
  TestService::Project project = service.create_project();

  explicit Store(const std::string& zone) {
    const auto set =
        service.send("PATCH", "/api/v1/store", project.live_key, R"({"timezone":")" + zone + R"("})");
    INFO(set.body);
    REQUIRE(set.status == 200);
  }
  void create_at(const std::string& moment) {
    service.clock().advance_millis(at(moment).millis() - service.clock().now().millis());
    create_charge(service, project.test_key);
  }
  HttpAnswer get(const std::string& path) const {
    auto answer = service.send("GET", path, project.test_key);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    return answer;
  }
  // The numbers of a day's charges in lists and statistics, as one text if they agree.
  std::string count_of(const std::string& day) const {
    const auto of_v1 = get("/api/v1/transactions?dateFrom=" + day + "&dateTo=" + day).at("/meta/total");
    const auto of_other = get("/api/transactions?dateFrom=" + day + "&dateTo=" + day).at("/meta/total");
    const auto of_stats = get("/api/v1/stats?from=" + day + "&to=" + day).at("/data/totals/created");
    const auto file = get("/api/v1/exports/charges?format=jsonl&from=" + day + "&to=" + day).body;
    const auto of_export = std::to_string(std::count(file.begin(), file.end(), '\n'));
    CHECK(std::vector{of_other, of_stats, of_export} == std::vector(3, of_v1));
    return of_v1;
  }
};

}  // namespace

TEST_CASE("a date without a time is the store's day, in lists, statistics and exports alike") {
  Store sao_paulo("America/Sao_Paulo");
  Store utc("UTC");
  for (auto* store : {&sao_paulo, &utc})
    for (const std::string moment : {"2026-09-22T02:59:59.999Z", "2026-09-22T03:00:00.000Z",
                                     "2026-09-23T02:30:00.000Z", "2026-09-23T03:00:00.000Z"})
      store->create_at(moment);
  CHECK(sao_paulo.count_of("2026-09-21") == "1");
  CHECK(sao_paulo.count_of("2026-09-22") == "2");
  CHECK(sao_paulo.count_of("2026-09-23") == "1");
  CHECK(utc.count_of("2026-09-21") == "0");
  CHECK(utc.count_of("2026-09-22") == "2");
  CHECK(utc.count_of("2026-09-23") == "2");
}

TEST_CASE(
    "a day without a midnight begins at its first moment, and one with a second midnight at the first") {
  Store cairo("Africa/Cairo");
  // On 2027-04-30 the clocks go from midnight to one o'clock, at 22:00 UTC of the day before.
  for (const std::string moment : {"2027-04-29T21:59:59.999Z", "2027-04-29T22:00:00.000Z",
                                   "2027-04-30T20:59:59.999Z", "2027-04-30T21:00:00.000Z"})
    cairo.create_at(moment);
  CHECK(cairo.count_of("2027-04-29") == "1");
  CHECK(cairo.count_of("2027-04-30") == "2");
  CHECK(cairo.count_of("2027-05-01") == "1");
  Store havana("America/Havana");
  // The hour after midnight of 2026-11-01 came twice, from 04:00 UTC on.
  for (const std::string moment : {"2026-11-01T03:59:59.999Z", "2026-11-01T04:00:00.000Z",
                                   "2026-11-02T04:59:59.999Z", "2026-11-02T05:00:00.000Z"})
    havana.create_at(moment);
  CHECK(havana.count_of("2026-10-31") == "1");
  CHECK(havana.count_of("2026-11-01") == "2");
  CHECK(havana.count_of("2026-11-02") == "1");
}

TEST_CASE("a time with a zone is exact, whatever the store's zone") {
  Store store("America/Sao_Paulo");
  store.create_at("2026-09-22T02:30:00.000Z");
  const auto total = [&](const std::string& query) {
    return store.get("/api/v1/transactions?" + query).at("/meta/total");
  };
  CHECK(total("dateFrom=2026-09-22T02:30:00Z&dateTo=2026-09-22T02:30:00Z") == "1");
  CHECK(total("dateTo=2026-09-22T02:29:59.999Z") == "0");
  CHECK(total("dateFrom=2026-09-21T23:30:00.001-03:00") == "0");
}

TEST_CASE("answers that accept dates name their time zone") {
  const Store store("America/Manaus");
  for (const std::string path : {"/api/v1/transactions", "/api/transactions", "/api/v1/customers",
                                 "/api/customers", "/api/v1/checkout/sessions", "/api/v1/stats"}) {
    INFO(path);
    CHECK(store.get(path).at("/meta/timezone") == "America/Manaus");
  }
  CHECK(store.get("/api/v1/stats?timezone=UTC").at("/meta/timezone") == "UTC");
}

TEST_CASE("customers and payment links are listed by the store's days") {
  Store store("America/Sao_Paulo");
  store.create_at("2026-09-23T02:30:00.000Z");
  const auto session = store.service.send("POST", kCheckoutPath, store.project.test_key, checkout_body());
  INFO(session.body);
  REQUIRE(session.status == 201);
  for (const std::string path : {"/api/v1/customers", "/api/v1/checkout/sessions"}) {
    INFO(path);
    const auto total = [&](const std::string& day) {
      return store.get(path + "?dateFrom=" + day + "&dateTo=" + day).at("/meta/total");
    };
    CHECK(total("2026-09-22") == "1");
    CHECK(total("2026-09-23") == "0");
  }
}

TEST_CASE("dates of ends and of past events are the store's, too") {
  Store store("America/Sao_Paulo");
  store.create_at("2026-09-23T02:30:00.000Z");
  const auto first = store.get("/api/v1/transactions").at("/data/0/id");
  const auto status_on = [&](const std::string& day) {
    return store.service.send("GET", "/api/v1/transactions/" + first + "?asOf=" + day, store.project.test_key)
        .status;
  };
  CHECK(status_on("2026-09-21") == 404);
  CHECK(status_on("2026-09-22") == 200);
  const auto customer = store.get("/api/v1/customers").at("/data/0/id");
  const auto blocked =
      store.service.send("POST", "/api/v1/customers/" + customer + "/block", store.project.test_key,
                         R"({"blockType":"manual","reason":"cartão recusado","expiresAt":"2026-10-01"})");
  INFO(blocked.body);
  CHECK(blocked.body.find(R"("2026-10-01T03:00:00.000Z")") != std::string::npos);
}
