#include "base/trace/span_exporter.h"

#include <catch2/catch.hpp>
#include <fstream>
#include <unistd.h>

#include "base/process/options.h"
#include "base/process/version.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/servers/https_receiver.h"
#include "tests/support/temporary_directory.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace std::chrono_literals;

namespace {

Span span_named(std::string name) {
  return {.trace_id = "12345678901234567890123456789012",
          .id = "1234567890123456",
          .parent_id = "",
          .name = std::move(name),
          .kind = SpanKind::kServer,
          .began = {},
          .ended = {},
          .attributes = {}};
}

struct Fixture {
  FixedClock clock{Timestamp(1'000)};
  SeededEntropy entropy{1};
  Logger logger{LogFormat::kText, clock, STDERR_FILENO};
  TemporaryDirectory directory;

  std::unique_ptr<SpanExporter> exporter_to(std::uint16_t port, double sample = 0,
                                            const std::string& headers_file = {}) {
    const OtlpOptions options{.endpoint = "http://127.0.0.1:" + std::to_string(port),
                              .sample = sample,
                              .headers_file = headers_file};
    return SpanExporter::open(options, "pixledger-test", clock, entropy, logger);
  }
  std::string headers_file(std::string_view text) {
    const auto file = directory.path() / "headers";
    std::ofstream(file) << text;
    return file.string();
  }
};

// A port at which nothing listens.
std::uint16_t dead_port() { return HttpsReceiver(HttpsReceiver::Script()).port(); }

}  // namespace

TEST_CASE("spans are written as OTLP's JSON: ids in hexadecimal, times and integers as texts") {
  auto span = span_named("GET /api/v1/transactions/:id");
  span.parent_id = "6543210987654321";
  span.began = Span::Time(2ms);
  span.ended = Span::Time(5ms);
  span.attributes = {{"http.route", "/api/v1/transactions/:id"}, {"http.response.status_code", 503}};
  span.has_failed = true;
  CHECK(otlp_json("pixledger-server", {span}, 1'000'000'000'000'000'000, Span::Time(10ms)) ==
        R"({"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":)"
        R"("pixledger-server"}}]},"scopeSpans":[{"scope":{"name":"pixledger","version":")" +
            std::string(kReleaseVersion) +
            R"("},"spans":[{"traceId":"12345678901234567890123456789012","spanId":"1234567890123456",)"
            R"("parentSpanId":"6543210987654321","name":"GET /api/v1/transactions/:id","kind":2,)"
            R"("startTimeUnixNano":"999999999992000000","endTimeUnixNano":"999999999995000000",)"
            R"("attributes":[{"key":"http.route","value":{"stringValue":"/api/v1/transactions/:id"}},)"
            R"({"key":"http.response.status_code","value":{"intValue":"503"}}],"status":{"code":2}}]}]}]})");
}

TEST_CASE_METHOD(Fixture, "a full post is sent at once, with the operator's headers, and counts") {
  const HttpsReceiver receiver{HttpsReceiver::Script()};
  const auto exporter =
      exporter_to(receiver.port(), 0, headers_file("Authorization: Basic dTpw\r\n\nX-Scope: a\n"));
  for (std::size_t i = 0; i < SpanExporter::kPostSpans; ++i) exporter->add(span_named("decide"));
  const auto posts = receiver.wait_for(1);
  REQUIRE(posts.size() == 1);
  CHECK(posts[0].path == "/v1/traces");
  CHECK(posts[0].method == "POST");
  CHECK(posts[0].header("content-type") == "application/json");
  CHECK(posts[0].header("authorization") == "Basic dTpw");
  CHECK(posts[0].header("x-scope") == "a");
}

TEST_CASE_METHOD(Fixture,
                 "a collector that does not answer blocks nothing, and what does not fit is dropped") {
  const HttpsReceiver receiver([](const auto&, std::size_t) { return ReceiverAnswer{.never = true}; });
  const auto exporter = exporter_to(receiver.port());
  for (std::size_t i = 0; i < SpanExporter::kPostSpans; ++i) exporter->add(span_named("decide"));
  REQUIRE(receiver.wait_for(1).size() == 1);
  const auto began = std::chrono::steady_clock::now();
  for (std::size_t i = 0; i < SpanExporter::kQueueSpansMax + 10; ++i) exporter->add(span_named("decide"));
  CHECK(std::chrono::steady_clock::now() - began < 1s);
  CHECK(exporter->dropped() >= 10);
  CHECK(exporter->sent() == 0);
}

TEST_CASE_METHOD(Fixture, "what a dead collector does not take is dropped and counted") {
  const auto exporter = exporter_to(dead_port());
  for (std::size_t i = 0; i < SpanExporter::kPostSpans; ++i) exporter->add(span_named("decide"));
  while (exporter->dropped() < SpanExporter::kPostSpans) std::this_thread::yield();
  CHECK(exporter->sent() == 0);
}

TEST_CASE_METHOD(Fixture, "a sample is about as large as its share") {
  const auto taken = [&](double sample) {
    const auto exporter = exporter_to(dead_port(), sample);
    int count = 0;
    for (int i = 0; i < 10'000; ++i) count += exporter->takes_sample() ? 1 : 0;
    return count;
  };
  CHECK(taken(0) == 0);
  CHECK(taken(1) == 10'000);
  CHECK(std::abs(taken(0.1) - 1'000) < 150);
}

TEST_CASE_METHOD(Fixture, "an unusable file of headers is an error that names the line and no secret") {
  CHECK_THROWS_WITH(exporter_to(1, 0, headers_file("X-Scope: a\nsecret\n")),
                    Catch::Contains("line 2") && !Catch::Contains("secret"));
  CHECK_THROWS_AS(exporter_to(1, 0, (directory.path() / "missing").string()), UsageError);
}

TEST_CASE_METHOD(Fixture, "without an endpoint there is no exporter") {
  CHECK_FALSE(SpanExporter::open({}, "pixledger-test", clock, entropy, logger));
}
