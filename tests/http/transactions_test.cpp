#include <catch2/catch.hpp>

#include "domain/pix/br_code.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/test_service.h"

namespace {

using namespace pixledger;
using tests::creation_body;

constexpr std::int64_t kDayMs = 86'400'000;

std::string created_id(tests::TestService& service, const std::string& key) {
  const auto answer = service.send("POST", "/api/v1/transactions", key, creation_body());
  REQUIRE(answer.status == 201);
  return answer.at("/data/id");
}

}  // namespace

TEST_CASE("a charge is created with a pix code of its amount and id") {
  tests::TestService service;
  const auto project = service.create_project();

  const auto answer = service.send("POST", "/api/v1/transactions", project.live_key, creation_body(123456));

  REQUIRE(answer.status == 201);
  CHECK(answer.at("/success") == "true");
  CHECK(answer.at("/data/status") == "waiting_payment");
  const auto id = answer.at("/data/id");
  CHECK(answer.headers.at("Location") == "/api/v1/transactions/" + id);
  CHECK(answer.at("/data/expirationDate") == to_iso8601(service.clock().now().plus_millis(kDayMs)));
  const auto code = answer.at("/data/pixCode");
  CHECK(std::holds_alternative<std::vector<domain::BrCodeField>>(domain::parse_br_code(code)));
  CHECK(code.find("54071234.56") != std::string::npos);
  CHECK(code.find(id) != std::string::npos);
  CHECK(code.find("loja@example.com") != std::string::npos);
}

TEST_CASE("a creation is answered with the amount to pay, and the URL of its drawn code") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto answer = service.send("POST", "/api/v1/transactions", project.test_key, creation_body(4990),
                                   {{"Idempotency-Key", "1"}});
  CHECK(answer.at("/data/amountCents") == "4990");
  CHECK(answer.at("/data/qrCode") == "/api/v1/transactions/" + answer.at("/data/id") + "/qr.svg");
  CHECK(service.send("GET", answer.at("/data/qrCode"), project.test_key).status == 200);
}

TEST_CASE("a charge expires after the minutes in its creation") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto create = [&](const std::string& expiration) {
    auto body = creation_body();
    const std::string days = R"("expirationDays":1)";
    body.replace(body.find(days), days.size(), expiration);
    return service.send("POST", "/api/v1/transactions", project.test_key, body);
  };
  for (const std::int64_t minutes : {5, 90, 525'600})
    CHECK(create(R"("expirationMinutes":)" + std::to_string(minutes)).at("/data/expirationDate") ==
          to_iso8601(service.clock().now().plus_millis(minutes * 60'000)));
  for (const std::string bad : {"4", "525601", "0", "-5", "7.5", "\"30\""}) {
    const auto refused = create(R"("expirationMinutes":)" + bad);
    CHECK(refused.at("/code") == "ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == "payment.expirationMinutes");
  }
  const auto both = create(R"("expirationDays":1,"expirationMinutes":30)");
  CHECK(both.at("/code") == "ERR_VALIDATION_001");
  CHECK(both.at("/details/0/field") == "payment.expirationMinutes");
  CHECK(create(R"("expirationDays":1,"expirationMinutes":null)").status == 201);
}

TEST_CASE("a payment's fee and net amount are in status check, lists and customer") {
  tests::TestService service;
  auto settings = tests::sample_settings();
  settings.fee_fixed = domain::Cents(30);
  settings.fee_basis_points = 100;
  const auto project = service.create_project(settings);
  const auto id = created_id(service, project.test_key);
  const auto get = [&](const std::string& path) { return service.send("GET", path, project.test_key); };
  CHECK(get("/api/v1/transactions/" + id).at("/data/feeCents") == "null");
  CHECK(get("/api/v1/transactions/" + id).at("/data/netCents") == "null");
  service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key);
  const auto customer = get("/api/v1/transactions/" + id).at("/data/customer/id");
  const std::pair<std::string, std::string> places[] = {
      {"/api/v1/transactions/" + id, "/data"},
      {"/api/transactions/" + id, "/data"},
      {"/api/v1/transactions", "/data/0"},
      {"/api/transactions", "/data/0"},
      {"/api/v1/customers/" + customer, "/data/recentTransactions/0"}};
  for (const auto& [path, place] : places) {
    INFO(path);
    const auto shown = get(path);
    CHECK(shown.at(place + "/paidAmountCents") == "1990");
    CHECK(shown.at(place + "/feeCents") == "50");
    CHECK(shown.at(place + "/netCents") == "1940");
    CHECK(shown.at(place + "/refundedAmountCents") == "0");
    CHECK(shown.at(place + "/unappliedAmountCents") == "0");
  }
}

TEST_CASE("a sandbox charge carries a key that cannot be paid") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto answer = service.send("POST", "/api/v1/transactions", project.test_key, creation_body());
  REQUIRE(answer.status == 201);
  CHECK(answer.at("/data/pixCode").find(domain::sandbox_pix_key().text()) != std::string::npos);
  CHECK(answer.at("/data/pixCode").find("loja@example.com") == std::string::npos);
}

TEST_CASE("both path groups show the same full detail of a charge") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = created_id(service, project.test_key);
  for (const std::string path : {"/api/v1/transactions/", "/api/transactions/"}) {
    const auto answer = service.send("GET", path + id, project.test_key);
    REQUIRE(answer.status == 200);
    CHECK(answer.at("/data/id") == id);
    CHECK(answer.at("/data/externalId") == id);
    CHECK(answer.at("/data/transactionCode") == "null");
    CHECK(answer.at("/data/status") == "waiting_payment");
    CHECK(answer.at("/data/amountCents") == "1990");
    CHECK(answer.at("/data/product") == "Camiseta");
    CHECK(answer.at("/data/quantity") == "2");
    CHECK(answer.at("/data/paidAt") == "null");
    CHECK(answer.at("/data/refundedAt") == "null");
    CHECK(answer.at("/data/createdAt") == to_iso8601(service.clock().now()));
    CHECK(answer.at("/data/updatedAt") == answer.at("/data/createdAt"));
    CHECK(answer.at("/data/customer/name") == "Maria Silva");
    CHECK(answer.at("/data/customer/document") == "52998224725");
    CHECK(answer.at("/data/customer/email") == "maria@example.com");
    CHECK(answer.at("/data/customer/phone") == "11987654321");
    CHECK(answer.at("/data/unappliedPayments") == "[]");
  }
}

TEST_CASE("a sandbox charge is paid once") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = created_id(service, project.test_key);
  const auto path = "/api/sandbox/transactions/" + id + "/pay";

  const auto paid = service.send("POST", path, project.test_key);
  REQUIRE(paid.status == 200);
  CHECK(paid.at("/data/transactionId") == id);
  CHECK(paid.at("/data/status") == "paid");
  CHECK(paid.at("/data/paidAt") == to_iso8601(service.clock().now()));

  const auto again = service.send("POST", path, project.test_key);
  CHECK(again.status == 400);
  CHECK(again.at("/code") == "ERR_TRANSACTION_002");
  const auto detail = service.send("GET", "/api/transactions/" + id, project.test_key);
  CHECK(detail.at("/data/status") == "paid");
  CHECK(detail.at("/data/paidAt") == paid.at("/data/paidAt"));
  CHECK(detail.at("/data/transactionCode").size() == 32);
}

TEST_CASE("paying refuses charges that are missing, another project's, or live") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto stranger = service.create_project();
  const auto pay = [&](const std::string& id, const std::string& key) {
    return service.send("POST", "/api/sandbox/transactions/" + id + "/pay", key).at("/code");
  };
  const auto sandbox_id = created_id(service, project.test_key);
  CHECK(pay("cmissing00000000000000000", project.test_key) == "ERR_TRANSACTION_001");
  CHECK(pay(sandbox_id, stranger.test_key) == "ERR_TRANSACTION_001");
  CHECK(pay(created_id(service, project.live_key), project.test_key) == "ERR_SANDBOX_002");
  CHECK(pay("not-an-id", project.test_key) == "ERR_VALIDATION_001");
}

TEST_CASE("a status check distinguishes another project's charge from a missing one") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto stranger = service.create_project();
  const auto id = created_id(service, project.test_key);
  const auto foreign = service.send("GET", "/api/transactions/" + id, stranger.test_key);
  CHECK(foreign.status == 403);
  CHECK(foreign.at("/code") == "ERR_TRANSACTION_003");
  const auto missing = service.send("GET", "/api/transactions/cmissing00000000000000000", stranger.test_key);
  CHECK(missing.status == 404);
  CHECK(missing.at("/code") == "ERR_TRANSACTION_001");
}

TEST_CASE("a status check past the expiry expires the charge") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = created_id(service, project.test_key);
  service.clock().advance_millis(kDayMs - 1);
  CHECK(service.send("GET", "/api/transactions/" + id, project.test_key).at("/data/status") ==
        "waiting_payment");
  service.clock().advance_millis(1);
  CHECK(service.send("GET", "/api/transactions/" + id, project.test_key).at("/data/status") == "expired");
  const auto pay = service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key);
  CHECK(pay.at("/code") == "ERR_TRANSACTION_002");
}

TEST_CASE("paying an overdue charge is refused and expires it") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = created_id(service, project.test_key);
  service.clock().advance_millis(kDayMs);
  const auto before = service.log().head().position;
  const auto pay = service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key);
  CHECK(pay.status == 400);
  CHECK(service.log().head().position == before.next());
  CHECK(service.send("GET", "/api/transactions/" + id, project.test_key).at("/data/status") == "expired");
}

TEST_CASE("every violation of a body is listed at once") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto answer =
      service.send("POST", "/api/v1/transactions", project.test_key,
                   R"({"customer":{"name":"","document":"123","email":"x","phone":"1"},)"
                   R"("payment":{"amountCents":10.0,"quantity":0},"originDomain":"http://a"})");
  REQUIRE(answer.status == 400);
  CHECK(answer.at("/code") == "ERR_VALIDATION_001");
  for (const std::string field :
       {"customer.name", "customer.document", "customer.email", "customer.phone", "payment.amountCents",
        "payment.product", "payment.quantity", "originDomain"})
    CHECK(answer.body.find("\"field\":\"" + field + "\"") != std::string::npos);
}

TEST_CASE("a payer's and a product's name that hold a web address are refused with a reason") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto answer = service.send(
      "POST", "/api/v1/transactions", project.test_key,
      R"({"customer":{"name":"www.a.example","document":"52998224725","email":"a@b.co","phone":"11987654321"},)"
      R"("payment":{"amountCents":1,"product":"Pay at HTTPS://a.example"},"originDomain":"a.example"})");
  REQUIRE(answer.status == 400);
  CHECK(answer.at("/details/0/field") == "customer.name");
  CHECK(answer.at("/details/1/field") == "payment.product");
  CHECK_FALSE(answer.has("/details/2"));
  for (const std::string number : {"0", "1"})
    CHECK(answer.at("/details/" + number + "/reason").find("neither :// nor www.") != std::string::npos);
}

TEST_CASE("refusals by the store's settings are listed with the body's other violations") {
  tests::TestService service;
  const auto project = service.create_project();
  service.verify_documents(project.id);
  const auto answer = service.send(
      "POST", "/api/v1/transactions", project.test_key,
      R"({"customer":{"name":"","document":"12345678901","email":"a@b.co","phone":"11987654321"},)"
      R"("payment":{"amountCents":1,"product":"x"},"originDomain":"a.example","connectionId":"cunknown000"})");
  REQUIRE(answer.status == 400);
  CHECK(answer.at("/details/0/field") == "customer.name");
  CHECK(answer.at("/details/1/field") == "customer.document");
  CHECK(answer.at("/details/2/field") == "connectionId");
  CHECK_FALSE(answer.has("/details/3"));
}

TEST_CASE("all refusals by the store's settings are listed for an otherwise valid body") {
  tests::TestService service;
  const auto project = service.create_project();
  service.verify_documents(project.id);
  auto body = creation_body(1, "12345678901");
  body.pop_back();
  body += R"(,"connectionId":"cunknown000"})";
  const std::vector<std::map<std::string, std::string>> without_and_with_key = {
      {}, {{"Idempotency-Key", "order-1"}}};
  for (const auto& headers : without_and_with_key) {
    const auto answer = service.send("POST", "/api/v1/transactions", project.test_key, body, headers);
    REQUIRE(answer.status == 400);
    CHECK(answer.at("/details/0/field") == "customer.document");
    CHECK(answer.at("/details/1/field") == "connectionId");
    CHECK_FALSE(answer.has("/details/2"));
  }
}

TEST_CASE("bad bodies get a clear error and record nothing") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto before = service.log().head();
  const std::string bad[] = {
      "{",
      "[]",
      "null",
      "{}",
      R"({"customer":null,"payment":5,"originDomain":1})",
      R"({"originDomain":"a.example","originDomain":"b.example"})",
      "{\"customer\":\"\xff\"}",
      R"({"customer":{"name":"\ud800"}})",
      R"({"payment":{"amountCents":1e3}})",
      R"({"payment":{"amountCents":99999999999999999999}})",
  };
  for (const auto& body : bad) {
    const auto answer = service.send("POST", "/api/v1/transactions", project.test_key, body);
    CAPTURE(body, answer.body);
    CHECK(answer.status == 400);
    CHECK(answer.at("/code") == "ERR_VALIDATION_001");
    CHECK(answer.at("/requestId").substr(0, 4) == "req_");
    CHECK(answer.has("/details/0/field"));
  }
  CHECK(service.log().head() == before);
}

TEST_CASE("a number out of range is refused with the rule") {
  tests::TestService service;
  const auto project = service.create_project();
  for (const char* number : {"18446744073709551616", "1e400", "-9223372036854775809", "01"}) {
    const auto answer = service.send("POST", "/api/v1/transactions", project.test_key,
                                     std::string(R"({"customerIp":)") + number + "}");
    INFO(number);
    CHECK(answer.status == 400);
    CHECK(answer.at("/details/0/field") == "body");
    CHECK(answer.at("/details/0/reason") ==
          "has a number that is not valid JSON or too large: integers must fit in 64 bits, others be below "
          "1.8e308");
  }
}

TEST_CASE("the store's rules refuse a creation with their own codes") {
  tests::TestService service;
  domain::StoreSettings settings{*domain::Label::parse("Loja"), std::nullopt, *domain::Label::parse("LOJA"),
                                 *domain::Label::parse("RECIFE")};
  settings.max_transaction_amount = domain::Cents(1000);
  settings.verify_documents = true;
  const auto project = service.create_project(settings);
  const auto code = [&](const std::string& key, std::int64_t amount, const std::string& document) {
    return service.send("POST", "/api/v1/transactions", key, creation_body(amount, document)).at("/code");
  };
  CHECK(code(project.test_key, 1001, "52998224725") == "ERR_TRANSACTION_004");
  CHECK(code(project.live_key, 1000, "52998224725") == "ERR_STORE_001");
  CHECK(code(project.test_key, 1000, "12345678901") == "ERR_VALIDATION_001");
}

TEST_CASE("a blocked customer cannot create a charge, and the attempt is recorded") {
  tests::TestService service;
  const auto project = service.create_project();
  created_id(service, project.test_key);
  const auto token =
      domain::DocumentToken::parse(service.keyring().name_of_document(project.id.text(), "52998224725"));
  const auto stream = domain::customer_stream(project.id, domain::Environment::kSandbox, *token);
  const auto customer = eventstore::fold_as<domain::Customer>(service.log(), stream).value().id;
  service.execute(domain::BlockCustomer{
      {project.id, false}, stream, customer, domain::BlockType::kManual, std::nullopt, std::nullopt});
  const auto before = service.log().head().position;
  const auto answer = service.send("POST", "/api/v1/transactions", project.test_key, creation_body());
  CHECK(answer.status == 403);
  CHECK(answer.at("/code") == "ERR_CUSTOMER_002");
  CHECK(service.log().head().position == before.next());
}

TEST_CASE("a repeated request with the same idempotency key gets the first answer byte for byte") {
  tests::TestService service;
  const auto project = service.create_project();
  const std::map<std::string, std::string> key = {{"Idempotency-Key", "order-1"}};
  const auto first = service.send("POST", "/api/v1/transactions", project.test_key, creation_body(), key);
  REQUIRE(first.status == 201);
  const auto before = service.log().head();

  service.restart();
  const auto again = service.send("POST", "/api/v1/transactions/", project.test_key, creation_body(), key);
  CHECK(again.status == 201);
  CHECK(again.body == first.body);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(service.log().head() == before);

  // A field that is null counts as missing.
  const auto with_null = R"({"externalId":null,)" + creation_body().substr(1);
  const auto nulled = service.send("POST", "/api/v1/transactions", project.test_key, with_null, key);
  CHECK(nulled.body == first.body);
  CHECK(service.log().head() == before);

  const auto other = service.send("POST", "/api/v1/transactions", project.test_key, creation_body(5), key);
  CHECK(other.status == 422);
  CHECK(other.at("/code") == "ERR_IDEMPOTENCY_003");
  const auto live = service.send("POST", "/api/v1/transactions", project.live_key, creation_body(5), key);
  CHECK(live.status == 201);
  const auto malformed = service.send("POST", "/api/v1/transactions", project.live_key, creation_body(5),
                                      {{"Idempotency-Key", std::string(256, 'k')}});
  CHECK(malformed.at("/code") == "ERR_IDEMPOTENCY_001");
}

TEST_CASE("answers survive a restart") {
  tests::TestService service;
  const auto project = service.create_project();
  const auto id = created_id(service, project.test_key);
  service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key);
  const auto before = service.send("GET", "/api/transactions/" + id, project.test_key);
  service.restart();
  CHECK(service.send("GET", "/api/transactions/" + id, project.test_key).body == before.body);
}
