#include <catch2/catch.hpp>
#include <future>
#include <map>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/channel_service.h"
#include "tests/support/servers/hanging_resolver.h"

namespace pixledger::tests {
namespace {

const std::string kPath = ChannelService::kPath;

}  // namespace

TEST_CASE("channels that are added at the same time are counted one after the other") {
  ChannelService fixture;
  std::vector<std::future<HttpAnswer>> answers;
  for (int i = 0; i < 14; ++i)
    answers.push_back(std::async(std::launch::async, [&] { return fixture.add(); }));
  std::map<std::string, int> outcomes;
  for (auto& answer : answers) ++outcomes[outcome_of(answer.get())];
  CHECK(outcomes["201"] == 10);
  CHECK(outcomes["400 ERR_CHANNEL_002"] == 4);
  CHECK(fixture.send("GET", kPath).at("/meta/total") == "10");
}

TEST_CASE("silent name servers are no fault of the caller, and delay no other project") {
  HangingResolver resolver("shop.example");
  TestServiceOptions options;
  options.targets.allowed = {parsed<Cidr>("127.0.0.0/8")};
  options.resolver = &resolver;
  TestService service(options);
  const auto project = service.create_project();
  const auto other = service.create_project();
  const auto add = [&](const std::string& key, const std::string& host) {
    return service.send("POST", kPath, key, R"({"url":"https://)" + host + R"(:8443/"})");
  };
  std::vector<std::future<HttpAnswer>> silent;
  for (int i = 0; i < 20; ++i)
    silent.push_back(
        std::async(std::launch::async, [&] { return add(project.live_key, HangingResolver::kHangs); }));
  REQUIRE(eventually([&] { return resolver.hanging() > 0; }));
  CHECK(outcome_of(add(other.live_key, "shop.example")) == "201");
  for (auto& answer : silent) {
    const auto unknown = answer.get();
    CHECK(outcome_of(unknown) == "503 ERR_HTTP_503");
    CHECK(unknown.headers.count("Retry-After") == 1);
  }
  CHECK(resolver.hanging() <= 2);
  resolver.let_go();
}

}  // namespace pixledger::tests
