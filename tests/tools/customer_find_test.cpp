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

  // As the API saves them; returns the id.
  std::string save(const std::string& document, const std::string& email,
                   domain::Environment environment = domain::Environment::kSandbox) const {
    LedgerWithCharges ledger(pixledger.data());
    auto creation = sample_creation(environment);
    creation.project = project;
    creation.token = ledger.token_of(project, document);
    creation.customer.document = parsed<domain::Document>(document);
    creation.customer.email = parsed<EmailAddress>(email);
    const auto completed = ledger.execute(creation);
    for (const auto& event : completed.events()) {
      const auto* charge = std::get_if<domain::ChargeEvent>(&event.event);
      if (charge) return std::get<domain::ChargeCreated>(*charge).customer.text();
    }
    return "";
  }
  ProcessResult find(std::vector<std::string> by) const {
    by.insert(by.begin(), {"customer", "find", "--project", project.text(), "--json"});
    return pixledger.run(by);
  }
};

}  // namespace

TEST_CASE("a customer is found by their document, and by the address that they have now") {
  const World world;
  const auto ana = world.save("52998224725", "ana@example.com");
  const auto bia = world.save("39053344705", "Casa@example.com");
  const auto caio = world.save("11144477735", "casa@example.com");
  CHECK(json_at(world.find({"--document", "52998224725"}).out, "/0/customerId") == ana);
  CHECK(json_at(world.find({"--email", "ANA@example.com"}).out, "/0/customerId") == ana);
  const auto both = world.find({"--email", "casa@example.com"});
  CHECK(json_at(both.out, "/0/customerId") == bia);
  CHECK(json_at(both.out, "/1/customerId") == caio);

  CHECK(world.save("52998224725", "ana.lima@example.com") == ana);
  CHECK(world.find({"--email", "ana@example.com"}).code == 1);
  CHECK(json_at(world.find({"--email", "ana.lima@example.com"}).out, "/0/customerId") == ana);

  world.pixledger.done({"customer", "erase", "--id", ana, "--reason", "asked for it"});
  CHECK(world.find({"--document", "52998224725"}).code == 1);
  CHECK(world.find({"--email", "ana.lima@example.com"}).code == 1);
}

TEST_CASE("a person in both environments is found as two customers") {
  const World world;
  world.pixledger.done(
      {"project", "set", "--project", world.project.text(), "--pix-key", "loja@example.com"});
  const auto test = world.save("52998224725", "ana@example.com");
  const auto live = world.save("52998224725", "ana@example.com", domain::Environment::kLive);
  CHECK(test != live);
  const auto by_document = world.find({"--document", "52998224725"}).out;
  CHECK(json_at(by_document, "/0/customerId") == live);
  CHECK(json_at(by_document, "/0/environment") == "live");
  CHECK(json_at(by_document, "/1/customerId") == test);
  CHECK(json_at(by_document, "/1/environment") == "sandbox");
  const auto by_email = world.find({"--email", "ana@example.com"}).out;
  CHECK(json_at(by_email, "/0/customerId") == test);
  CHECK(json_at(by_email, "/1/customerId") == live);
}

TEST_CASE("a customer is searched by document or by e-mail address") {
  const World world;
  CHECK(world.find({}).code == 2);
  CHECK(world.find({"--document", "52998224725", "--email", "ana@example.com"}).code == 2);
  const auto punctuated = world.find({"--document", "529.982.247-25"});
  CHECK(punctuated.code == 1);  // read as it is typed, and nobody has it
  CHECK(punctuated.err.find("529") == std::string::npos);
  CHECK(world.find({"--email", "ana"}).code == 2);
  CHECK(world.find({"--document", "52998224725"}).code == 1);
}
