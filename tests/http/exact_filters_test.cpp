#include <catch2/catch.hpp>
#include <chrono>

#include "projections/views/list_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using namespace pixledger::tests;

struct World {
  TestService service;
  TestService::Project project = service.create_project();

  HttpAnswer get(const std::string& path) const { return service.send("GET", path, project.live_key); }
  std::string create(const std::string& external_id) const {
    auto body = creation_body();
    body.replace(body.rfind('}'), 1, ",\"externalId\":\"" + external_id + "\"}");
    const auto answer = service.send("POST", "/api/v1/transactions", project.live_key, body);
    REQUIRE(answer.status == 201);
    return answer.at("/data/id");
  }
  void report(const std::string& charge, const std::string& payment, std::int64_t cents) {
    service.execute(domain::ReportPayment{.project = project.id,
                                          .charge = parsed<domain::ChargeId>(charge),
                                          .end_to_end_id = parsed<domain::EndToEndId>(payment),
                                          .amount = domain::Cents(cents),
                                          .paid_at = std::nullopt});
  }
  // Ids from the newest on, as one text.
  std::string found(const std::string& filters) const {
    const auto answer = get("/api/v1/transactions?" + filters);
    if (answer.status != 200) return outcome_of(answer) + " " + answer.at("/details/0/field");
    std::string ids;
    for (std::string_view left = answer.body; (left = after_id(left)).size() > 25;)
      ids.append(left.substr(0, 25)).append(" ");
    return ids;
  }

 private:
  // What follows the next item's `"id":"`: items alone begin with it.
  static std::string_view after_id(std::string_view text) {
    constexpr std::string_view kBegin = "{\"id\":\"";
    constexpr std::string_view kOfItem = "\",\"externalId\"";
    for (auto at = text.find(kBegin); at != std::string_view::npos; at = text.find(kBegin, at + 1)) {
      const auto rest = text.substr(at + kBegin.size());
      if (rest.substr(25, kOfItem.size()) == kOfItem) return rest;
    }
    return {};
  }
};

const std::string kPayment = "E18236120202603011200s1a2b3c4d5e";
const std::string kOther = "E18236120202603011200s1a2b3c4d5f";

}  // namespace

TEST_CASE("a slow query is given up when its time is over, and a plain list is not") {
  TestServiceOptions options;
  options.server.work_max = std::chrono::milliseconds(0);
  TestService service(options);
  const auto project = service.create_project();
  auto creation = sample_creation(domain::Environment::kLive);
  creation.project = project.id;
  creation.connection = std::nullopt;
  creation.external_id = parsed<domain::ExternalId>("order-1");
  creation.metadata =
      domain::Metadata::of({{parsed<domain::MetadataKey>("a"), parsed<domain::MetadataValue>("1")}}).value();
  service.execute(creation);
  const auto ask = [&](const std::string& path) {
    return outcome_of(service.send("GET", path, project.live_key));
  };
  for (const std::string filter : {"metadata[a]=1", "externalId=order-1", "search=ana"}) {
    INFO(filter);
    CHECK(ask("/api/v1/transactions?" + filter) == "503 ERR_HTTP_503");
  }
  CHECK(ask("/api/v1/customers?search=ana") == "503 ERR_HTTP_503");
  CHECK(ask("/api/v1/transactions?status=waiting_payment") == "200");
  CHECK(ask("/api/v1/customers") == "200");
}

TEST_CASE("an external id is found whole and case-sensitively, or else the charge's own id") {
  const World world;
  const auto first = world.create("Pedido-1");
  const auto second = world.create("Pedido-1");
  const auto third = world.create("Pedido-10");
  const auto plain = create_charge(world.service, world.project.live_key);
  CHECK(world.found("externalId=Pedido-1") == second + " " + first + " ");
  CHECK(world.found("externalId=Pedido-10") == third + " ");
  CHECK(world.found("externalId=pedido-1").empty());
  CHECK(world.found("externalId=edido-1").empty());
  CHECK(world.found("externalId=" + plain) == plain + " ");
  CHECK(world.found("externalId=%20Pedido-10%C2%A0") == third + " ");
  CHECK(world.found("externalId=" + plain + "%20") == plain + " ");
  const auto with_blank = world.create("Pedido-10 ");
  CHECK(world.found("externalId=Pedido-10%20") == with_blank + " ");
  CHECK(world.found("externalId=" + first).empty());
  CHECK(world.found("externalId=Pedido-1&status=paid").empty());
  CHECK(world.found("externalId=" + std::string(129, 'x')) == "400 ERR_VALIDATION_001 externalId");
}

TEST_CASE("a search for a transaction's whole id finds it, with an external id of its own, too") {
  const World world;
  const auto id = world.create("Pedido-1");
  CHECK(world.found("search=" + id) == id + " ");
  CHECK(world.found("search=" + id.substr(0, 24)).empty());
}

TEST_CASE("an end-to-end id finds the charge that it was paid to, of this project alone") {
  World world;
  const auto paid = world.create("a");
  const auto late = world.create("b");
  world.report(paid, kPayment, 1990);
  world.report(late, kOther, 1);
  CHECK(world.found("transactionCode=" + kPayment) == paid + " ");
  CHECK(world.found("transactionCode=" + kOther) == late + " ");  // kept aside
  CHECK(world.found("transactionCode=E18236120202603011200s1a2b3c4d5g").empty());
  CHECK(world.found("transactionCode=1") == "400 ERR_VALIDATION_001 transactionCode");
  const auto other = world.service.create_project();
  const auto theirs =
      world.service.send("GET", "/api/v1/transactions?transactionCode=" + kPayment, other.live_key);
  CHECK(theirs.at("/meta/total") == "0");
}

TEST_CASE("charges with money to settle are found until it is settled, after restarts too") {
  World world;
  const auto id = world.create("a");
  world.create("b");
  CHECK(world.found("unapplied=true").empty());
  world.report(id, kPayment, 1);
  world.report(id, kOther, 2);
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    world.service.restart(lost);
    CHECK(world.found("unapplied=true") == id + " ");
    CHECK(world.found("unapplied=true&externalId=b").empty());
  }
  for (const auto& payment : {kPayment, kOther})
    world.service.execute(domain::ReturnUnappliedPayment{parsed<domain::ChargeId>(id),
                                                         parsed<domain::EndToEndId>(payment), std::nullopt});
  CHECK(world.found("unapplied=true").empty());
  CHECK(world.found("unapplied=yes") == "400 ERR_VALIDATION_001 unapplied");
}

TEST_CASE("partly refunded charges are found until all is refunded, after restarts too") {
  World world;
  const auto id = world.create("a");
  world.report(id, kPayment, 1990);
  world.report(world.create("b"), kOther, 1990);
  const auto refund = [&](std::int64_t cents) {
    world.service.execute(domain::RefundCharge{domain::Caller(), parsed<domain::ChargeId>(id),
                                               domain::Cents(cents), std::nullopt});
  };
  CHECK(world.found("partlyRefunded=true").empty());
  refund(1);
  refund(2);
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    world.service.restart(lost);
    CHECK(world.found("partlyRefunded=true") == id + " ");
    CHECK(world.found("partlyRefunded=true&status=refunded").empty());
  }
  refund(1987);
  CHECK(world.found("partlyRefunded=true").empty());
  CHECK(world.found("status=refunded") == id + " ");
  CHECK(world.found("partlyRefunded=false") == "400 ERR_VALIDATION_001 partlyRefunded");
}

TEST_CASE("several statuses are given with commas, and failed is not a status to filter by") {
  World world;
  const auto paid = world.create("a");
  world.report(paid, kPayment, 1990);
  const auto waiting = world.create("b");
  CHECK(world.found("status=paid,waiting_payment") == waiting + " " + paid + " ");
  CHECK(world.found("status=paid,expired,paid") == paid + " ");
  for (const std::string bad : {"failed", "paid,failed", "paid,", ",", "Paid", "paid%20"})
    CHECK(world.found("status=" + bad) == "400 ERR_VALIDATION_001 status");
}

TEST_CASE("the paid amount is shown beside the charge's, also if they differ") {
  World world;
  const auto id = world.create("a");
  const auto path = "/api/v1/transactions/" + id;
  CHECK(world.get(path).at("/data/paidAmountCents") == "null");
  world.report(id, kPayment, 2500);
  world.service.execute(domain::AcceptUnappliedPayment{world.project.id, parsed<domain::ChargeId>(id),
                                                       parsed<domain::EndToEndId>(kPayment)});
  CHECK(world.get(path).at("/data/amountCents") == "1990");
  CHECK(world.get(path).at("/data/paidAmountCents") == "2500");
  for (const std::string list : {"/api/transactions", "/api/v1/transactions"})
    CHECK(world.get(list).at("/data/0/paidAmountCents") == "2500");
  const auto refund = [&](const std::string& cents) {
    return world.service.send("POST", path + "/refund", world.project.live_key,
                              "{\"amountCents\":" + cents + "}");
  };
  CHECK(outcome_of(refund("2501")) == "400 ERR_TRANSACTION_005");
  CHECK(refund("2500").at("/data/paidAmountCents") == "2500");
}

TEST_CASE("customers are found by text, document, e-mail, id and whether they are blocked") {
  World world;
  const auto save = [&](const std::string& name, const std::string& document) {
    return world.service.send("POST", "/api/v1/customers", world.project.live_key,
                              customer_body(name, document));
  };
  const auto ana = save("Ana Conceição", "52998224725").at("/data/id");
  const auto bia = save("Bia Lima", "11144477735").at("/data/id");
  const auto found = [&](const std::string& filters) {
    const auto answer = world.get("/api/v1/customers?" + filters);
    if (answer.status != 200) return outcome_of(answer) + " " + answer.at("/details/0/field");
    std::string who;
    for (std::size_t i = 0; i < 2 && std::to_string(i) < answer.at("/meta/total"); ++i)
      who += answer.at("/data/" + std::to_string(i) + "/id") == ana ? "Ana " : "Bia ";
    return who;
  };
  const auto block = [&](const std::string& id, const std::string& how, const std::string& body) {
    REQUIRE(world.service.send("POST", "/api/v1/customers/" + id + "/" + how, world.project.live_key, body)
                .status == 200);
  };
  const auto soon = to_iso8601(world.service.clock().now().plus_millis(60'000));
  block(ana, "block", R"({"blockType":"fraud","reason":"chargeback","expiresAt":")" + soon + "\"}");
  block(bia, "block", R"({"blockType":"manual","reason":"x"})");
  block(bia, "unblock", "");
  for (const auto lost :
       {TestService::Lost::kNothing, TestService::Lost::kListSnapshot, TestService::Lost::kViews}) {
    world.service.restart(lost);
    CHECK(found("search=conceicao") == "Ana ");
    CHECK(found("q=LIMA") == "Bia ");
    CHECK(found("search=" + bia) == "Bia ");
    CHECK(found("document=52998224725") == "Ana ");
    CHECK(found("document=52998224726").empty());
    CHECK(found("document=52998224725&search=lima").empty());
    CHECK(found("email=MARIA@example.com") == "Bia Ana ");
    CHECK(found("email=maria@example.com&isBlocked=false") == "Bia ");
    CHECK(found("isBlocked=true") == "Ana ");
    CHECK(found("isBlocked=true&dateTo=2001-01-01").empty());
    CHECK(found("document=529.982.247") == "400 ERR_VALIDATION_001 document");
    CHECK(found("isBlocked=yes") == "400 ERR_VALIDATION_001 isBlocked");
  }
  world.service.clock().advance_millis(60'000);
  CHECK(found("isBlocked=true").empty());
  CHECK(found("isBlocked=false") == "Bia Ana ");
}

TEST_CASE("a filter that would read too many rows is named, and a narrower one is answered") {
  World world;
  const std::vector<std::string> documents = {"52998224725", "11144477735", "39053344705"};
  std::vector<std::string> customers;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    world.service.clock().advance_millis(1000);
    const auto created = world.service.send("POST", "/api/v1/transactions", world.project.live_key,
                                            creation_body(1990, documents[i]));
    world.report(created.at("/data/id"), "E18236120202603011200s1a2b3c4d5" + std::to_string(i), 1);
    customers.push_back(customer_of(world.service, world.project.live_key, created.at("/data/id")));
    REQUIRE(world.service
                .send("POST", "/api/v1/customers/" + customers.back() + "/block", world.project.live_key,
                      R"({"blockType":"manual","reason":"x"})")
                .status == 200);
  }
  REQUIRE(world.get("/api/v1/transactions").at("/meta/total") == "3");
  const auto views = world.service.views().database();
  const auto email = parsed<EmailAddress>("maria@example.com");
  const auto second = world.service.clock().now().plus_millis(-1000);
  const auto charges = [&](const projections::ChargeQuery& query) {
    const auto found = projections::ListReader(*views, world.project.id, {}, 2).charges(query, {});
    return found.too_wide.empty() ? std::to_string(found.total) : std::string(found.too_wide);
  };
  const auto people = [&](const projections::CustomerQuery& query) {
    const auto found = projections::ListReader(*views, world.project.id, {}, 2).customers(query, {});
    return found.too_wide.empty() ? std::to_string(found.total) : std::string(found.too_wide);
  };

  projections::ChargeQuery unapplied;
  unapplied.has_unapplied = true;
  CHECK(charges(unapplied) == "unapplied");
  unapplied.created_from = second;
  CHECK(charges(unapplied) == "2");
  unapplied.created_to = second;
  CHECK(charges(unapplied) == "1");

  projections::ChargeQuery of_email;
  of_email.customer_email = email;
  CHECK(charges(of_email) == "customerEmail");
  of_email.customer = parsed<domain::CustomerId>(customers[1]);
  CHECK(charges(of_email) == "1");
  of_email.customer_email = parsed<EmailAddress>("nobody@example.com");
  CHECK(charges(of_email) == "0");

  projections::CustomerQuery with_email;
  with_email.email = email;
  CHECK(people(with_email) == "email");
  with_email.listed.created_from = second;
  CHECK(people(with_email) == "2");

  projections::CustomerQuery blocked{.is_blocked = true, .now = world.service.clock().now()};
  CHECK(people(blocked) == "isBlocked");
  blocked.is_blocked = false;
  CHECK(people(blocked) == "isBlocked");
  blocked.listed.created_to = second;
  CHECK(people(blocked) == "0");
  blocked.is_blocked = true;
  CHECK(people(blocked) == "2");
}
