#include <catch2/catch.hpp>
#include <csignal>
#include <filesystem>
#include <fstream>

#include "eventstore/lmdb/lmdb_log.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/one_gigabyte.h"
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
    return create(ledger, creation, request);
  }
  // The same document under another name: each creation renames the customer.
  std::string create_charge_as(const std::string& name, const std::string& email,
                               const std::string& product) const {
    LedgerWithCharges ledger(pixledger.data());
    auto creation = sample_creation();
    creation.project = project;
    creation.token = ledger.token_of(project, creation.customer.document.text());
    creation.external_id.reset();
    creation.customer.name = parsed<domain::PersonName>(name);
    creation.customer.email = parsed<EmailAddress>(email);
    creation.product = parsed<domain::ProductName>(product);
    return create(ledger, creation, "req of " + std::to_string(product.size()));
  }
  static std::string create(LedgerWithCharges& ledger, const domain::CreateCharge& creation,
                            const std::string& request) {
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
  void unblock(const std::string& entry) const {
    LedgerWithCharges ledger(pixledger.data());
    ledger.execute(domain::RemoveBlocklistEntry{project, parsed<domain::BlocklistEntryId>(entry)});
  }
  bool has_noted_leftovers() const {
    const auto directory = pixledger.data() / "erasures";
    if (!std::filesystem::is_directory(directory)) return false;
    for (const auto& entry : std::filesystem::directory_iterator(directory)) {
      std::ifstream file(entry.path());
      for (std::string line; std::getline(file, line);)
        if (line == "end") return true;
    }
    return false;
  }
  std::string erase(const std::string& customer, std::vector<std::string> more) const {
    more.insert(more.begin(), {"customer", "erase", "--id", customer, "--reason", "asked for it"});
    return pixledger.done(more);
  }
};

}  // namespace

TEST_CASE("an erasure lists blocklist entries and texts that still name the customer") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "req_1");
  world.create_charge("venda a maria@example.com", "retry-maria.silva-2");
  const auto document = world.block(sample_details().document, domain::Environment::kSandbox);
  const auto email = world.block(parsed<EmailAddress>("maria@EXAMPLE.com"), domain::Environment::kLive);
  world.block(parsed<EmailAddress>("outra@example.com"), domain::Environment::kSandbox);

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

  // The first erasure removed the texts to search for.
  CHECK(json_at(world.erase(customer, {"--json"}), "/left") == "null");
  CHECK(world.erase(customer, {}).find("the run that removed them listed that") != std::string::npos);
}

TEST_CASE("an erasure that was killed lists what is left when it is run again") {
  const World world;
  const auto customer = world.create_charge("venda a maria@example.com", "retry-maria.silva-2");
  const auto document = world.block(sample_details().document, domain::Environment::kSandbox);
  world.pixledger.done({"user", "invite", "--project", world.project.text(), "--email", "maria@example.com",
                        "--role", "viewer"});
  {
    auto options = one_gigabyte();
    options.read_only = true;
    const eventstore::LmdbLog ledger(world.pixledger.data() / "ledger", options);
    const eventstore::LmdbRead holds_it_up(ledger.environment());
    Process first(built_program("pixledger"),
                  world.pixledger.arguments({"customer", "erase", "--id", customer, "--reason", "asked"}));
    REQUIRE(eventually([&] { return world.has_noted_leftovers(); }));
    first.send(SIGKILL);
    CHECK(first.wait() == -SIGKILL);
    CHECK(first.out().empty());
    // A run that ends with an error does not count either.
    const auto held_up =
        world.pixledger.run({"customer", "erase", "--id", customer, "--reason", "asked", "--wait", "0"});
    CHECK(held_up.code == 3);
    CHECK(held_up.err.find("the next run lists it again") != std::string::npos);
    CHECK(held_up.err.find("blocklist entry " + document) != std::string::npos);
  }
  {
    // A run that could not print its list is not finished.
    const auto unprinted = run_process(
        "/bin/sh", {"-c", "exec \"$@\" > /dev/full", "sh", built_program("pixledger").string(), "--data",
                    world.pixledger.data().string(), "customer", "erase", "--id", customer, "--reason", "x"});
    CHECK(unprinted.code != 0);
  }
  const auto json = world.erase(customer, {"--json"});
  CHECK(json_at(json, "/left/textsFound") == "3");
  CHECK(json_at(json, "/left/texts/0/field") == "requestId");
  CHECK(json_at(json, "/left/texts/0/names") == "name");
  CHECK(json_at(json, "/left/texts/2/field") == "externalId");
  CHECK(json_at(json, "/left/texts/2/names") == "e-mail address");
  CHECK(json_at(json, "/left/blocklist/0/id") == document);
  CHECK(json_at(json, "/left/blocklist/0/type") == "document");
  CHECK(json_at(json, "/left/blocklist/0/removed") == "false");
  CHECK(json_at(json, "/left/account") == "true");
  CHECK(json_at(world.erase(customer, {"--json"}), "/left") == "null");
}

TEST_CASE("an erasure lists removed blocklist entries, which stay in the ledger") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "req_1");
  const auto email = world.block(parsed<EmailAddress>("maria@example.com"), domain::Environment::kSandbox);
  world.unblock(email);
  const auto other = world.block(parsed<EmailAddress>("outra@example.com"), domain::Environment::kSandbox);
  world.unblock(other);

  const auto json = world.erase(customer, {"--json"});
  CHECK(json_at(json, "/left/blocklist/0/id") == email);
  CHECK(json_at(json, "/left/blocklist/0/removed") == "true");
  CHECK(json.find(other) == std::string::npos);
  CHECK(json.find("maria@example.com") == std::string::npos);
}

TEST_CASE("an erasure searches for the customer's earlier names, and its reason may not contain them") {
  const World world;
  world.create_charge_as("Zoraide Antiga", "zoraide@antiga.example", "bolo da Zoraide");
  world.create_charge_as("Nova Pessoa", "nova@pessoa.example", "torta para zoraide@ANTIGA.example");
  const auto customer = world.create_charge_as("Nova Pessoa", "nova@pessoa.example", "pudim");
  world.block(parsed<EmailAddress>("zoraide@antiga.example"), domain::Environment::kLive);
  world.pixledger.done({"user", "invite", "--project", world.project.text(), "--email",
                        "zoraide@antiga.example", "--role", "viewer"});

  for (const char* reason : {"Zoraide Antiga pediu", "write to zoraide@antiga.example", "Nova pediu"}) {
    const auto refused = world.pixledger.run({"customer", "erase", "--id", customer, "--reason", reason});
    CHECK(refused.code == 1);
    CHECK(refused.err.find("the reason gives away the customer's") != std::string::npos);
  }
  const auto json = world.erase(customer, {"--json"});
  CHECK(json_at(json, "/left/textsFound") == "2");
  CHECK(json_at(json, "/left/texts/0/names") == "name");
  CHECK(json_at(json, "/left/texts/1/names") == "e-mail address");
  CHECK(json_at(json, "/left/blocklist/0/removed") == "false");
  CHECK(json_at(json, "/left/account") == "true");
}

TEST_CASE("an erasure names the account that signs in with the customer's address") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "req_1");
  world.pixledger.done({"user", "invite", "--project", world.project.text(), "--email", "MARIA@example.com",
                        "--role", "viewer"});
  const auto text = world.erase(customer, {});
  CHECK(text.find("accounts: somebody signs in with their e-mail address") != std::string::npos);
  CHECK(text.find("were found neither") == std::string::npos);
  const auto other = world.create_charge("pedido 2", "req_2");
  CHECK(json_at(world.erase(other, {"--json"}), "/left/account") == "true");
}

TEST_CASE("an erasure says so for people, and when nothing is left") {
  const World world;
  const auto customer = world.create_charge("pedido 1", "maria");
  const auto text = world.erase(customer, {});
  CHECK(text.find("requestId of the event at position") != std::string::npos);
  CHECK(text.find("were found neither") == std::string::npos);
  // A customer registered again is the same person.
  const auto next = world.create_charge("pedido 2", "req_2");
  CHECK(next != customer);
  CHECK(world.erase(next, {}).find("requestId of the event at position") != std::string::npos);

  const World other;
  CHECK(other.erase(other.create_charge("pedido 1", "req_1"), {})
            .find("were found neither in the merchant's blocklists nor in the texts of their own charges") !=
        std::string::npos);
}
