#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/ledger_with_charges.h"
#include "tests/support/servers/pixledger_command.h"

namespace pixledger::tests {
namespace {

using Arguments = std::vector<std::string>;

// A session of the sandbox, with what `more` adds.
Arguments creation(const std::string& project, const Arguments& more = {}) {
  Arguments arguments{"checkout",        "create",
                      "--project",       project,
                      "--env",           "test",
                      "--pay-url",       "https://pay.example.com",
                      "--product",       "Camiseta",
                      "--amount-cents",  "1990",
                      "--json",          "--origin-domain",
                      "loja.example.com"};
  arguments.insert(arguments.end(), more.begin(), more.end());
  return arguments;
}

}  // namespace

TEST_CASE("a link to pay is made, shown and ended at the terminal") {
  PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto made = pixledger.done(creation(
      project, {"--customer-name", "Ana Lima", "--customer-document", "52998224725", "--customer-email",
                "ana@example.com", "--customer-phone", "11987654321", "--expires-in-minutes", "90"}));
  const auto id = json_at(made, "/id");
  CHECK(json_at(made, "/url").starts_with("https://pay.example.com/pay/" + id + "."));
  CHECK(json_at(made, "/status") == "open");
  const auto charge = json_at(made, "/transactionId");
  CHECK(charge != "null");

  const auto shown =
      pixledger.done({"checkout", "show", "--id", id, "--pay-url", "https://pay.example.com/", "--json"});
  CHECK(json_at(shown, "/url") == json_at(made, "/url"));
  const auto cancelled = pixledger.done({"checkout", "cancel", "--id", id, "--json"});
  CHECK(json_at(cancelled, "/status") == "cancelled");
  CHECK(pixledger.run({"checkout", "cancel", "--id", id}).code == 1);
  CHECK(pixledger.run({"checkout", "show", "--id", "c000000000000"}).code == 1);

  const auto history = pixledger.done({"history", "--id", id});
  for (const auto& part :
       {std::string("checkout session"), "charge " + charge + " created for it", std::string("cancelled")})
    CHECK(history.find(part) != std::string::npos);
  CHECK(pixledger.done({"history", "--id", charge}).find("cancelled") != std::string::npos);
  pixledger.done({"verify"});
  const auto table = pixledger.done({"export", "--format", "csv", "--project", project});
  CHECK(table.find("checkoutSessionId") != std::string::npos);
  CHECK(table.find(id) != std::string::npos);
}

TEST_CASE(
    "a session with all that the API takes is made at the terminal, and exported though nobody paid it") {
  PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto made = pixledger.done(creation(project, {"--customer-name",
                                                      "Ana Lima",
                                                      "--customer-document",
                                                      "52998224725",
                                                      "--customer-email",
                                                      "ana@example.com",
                                                      "--customer-phone",
                                                      "11987654321",
                                                      "--customer-address-street",
                                                      "Rua das Flores",
                                                      "--customer-address-zip-code",
                                                      "01310-100",
                                                      "--customer-address-country",
                                                      "br",
                                                      "--metadata",
                                                      "order=7",
                                                      "--metadata",
                                                      "shelf=A=1",
                                                      "--webhook-url",
                                                      "https://127.0.0.1:1/",
                                                      "--allow-target",
                                                      "127.0.0.0/8"}));
  const auto id = json_at(made, "/id");
  const auto events = pixledger.done({"events"});
  for (const std::string part : {R"("street":"Rua das Flores")", R"("zipCode":"01310-100")",
                                 R"("country":"BR")", R"("metadata":{"order":"7","shelf":"A=1"})"})
    CHECK(events.find(part) != std::string::npos);
  const auto bare = json_at(pixledger.done(creation(project, {"--external-id", "bare"})), "/id");

  const auto exported = pixledger.done({"export", "--format", "jsonl", "--what", "sessions"});
  const auto first = exported.substr(0, exported.find('\n'));
  const auto second = exported.substr(exported.find('\n') + 1);
  CHECK(json_at(first, "/checkoutSessionId") == id);
  CHECK(json_at(first, "/transactionId") == json_at(made, "/transactionId"));
  CHECK(json_at(first, "/metadata/order") == "7");
  CHECK(json_at(second, "/checkoutSessionId") == bare);
  CHECK(json_at(second, "/externalId") == "bare");
  CHECK(json_at(second, "/status") == "open");
  CHECK(json_at(second, "/transactions") == "0");
  CHECK(json_at(second, "/paidTransactionId") == "null");

  const auto history = pixledger.done({"history", "--id", id});
  CHECK(history.find("checkout session") != std::string::npos);
  CHECK(history.find("https://127.0.0.1:1/") != std::string::npos);
  pixledger.done({"verify"});
  for (const Arguments& wrong :
       {Arguments{"--metadata", "order"}, Arguments{"--metadata", "o r=1"},
        Arguments{"--metadata", "order=1", "--metadata", "order=2"},
        Arguments{"--customer-address-city", "Lapa"}, Arguments{"--customer-address-country", "Brasil"}})
    CHECK(pixledger.run(creation(project, wrong)).code == 2);
}

TEST_CASE("an overdue session is shown as expired, even before that is recorded") {
  PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  {
    LedgerWithCharges ledger(pixledger.data());
    const auto now = ledger.log().head().time;
    const auto stream = domain::checkout_stream(sample_checkout_id());
    const domain::CheckoutSessionCreated created{.id = sample_checkout_id(),
                                                 .project = project,
                                                 .environment = domain::Environment::kSandbox,
                                                 .amount = domain::Cents(990),
                                                 .product = parsed<domain::ProductName>("Camiseta"),
                                                 .quantity = 1,
                                                 .expiration_days = std::nullopt,
                                                 .origin_host = parsed<OriginHost>("loja.example.com"),
                                                 .external_id = std::nullopt,
                                                 .success_url = std::nullopt,
                                                 .cancel_url = std::nullopt,
                                                 .locale = std::nullopt,
                                                 .webhook_version = domain::WebhookVersion::kV2,
                                                 .has_channel = false,
                                                 .expires_at = now.plus_millis(1)};
    SystemEntropy entropy;
    const auto encoded = eventstore::encode({.position = {},
                                             .stream = stream,
                                             .version = 1,
                                             .recorded_at = now,
                                             .project = project,
                                             .actor = "key-test",
                                             .request_id = {},
                                             .event = domain::CheckoutEvent(created)},
                                            entropy);
    const auto write = ledger.log().begin_write();
    write->append({.time = now,
                   .id_counter = 0,
                   .records = {{.stream = stream,
                                .version = 1,
                                .bytes = encoded.bytes,
                                .personal = encoded.personal,
                                .claims = {}}},
                   .idempotency = {}});
    write->commit();
  }
  const auto id = sample_checkout_id().text();
  CHECK(json_at(pixledger.done({"checkout", "show", "--id", id, "--json"}), "/status") == "expired");
}

TEST_CASE("a link that could not be opened or paid is not made") {
  PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  auto without_pages = creation(project);
  without_pages.erase(without_pages.begin() + 6, without_pages.begin() + 8);
  CHECK(pixledger.run(without_pages).code == 2);
  CHECK(pixledger.run(creation(project, {"--expires-in-minutes", "4"})).code == 2);
  CHECK(pixledger.run(creation(project, {"--locale", "fr"})).code == 2);
  CHECK(pixledger.run(creation(project, {"--customer-name", "Ana"})).code == 2);
  CHECK(pixledger.run(creation(project, {"--webhook-url", "http://127.0.0.1:1/"})).code == 2);
  CHECK(pixledger.run(creation("c000000000000")).code == 1);
}

TEST_CASE("an erasure removes a session's data of its payer, and verify confirms it") {
  PixledgerCommand pixledger;
  const auto project = domain::ProjectId::parse(json_at(pixledger.create_project(), "/projectId")).value();
  std::string customer;
  {
    LedgerWithCharges ledger(pixledger.data());
    auto session = sample_checkout();
    session.project = project;
    session.metadata =
        *domain::Metadata::of({{parsed<domain::MetadataKey>("para"), parsed<domain::MetadataValue>("Ana")}});
    ledger.execute(session);
    auto charge = sample_checkout_charge();
    charge.project = project;
    charge.payer.token = ledger.token_of(project, charge.payer.details.document.text());
    const auto added = ledger.execute(charge);
    const auto& event = std::get<domain::CheckoutEvent>(added.events().back().event);
    customer = std::get<domain::CheckoutChargeAdded>(event).customer.text();
  }
  const auto events = [&] {
    return pixledger.done({"events", "--stream", "checkout-" + sample_checkout_id().text()});
  };
  CHECK(events().find("\"metadata\":{\"para\":\"Ana\"}") != std::string::npos);
  pixledger.done({"verify"});
  pixledger.done({"customer", "erase", "--id", customer, "--reason", "asked for it"});
  CHECK(events().find("metadata") == std::string::npos);
  pixledger.done({"verify"});
}

}  // namespace pixledger::tests
