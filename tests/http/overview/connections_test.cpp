#include <catch2/catch.hpp>

#include "base/platform/owner_lock.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();

  HttpAnswer list() const { return list(project.live_key); }
  HttpAnswer list(const std::string& key) const {
    auto answer = service.send("GET", "/api/v1/connections", key);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    return answer;
  }
  void add_bank() {
    auto bank = sample_bank_connection();
    bank.project = project.id;
    service.execute(bank);
  }
  std::filesystem::path worker() const {
    return service.deliveries_file().parent_path().parent_path() / "providers";
  }
};

// The place in the list of the connection with that alias.
std::string place_of(const HttpAnswer& answer, const std::string& alias) {
  for (int i = 0; answer.has("/data/" + std::to_string(i)); ++i)
    if (const auto at = "/data/" + std::to_string(i); answer.at(at + "/alias") == alias) return at;
  FAIL("no connection " << alias << " in " << answer.body);
  return "";
}

}  // namespace

TEST_CASE("a project's connections are shown, and which of them charges use") {
  const Shop shop;
  const auto answer = shop.list();
  const auto pix = place_of(answer, "pix"), sandbox = place_of(answer, "sandbox");
  CHECK(answer.at(pix + "/environment") == "live");
  CHECK(answer.at(pix + "/isDefault") == "true");
  CHECK(answer.at(pix + "/isEnabled") == "true");
  CHECK(answer.at(pix + "/state") == "null");
  CHECK(answer.at(pix + "/breakerOpen") == "null");
  CHECK(answer.at(sandbox + "/environment") == "sandbox");
  CHECK(answer.at(sandbox + "/isDefault") == "true");
}

TEST_CASE("a bank connection shows its worker's state, but not its configuration") {
  Shop shop;
  shop.add_bank();
  const auto answer = shop.list();
  const auto bank = place_of(answer, "banco");
  CHECK(answer.at(bank + "/id") == sample_bank_id().text());
  CHECK(answer.at(bank + "/isDefault") == "false");
  CHECK(answer.at(bank + "/state") == "unknown");
  CHECK(answer.at(bank + "/lastPollAt") == "null");
  CHECK(answer.at(bank + "/breakerOpen") == "null");
  CHECK(answer.at(bank + "/certificateEndsAt") == to_iso8601(sample_configuration().certificate->ends_at));
  for (const std::string secret : {"sealed", "client-1", "pix.example.com", "caixa@example.com", "CN=loja"}) {
    INFO(secret);
    CHECK(answer.body.find(secret) == std::string::npos);
  }
}

TEST_CASE("a bank whose account is no longer read is behind, once its worker has run") {
  Shop shop;
  shop.add_bank();
  std::filesystem::create_directories(shop.worker());
  const auto lock = OwnerLock::try_take(shop.worker() / "lock");
  REQUIRE(lock);
  const auto now = shop.service.clock().now();
  stores::ProviderRepository(shop.worker() / stores::kProvidersFile)
      .apply({stores::BankNoted{sample_bank_id(), shop.project.id, now}},
             {shop.service.log().identity(), shop.service.log().head().position, {}});
  const auto seen = shop.list();
  const auto bank = place_of(seen, "banco");
  CHECK(seen.at(bank + "/state") == "ok");
  CHECK(seen.at(bank + "/breakerOpen") == "false");
  shop.service.clock().advance_millis(5 * kMinuteMs + 1);
  CHECK(shop.list().at(bank + "/state") == "behind");
}

TEST_CASE("a test key sees the connections of the sandbox only, and no key another project's") {
  Shop shop;
  shop.add_bank();
  const auto seen = shop.list(shop.project.test_key);
  place_of(seen, "sandbox");
  CHECK_FALSE(seen.has("/data/1"));
  const auto other = shop.service.create_project();
  CHECK(shop.list(other.live_key).body.find("banco") == std::string::npos);
}

TEST_CASE("a list of connections takes no parameters") {
  const Shop shop;
  const auto refused = shop.service.send("GET", "/api/v1/connections?page=1", shop.project.live_key);
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "page");
}
