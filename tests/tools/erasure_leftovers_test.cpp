#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

struct World {
  PixledgerCommand pixledger;
  domain::ProjectId project =
      domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();

  // Returns the customer's id.
  std::string create_charge(const std::string& external_id, const std::string& request) const {
    LedgerWithCharges ledger(pixledger.data());
    auto creation = sample_creation();
    creation.project = project;
    creation.token = ledger.token_of(project, creation.customer.document.text());
    creation.external_id = parsed<domain::ExternalId>(external_id);
    const auto completed = ledger.execute(creation, "key-test", request);
    const auto& charge = std::get<domain::ChargeEvent>(completed.events().back().event);
    return std::get<domain::ChargeCreated>(charge).customer.text();
  }
  std::string block(const domain::BlocklistValue& value, domain::Environment environment) const {
    LedgerWithCharges ledger(pixledger.data());
    const auto completed =
        ledger.execute(domain::AddBlocklistEntry{project, value, std::nullopt, environment});
    const auto& added = std::get<domain::BlocklistEvent>(completed.events().back().event);
    return std::get<domain::BlocklistEntryAdded>(added).id.text();
  }
  std::string erase(const std::string& customer, std::vector<std::string> more) const {
    more.insert(more.begin(), {"customer", "erase", "--id", customer, "--reason", "asked for it"});
    return pixledger.done(more);
  }
};

}  // namespace

TEST_CASE("an erasure tells which blocklist entries and texts go on naming the customer") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "req_1");
  world.create_charge("venda a maria@example.com", "retry-maria.silva-2");
  const auto document = world.block(sample_details().document, domain::Environment::kSandbox);
  const auto email =
      world.block(parsed<domain::EmailAddress>("maria@EXAMPLE.com"), domain::Environment::kLive);
  world.block(parsed<domain::EmailAddress>("outra@example.com"), domain::Environment::kSandbox);

  const auto json = world.erase(customer, {"--json"});
  CHECK(json_at(json, "/left/textsFound") == "2");
  CHECK(json_at(json, "/left/texts/0/field") == "requestId");
  CHECK(json_at(json, "/left/texts/0/names") == "name");
  CHECK(json_at(json, "/left/texts/1/field") == "externalId");
  CHECK(json_at(json, "/left/texts/1/names") == "e-mail address");
  CHECK(json_at(json, "/left/blocklist/0/id") == email);
  CHECK(json_at(json, "/left/blocklist/0/type") == "email");
  CHECK(json_at(json, "/left/blocklist/1/id") == document);
  CHECK(json_at(json, "/left/blocklist/1/type") == "document");
  CHECK(json.find("Maria") == std::string::npos);
  CHECK(json.find(sample_details().document.text()) == std::string::npos);

  // What to look for is gone with the first.
  CHECK(json_at(world.erase(customer, {"--json"}), "/left") == "null");
  CHECK(world.erase(customer, {}).find("could not be looked for any more") != std::string::npos);
}

TEST_CASE("an erasure names the account that signs in with the customer's address") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "req_1");
  world.pixledger.done({"user", "invite", "--project", world.project.text(), "--email", "MARIA@example.com",
                        "--role", "viewer"});
  const auto text = world.erase(customer, {});
  CHECK(text.find("accounts: somebody signs in with their e-mail address") != std::string::npos);
  CHECK(text.find("Nothing below the data directory") == std::string::npos);
  const auto other = world.create_charge("pedido 2", "req_2");
  CHECK(json_at(world.erase(other, {"--json"}), "/left/account") == "true");
}

TEST_CASE("an erasure says so for people, and when nothing is left") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "maria");
  const auto text = world.erase(customer, {});
  CHECK(text.find("requestId of the event at position") != std::string::npos);
  CHECK(text.find("Nothing below the data directory") == std::string::npos);
  // Who comes back is the same person.
  const auto next = world.create_charge("pedido 2", "req_2");
  CHECK(next != customer);
  CHECK(world.erase(next, {}).find("requestId of the event at position") != std::string::npos);

  const World other;
  CHECK(other.erase(other.create_charge("pedido 1", "req_1"), {})
            .find("Nothing below the data directory names the customer any more") != std::string::npos);
}
