#include "base/http/metrics/metrics.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <sstream>
#include <type_traits>

#include "base/process/version.h"
#include "domain/aggregates/blocklist.h"
#include "stores/status/operations_record.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/paths.h"
#include "tests/support/servers/exposition.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_service.h"

using namespace pixledger;
using tests::metric;
using tests::TestService;
using tests::TestServiceOptions;

namespace {

const std::string kStore = "/api/v1/store";

std::string requests(const std::string& method, const std::string& route, int code) {
  return "pixledger_http_requests_total{method=\"" + method + "\",route=\"" + route + "\",code=\"" +
         std::to_string(code) + "\"}";
}

std::string commands(const std::string& outcome) {
  return "pixledger_commands_total{outcome=\"" + outcome + "\"}";
}

}  // namespace

TEST_CASE("the page of metrics is valid and needs no key") {
  TestService service;
  const auto project = service.create_project();
  service.send("POST", "/api/v1/transactions", project.test_key, tests::creation_body());
  service.send("GET", "/nowhere", "");
  const auto answer = service.send("GET", "/metrics", "");
  REQUIRE(answer.status == 200);
  CHECK(answer.headers.at("Content-Type") == "text/plain; version=0.0.4; charset=utf-8");
  CHECK(tests::exposition_problems(answer.body) == std::vector<std::string>());
  CHECK(metric(answer.body, "pixledger_build_info{version=\"" + std::string(kReleaseVersion) + "\"}") == 1);
}

TEST_CASE("the checker of the page finds invalid pages") {
  const std::string good = "# HELP a_total Text\n# TYPE a_total counter\na_total{x=\"1\"} 1\n";
  CHECK(tests::exposition_problems(good).empty());
  for (const std::string bad :
       {"", "a_total 1\n", "# HELP a Text\n# TYPE a counter\na 1\n", "# TYPE a gauge\na one\n",
        "# TYPE a gauge\na{b=1} 1\n", "# TYPE a gauge\na 1\na 1\n", "# TYPE a gauge\na 1\n# TYPE a gauge\n",
        "# TYPE a gauge\na 1", "# TYPE a histogram\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 2\n",
        "# TYPE a histogram\na_bucket{le=\"1\"} 2\na_bucket{le=\"+Inf\"} 1\na_sum 1\na_count 1\n"})
    CHECK_FALSE(tests::exposition_problems(bad).empty());
}

TEST_CASE("requests are counted by method, route and code") {
  TestService service;
  const auto project = service.create_project();
  const auto created = service.send("POST", "/api/v1/transactions", project.test_key, tests::creation_body());
  REQUIRE(created.status == 201);
  const auto path = "/api/transactions/" + created.at("/data/id");
  for (int i = 0; i < 3; ++i) service.send("GET", path, project.test_key);
  service.send("HEAD", path, project.test_key);
  service.send("GET", "/api/transactions/c000000000000000000000000", project.test_key);
  service.send("GET", path + "/nowhere/1", project.test_key);
  service.send("GET", path + "/nowhere/2", project.test_key);
  service.send("DELETE", path, project.test_key);
  tests::exchange(service.port(), "GET / HTTP/3.0\r\n\r\n");

  const auto page = service.metrics();
  const std::string route = "/api/transactions/:id";
  CHECK(metric(page, requests("POST", "/api/v1/transactions", 201)) == 1);
  CHECK(metric(page, requests("GET", route, 200)) == 4);
  CHECK(metric(page, requests("GET", route, 404)) == 1);
  CHECK(metric(page, requests("GET", "unmatched", 404)) == 2);
  CHECK(metric(page, requests("DELETE", "unmatched", 405)) == 1);
  CHECK(metric(page, requests("GET", "unmatched", 505)) + metric(page, requests("other", "unmatched", 505)) ==
        1);
  CHECK(metric(page,
               "pixledger_http_request_duration_seconds_count{method=\"GET\",route=\"" + route + "\"}") == 5);
  CHECK(metric(page, "pixledger_http_request_duration_seconds_sum{method=\"GET\",route=\"" + route + "\"}") >
        0);
  // The request of the page itself.
  CHECK(metric(page, "pixledger_http_requests_in_flight") == 1);
  CHECK(metric(page, "pixledger_http_connections") >= 1);
  CHECK(page.find("c0000") == std::string::npos);
  CHECK(page.find("nowhere") == std::string::npos);
}

TEST_CASE("commands, commits and the ledger are counted") {
  TestService service;
  const auto project = service.create_project();
  const auto before = service.metrics();
  const std::map<std::string, std::string> key = {{"Idempotency-Key", "k1"}};
  const auto create = [&](int amount) {
    return service.send("POST", "/api/v1/transactions", project.test_key, tests::creation_body(amount), key);
  };
  const auto created = create(100);
  REQUIRE(created.status == 201);
  CHECK(create(100).status == 201);
  CHECK(create(200).status == 422);
  const auto pay = "/api/sandbox/transactions/" + created.at("/data/id") + "/pay";
  CHECK(service.send("POST", pay, project.test_key).status == 200);
  CHECK(service.send("POST", pay, project.test_key).status == 400);

  const auto page = service.metrics();
  CHECK(metric(page, commands("done")) == 2);
  CHECK(metric(page, commands("replayed")) == 1);
  CHECK(metric(page, commands("key_reused")) == 1);
  CHECK(metric(page, commands("rejected")) == 1);
  CHECK(metric(page, commands("queue_full")) == 0);
  CHECK(metric(page, "pixledger_idempotent_replays_total") == 1);
  const auto recorded = metric(page, "pixledger_recorded_events_total");
  CHECK(recorded == 3);
  CHECK(metric(page, "pixledger_ledger_events") == metric(before, "pixledger_ledger_events") + recorded);
  CHECK(metric(page, "pixledger_batch_commands_count") == 5);
  CHECK(metric(page, "pixledger_batch_commands_sum") == 5);
  CHECK(metric(page, "pixledger_batch_duration_seconds_count") == 5);
  CHECK(metric(page, "pixledger_commit_duration_seconds_count") == 2);
  CHECK(metric(page, "pixledger_commit_duration_seconds_sum") > 0);
  CHECK(metric(page, "pixledger_executor_waiting_commands") == 0);
  CHECK(metric(page, "pixledger_projection_lag_events") == 0);
  for (const std::string environment : {"live", "sandbox"}) {
    const auto of = "{environment=\"" + environment + "\"}";
    CHECK(page.find("\npixledger_unapplied_payments" + of + " 0") != std::string::npos);
    CHECK(page.find("\npixledger_refusals_not_recorded_total" + of + " 0") != std::string::npos);
  }
  for (const std::string store : {"ledger", "views"}) {
    const auto of = [&](const std::string& name) {
      return metric(page, "pixledger_lmdb_" + name + "{store=\"" + store + "\"}");
    };
    CHECK(of("map_bytes") == static_cast<double>(tests::test_lmdb_options().map_bytes));
    CHECK(of("used_bytes") > 4096);
    CHECK(of("file_bytes") > 4096);
    CHECK(of("reader_slots") >= 1);
  }
}

TEST_CASE("events of charges are counted by environment, whichever process records them") {
  TestService service;
  const auto project = service.create_project();
  const auto create = [&](const std::string& key) {
    return service.send("POST", "/api/v1/transactions", key, tests::creation_body()).at("/data/id");
  };
  const auto count = [&](const std::string& environment, const std::string& event) {
    return metric(service.metrics(),
                  "pixledger_charges_total{environment=\"" + environment + "\",event=\"" + event + "\"}");
  };
  CHECK(service.metrics().find("pixledger_charges_total{environment=\"live\",event=\"failed\"} 0") !=
        std::string::npos);
  const auto paid = create(project.test_key);
  const auto expired = create(project.test_key);
  const auto live = create(project.live_key);
  for (const auto& path :
       {"/api/sandbox/transactions/" + paid + "/pay", "/api/sandbox/transactions/" + expired + "/expire",
        "/api/v1/transactions/" + paid + "/refund"})
    REQUIRE(service.send("POST", path, project.test_key).status == 200);
  // Not through the API, but like an operator's command.
  service.execute(domain::ReportPayment{project.id, *domain::ChargeId::parse(live),
                                        *domain::EndToEndId::parse("E18236120202603011200s1a2b3c4d5e"),
                                        domain::Cents(1990), std::nullopt});
  REQUIRE(service.send("GET", "/api/transactions/" + live, project.live_key).status == 200);
  CHECK(count("sandbox", "created") == 2);
  CHECK(count("sandbox", "paid") == 1);
  CHECK(count("sandbox", "expired") == 1);
  CHECK(count("sandbox", "refunded") == 1);
  CHECK(count("sandbox", "cancelled") == 0);
  CHECK(count("live", "created") == 1);
  CHECK(count("live", "paid") == 1);
  CHECK(count("live", "refunded") == 0);
}

TEST_CASE("money to settle and refusals that left no event are counted by environment") {
  TestService service;
  const auto project = service.create_project();
  const auto create = [&](const std::string& key) {
    return service.send("POST", "/api/v1/transactions", key, tests::creation_body());
  };
  const auto count = [&](const std::string& name, const std::string& environment) {
    return metric(service.metrics(), "pixledger_" + name + "{environment=\"" + environment + "\"}");
  };
  const auto live = create(project.live_key).at("/data/id");
  unsigned payments = 0;
  const auto report_too_much = [&](const std::string& charge) {
    service.execute(domain::ReportPayment{project.id, *domain::ChargeId::parse(charge),
                                          tests::sample_end_to_end_id(++payments), domain::Cents(7),
                                          std::nullopt});
    REQUIRE(service.send("GET", "/api/transactions/" + charge, project.live_key).status == 200);
  };
  report_too_much(live);
  const auto of_sandbox = create(project.test_key).at("/data/id");
  report_too_much(of_sandbox);
  report_too_much(of_sandbox);
  CHECK(count("unapplied_payments", "live") == 1);
  CHECK(count("unapplied_payments", "sandbox") == 2);

  const std::string entry = R"({"type":"ip","value":"203.0.113.7"})";
  REQUIRE(service.send("POST", "/api/v1/blocklist", project.test_key, entry).status == 201);
  for (unsigned i = 0; i < domain::kRefusalsRecordedPerDayMax + 2; ++i)
    REQUIRE(create(project.test_key).status == 403);
  REQUIRE(create(project.live_key).status == 201);
  CHECK(count("refusals_not_recorded_total", "live") == 0);
  CHECK(count("refusals_not_recorded_total", "sandbox") == 2);
}

TEST_CASE("the last backup and the last verification are metrics") {
  TestService service;
  const DataDirectory data{service.views_directory().parent_path()};
  const auto sample = [&](const std::string& name) {
    return metric(service.metrics(), "pixledger_last_" + name);
  };
  CHECK(service.metrics().find("\npixledger_last_backup_timestamp_seconds 0\n") != std::string::npos);
  CHECK(service.metrics().find("\npixledger_last_verify_timestamp_seconds 0\n") != std::string::npos);
  CHECK(service.metrics().find("\npixledger_last_verify_result ") == std::string::npos);
  stores::record_backup(data, Timestamp(5'000), true);
  stores::record_backup(data, Timestamp(6'000), false);
  stores::record_verification(data, Timestamp(7'500), true);
  CHECK(sample("backup_timestamp_seconds") == 5);
  CHECK(sample("verify_timestamp_seconds") == 7.5);
  CHECK(sample("verify_result") == 1);
  stores::record_verification(data, Timestamp(8'000), false);
  CHECK(sample("backup_timestamp_seconds") == 5);
  CHECK(service.metrics().find("\npixledger_last_verify_result 0\n") != std::string::npos);
  std::ofstream(data.operations()) << "{";
  CHECK(sample("backup_timestamp_seconds") == 0);
}

TEST_CASE("a metric is registered only with an entry of the table") {
  STATIC_REQUIRE_FALSE(
      std::is_constructible_v<Metric, const char*, prometheus::MetricType, const char*, const char*>);
}

TEST_CASE("the metrics are those that the document lists") {
  TestService service;
  std::map<std::string, std::string> served;
  std::istringstream page(service.metrics());
  for (std::string line; std::getline(page, line);) {
    std::istringstream words(line);
    std::string hash, word, name, type;
    if (words >> hash >> word >> name >> type && hash == "#" && word == "TYPE") served[name] = type;
  }
  std::map<std::string, std::string> listed;
  std::ifstream document(pixledger::tests::source_file("docs/reference/metrics.md"));
  for (std::string line; std::getline(document, line);) {
    const auto name_end = line.find("` | ");
    if (line.rfind("| `", 0) != 0 || name_end == std::string::npos) continue;
    if (line.starts_with("| `pixledger_web_")) continue;      // another program's
    if (line.starts_with("| `pixledger_cluster_")) continue;  // of ledgers that machines share
    const auto type = line.substr(name_end + 4);
    listed[line.substr(3, name_end - 3)] = type.substr(0, type.find(' '));
  }
  CHECK(served.size() > 50);
  CHECK(served == listed);
}

TEST_CASE("a healthy server reports its health and its remaining space") {
  TestService service;
  const auto page = service.metrics();
  CHECK(metric(page, "pixledger_ready") == 1);
  CHECK(metric(page, "pixledger_ledger_takes_commands") == 1);
  CHECK(page.find("\npixledger_projection_faulted 0") != std::string::npos);
  CHECK(metric(page, "pixledger_views_generation") == 1);
  CHECK(page.find("\npixledger_views_kept 0\n") != std::string::npos);
  std::filesystem::create_directory(service.views_directory() / "kept-1-1");
  CHECK(metric(service.metrics(), "pixledger_views_kept") == 1);
  CHECK(metric(page, "pixledger_disk_bytes") >= metric(page, "pixledger_disk_free_bytes"));
  CHECK(metric(page, "pixledger_disk_free_bytes") > 0);
  CHECK(metric(page, "process_open_fds") > 3);
  CHECK(metric(page, "process_max_fds") > metric(page, "process_open_fds"));
  CHECK(metric(page, "process_resident_memory_bytes") > 1'000'000);
  CHECK(metric(page, "process_start_time_seconds") > 1'500'000'000);
  CHECK(tests::exposition_problems(page).empty());
}

TEST_CASE("a clock that jumped shows in the metrics") {
  TestService service;
  service.clock().set_wall_clock(service.clock().now().plus_millis(600'000));
  const auto page = service.metrics();
  CHECK(page.find("\npixledger_ready 0") != std::string::npos);
  CHECK(page.find("\npixledger_ledger_takes_commands 0") != std::string::npos);
}

TEST_CASE("exceeded limits are counted") {
  TestServiceOptions options;
  options.front.rates = {1, 1};
  TestService service(options);
  const auto project = service.create_project();
  for (int i = 0; i < 3; ++i) service.send("GET", kStore, project.test_key);
  for (int i = 0; i < 102; ++i) service.send("GET", kStore, "");
  const auto page = service.metrics();
  CHECK(metric(page, "pixledger_rate_limited_requests_total{key=\"test\"}") == 1);
  CHECK(metric(page, "pixledger_rate_limited_requests_total{key=\"live\"}") == 0);
  CHECK(metric(page, "pixledger_failed_authentications_total") == 102);
  CHECK(metric(page, "pixledger_limited_failed_authentications_total") == 2);
  CHECK(metric(page, requests("GET", kStore, 401)) == 100);
  CHECK(metric(page, requests("GET", kStore, 429)) == 3);
}

TEST_CASE("metrics can have an address of their own, and are then nowhere else") {
  TestServiceOptions options;
  options.front.metrics_listen = HostPort{"127.0.0.1", 0};
  TestService service(options);
  REQUIRE(service.metrics_port() != service.port());
  CHECK(service.send("GET", "/metrics", "").status == 404);
  CHECK(tests::exposition_problems(service.metrics()).empty());
  CHECK(metric(service.metrics(), requests("GET", "unmatched", 404)) == 1);
  for (const std::string& path : {kStore, std::string("/healthz")})
    CHECK(tests::exchange(service.metrics_port(), "GET " + path + " HTTP/1.1\r\nHost: x\r\n\r\n").status ==
          404);
}
