#include <atomic>
#include <catch2/catch.hpp>
#include <thread>

#include "http/services/payer_pages.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/checkout_calls.h"

namespace pixledger::tests {
namespace {

struct Fixture {
  TestService service{with_pages()};
  TestService::Project project = service.create_project();

  HttpAnswer create(const std::string& body = checkout_body(),
                    const std::map<std::string, std::string>& headers = {}) {
    return service.send("POST", kCheckoutPath, project.test_key, body, headers);
  }
  HttpAnswer get(const std::string& id) const {
    return service.send("GET", kCheckoutPath + "/" + id, project.test_key);
  }
  HttpAnswer payer(const std::string& method, const HttpAnswer& session, const std::string& operation = "",
                   const std::string& body = "") const {
    return ask_as_payer(service, method, session, operation, body);
  }
};

// A valid CPF for each number.
std::string valid_cpf(unsigned number) {
  const auto first = std::to_string(529'982'000 + number);
  for (unsigned digits = 100; digits < 200; ++digits) {
    auto text = first + std::to_string(digits).substr(1);
    if (domain::has_valid_check_digits(domain::Document::parse(text).value())) return text;
  }
  throw std::logic_error("each nine digits have check digits");
}

}  // namespace

TEST_CASE("a session is created with its link, open, and shown again") {
  Fixture fixture;
  const auto created = fixture.create();
  INFO(created.body);
  REQUIRE(created.status == 201);
  const auto id = created.at("/data/id");
  CHECK(created.headers.at("Location") == kCheckoutPath + "/" + id);
  CHECK(created.at("/data/url").starts_with("https://pay.example.com/pay/" + id + "."));
  CHECK(created.at("/data/status") == "open");
  CHECK(created.at("/data/environment") == "sandbox");
  CHECK(created.at("/data/transactionId") == "null");
  CHECK(created.at("/data/webhookApiVersion") == "v2");
  CHECK(created.at("/data/externalId") == id);
  CHECK_FALSE(created.has("/data/webhookSecret"));
  CHECK(fixture.get(id).body == created.body);
  CHECK(outcome_of(fixture.service.send("PATCH", kCheckoutPath + "/" + id, fixture.project.test_key, "{}")) ==
        "405 ERR_HTTP_405");
}

TEST_CASE("a session with a customer has its transaction from the start") {
  Fixture fixture;
  const auto created = fixture.create(checkout_body(R"("externalId":"order-7","customer":)" + kPayer));
  REQUIRE(created.status == 201);
  const auto charge = created.at("/data/transactionId");
  CHECK(status_of(fixture.service, fixture.project.test_key, charge) == "waiting_payment");
  const auto detail = fixture.service.send("GET", "/api/v1/transactions/" + charge, fixture.project.test_key);
  CHECK(detail.at("/data/externalId") == "order-7");
}

TEST_CASE("a repeat of a creation is answered byte for byte, with the same secret") {
  Fixture fixture;
  const auto body = checkout_body(R"("webhookUrl":"http://127.0.0.1:9/hooks","webhookApiVersion":"v1")");
  const auto answer = check_repeats(fixture.service, "POST", kCheckoutPath, fixture.project.test_key, body,
                                    [&] { fixture.service.clock().advance_millis(60'000); });
  CHECK(answer.at("/data/webhookSecret").starts_with("whsec_"));
  CHECK(answer.at("/data/webhookApiVersion") == "v1");
  // Its channel is in no list, and cannot be changed.
  const std::string channels = "/api/v1/notification-channels";
  const auto& key = fixture.project.test_key;
  CHECK(fixture.service.send("GET", channels, key).at("/meta/total") == "0");
  const auto own = channels + "/" + answer.at("/data/id");
  CHECK(outcome_of(fixture.service.send("GET", own, key)) == "404 ERR_CHANNEL_001");
  CHECK(outcome_of(fixture.service.send("DELETE", own, key)) == "404 ERR_CHANNEL_001");
  const auto deliveries =
      fixture.service.send("GET", kCheckoutPath + "/" + answer.at("/data/id") + "/deliveries", key);
  CHECK(deliveries.at("/meta/total") == "0");
}

TEST_CASE("every violation of a session's body is listed") {
  Fixture fixture;
  const auto refused = fixture.service.send(
      "POST", kCheckoutPath, fixture.project.live_key,
      R"({"payment":{"amountCents":0},"originDomain":"x y","successUrl":"http://loja.example.com/",)"
      R"("cancelUrl":"https://u:p@loja.example.com/","expiresInMinutes":4,"locale":"fr","webhookUrl":"ftp://x/",)"
      R"("webhookApiVersion":"v3","customer":{"name":"Ana"},"amount":1})");
  REQUIRE(outcome_of(refused) == "400 ERR_VALIDATION_001");
  for (const std::string field :
       {"payment.amountCents", "payment.product", "originDomain", "successUrl", "cancelUrl",
        "expiresInMinutes", "locale", "webhookUrl", "webhookApiVersion", "customer.document",
        "customer.email", "customer.phone", "amount"}) {
    INFO(field);
    CHECK(refused.body.find("\"field\":\"" + field + "\"") != std::string::npos);
  }
  // The sandbox accepts pages without TLS.
  CHECK(fixture.create(checkout_body(R"("successUrl":"http://localhost:3000/ok")")).status == 201);
}

TEST_CASE("a refused webhook target of a session is listed with the store's other refusals") {
  Fixture fixture;
  fixture.service.verify_documents(fixture.project.id);
  auto payer = kPayer;
  payer.replace(payer.find("52998224725"), 11, "52998224700");
  const auto refused =
      fixture.create(checkout_body(R"("webhookUrl":"http://10.0.0.1/hooks","customer":)" + payer));
  REQUIRE(outcome_of(refused) == "400 ERR_VALIDATION_001");
  for (const std::string field : {"webhookUrl", "customer.document"})
    CHECK(refused.body.find("\"field\":\"" + field + "\"") != std::string::npos);
}

TEST_CASE("a server without pages creates no session and says why") {
  auto options = with_pages();
  options.checkout.pay_url.clear();
  TestService service(options);
  const auto project = service.create_project();
  const auto refused = service.send("POST", kCheckoutPath, project.test_key, checkout_body());
  CHECK(outcome_of(refused) == "503 ERR_HTTP_503");
  CHECK(refused.at("/message").find("--pay-url") != std::string::npos);
}

TEST_CASE("another project's session does not exist, and a live one is refused to a test key") {
  Fixture fixture;
  const auto id = fixture.create().at("/data/id");
  const auto other = fixture.service.create_project();
  for (const std::string rest : {"", "/deliveries"})
    CHECK(outcome_of(fixture.service.send("GET", kCheckoutPath + "/" + id + rest, other.live_key)) ==
          "404 ERR_CHECKOUT_001");
  CHECK(outcome_of(fixture.service.send("POST", kCheckoutPath + "/" + id + "/cancel", other.live_key)) ==
        "404 ERR_CHECKOUT_001");
  const auto live =
      fixture.service.send("POST", kCheckoutPath, fixture.project.live_key, checkout_body()).at("/data/id");
  CHECK(outcome_of(fixture.get(live)) == "403 ERR_AUTH_010");
}

TEST_CASE("a cancelled session cancels its transaction, once") {
  Fixture fixture;
  const auto created = fixture.create(checkout_body(R"("customer":)" + kPayer));
  const auto path = kCheckoutPath + "/" + created.at("/data/id") + "/cancel";
  const auto cancelled = fixture.service.send("POST", path, fixture.project.test_key);
  CHECK(cancelled.at("/data/status") == "cancelled");
  CHECK(status_of(fixture.service, fixture.project.test_key, created.at("/data/transactionId")) ==
        "cancelled");
  CHECK(outcome_of(fixture.service.send("POST", path, fixture.project.test_key)) == "400 ERR_CHECKOUT_002");
  CHECK(fixture.payer("GET", created).at("/data/state") == "cancelled");
}

TEST_CASE("sessions are listed newest first, by status, external id and environment") {
  Fixture fixture;
  const auto first = fixture.create(checkout_body(R"("externalId":"a")")).at("/data/id");
  fixture.service.clock().advance_millis(1'000);
  const auto second = fixture.create(checkout_body(R"("externalId":"b","customer":)" + kPayer));
  fixture.service.send("POST", kCheckoutPath, fixture.project.live_key, checkout_body());
  fixture.service.send("POST", "/api/sandbox/transactions/" + second.at("/data/transactionId") + "/pay",
                       fixture.project.test_key);
  const auto list = [&](const std::string& query, const std::string& key) {
    return fixture.service.send("GET", kCheckoutPath + query, key);
  };
  const auto& test = fixture.project.test_key;
  const auto all = list("", test);
  CHECK(all.at("/meta/total") == "2");
  CHECK(all.at("/data/0/id") == second.at("/data/id"));
  CHECK(all.at("/data/0/status") == "complete");
  CHECK(all.at("/data/0/paidTransactionId") == second.at("/data/transactionId"));
  CHECK(all.at("/data/1/paidTransactionId") == "null");
  CHECK(all.at("/data/1/id") == first);
  CHECK(list("", fixture.project.live_key).at("/meta/total") == "3");
  CHECK(list("?environment=live", fixture.project.live_key).at("/meta/total") == "1");
  CHECK(list("?environment=live", test).at("/meta/total") == "0");
  CHECK(list("?status=open", test).at("/data/0/id") == first);
  CHECK(list("?externalId=b", test).at("/data/0/id") == second.at("/data/id"));
  CHECK(list("?externalId=%C2%A0b%20", test).at("/data/0/id") == second.at("/data/id"));
  CHECK(list("?page=2&limit=1", test).at("/data/0/id") == first);
  CHECK(list("?dateTo=2020-01-01", test).at("/meta/total") == "0");
  CHECK(outcome_of(list("?status=paid", test)) == "400 ERR_VALIDATION_001");
}

TEST_CASE("each store signs the payers' return URLs with a key of its own") {
  Fixture fixture;
  const auto key_of = [&](const std::string& key) {
    return fixture.service.send("GET", "/api/v1/store", key).at("/data/returnPublicKey");
  };
  const auto own = key_of(fixture.project.test_key);
  CHECK(own.size() == 44);
  CHECK(key_of(fixture.project.live_key) == own);
  CHECK(key_of(fixture.service.create_project().test_key) != own);
}

TEST_CASE("a payer is named once, which changes no known customer's data") {
  Fixture fixture;
  const auto& key = fixture.project.test_key;
  const auto named = fixture.create(checkout_body(R"("customer":)" + kPayer));
  const auto charge = named.at("/data/transactionId");
  const auto customer =
      fixture.service.send("GET", "/api/v1/transactions/" + charge, key).at("/data/customer/id");
  const auto details = [&] { return fixture.service.send("GET", "/api/v1/customers/" + customer, key).body; };
  const std::string other =
      R"({"name":"Bia Reis","document":"11144477735","email":"bia@example.com","phone":"11912345678"})";
  const std::string stranger =
      R"({"name":"Bia Reis","document":"52998224725","email":"bia@example.com","phone":"11912345678"})";

  REQUIRE(fixture.service.send("POST", "/api/sandbox/transactions/" + charge + "/expire", key).status == 200);
  CHECK(outcome_of(fixture.payer("POST", named, "/customer", other)) == "400 ERR_CHECKOUT_002");
  CHECK(outcome_of(fixture.payer("POST", named, "/customer", stranger)) == "400 ERR_CHECKOUT_002");
  CHECK(fixture.payer("POST", named, "/charges").at("/data/customer/name") == "A** L***");

  const auto before = details();
  REQUIRE(before.find("ana@example.com") != std::string::npos);
  const auto view = fixture.payer("POST", fixture.create(), "/customer", stranger);
  CHECK(view.at("/data/state") == "waiting");
  CHECK(fixture.service.send("GET", "/api/v1/transactions/" + view.at("/data/charge/id"), key)
            .at("/data/customer/email") == "ana@example.com");
  CHECK(details().find("bia@example.com") == std::string::npos);
}

TEST_CASE("a payer's document needs its check digits, whatever the store verifies") {
  Fixture fixture;
  const auto session = fixture.create();
  for (const std::string document : {"52998224726", "11111111111", "00000000000000"}) {
    const auto refused = fixture.payer("POST", session, "/customer",
                                       R"({"name":"Ana Lima","document":")" + document +
                                           R"(","email":"ana@example.com","phone":"11987654321"})");
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == "document");
  }
}

TEST_CASE("however many documents a payer tries, a session's refusals are few in the ledger") {
  Fixture fixture;
  REQUIRE(fixture.service
              .send("POST", "/api/v1/blocklist", fixture.project.test_key,
                    R"({"type":"email","value":"ana@example.com","reason":"chargeback"})")
              .status == 201);
  const auto session = fixture.create();
  const auto before = fixture.service.log().head().position.value();
  for (unsigned i = 0; i < 30; ++i) {
    const auto document = valid_cpf(i);
    const auto refused = fixture.payer("POST", session, "/customer",
                                       R"({"name":"Ana Lima","document":")" + document +
                                           R"(","email":"ana@example.com","phone":"11987654321"})");
    CHECK(outcome_of(refused) == "403 ERR_FRAUD_001");
  }
  CHECK(fixture.service.log().head().position.value() - before == http::PayerRefusals::kMax);
  CHECK(
      fixture
          .payer(
              "POST", fixture.create(), "/customer",
              R"({"name":"Bia Reis","document":"11144477735","email":"b@example.com","phone":"11912345678"})")
          .status == 200);
}

TEST_CASE("a page is never older than its version") {
  Fixture fixture;
  const auto session = fixture.create(checkout_body(R"("customer":)" + kPayer));
  REQUIRE(fixture.payer("POST", session, "/simulate-payment").at("/data/state") == "paid");
  const auto refunds = "/api/v1/transactions/" + session.at("/data/transactionId") + "/refund";
  const auto paid = std::stoi(fixture.payer("GET", session).at("/data/version"));
  constexpr int kRefunds = 50;
  std::atomic<int> refused = 0;
  std::thread store([&] {
    for (int i = 0; i < kRefunds; ++i)
      if (fixture.service.send("POST", refunds, fixture.project.test_key, R"({"amountCents":1})").status !=
          200)
        ++refused;
  });
  int later = 0, shown = 0;
  while (shown < kRefunds && refused == 0) {
    const auto view = fixture.payer("GET", session);
    shown = std::stoi(view.at("/data/charge/refundedAmountCents"));
    later += std::stoi(view.at("/data/version")) - paid > shown;
  }
  store.join();
  CHECK(refused == 0);
  CHECK(later == 0);
}

TEST_CASE("a payer fills in the form, pays in the sandbox, and is redirected with a signature") {
  Fixture fixture;
  const auto session = fixture.create(
      checkout_body(R"("externalId":"order-8","successUrl":"https://loja.example.com/ok?p=7")"));
  const auto form = fixture.payer("GET", session);
  INFO(form.body);
  REQUIRE(form.status == 200);
  CHECK(form.at("/data/payment/externalId") == "order-8");
  CHECK(form.at("/data/state") == "form");
  CHECK(form.at("/data/charge") == "null");
  CHECK(form.at("/data/environment") == "test");
  CHECK(form.at("/data/chargesLeft") == "5");
  const auto waiting = fixture.payer("POST", session, "/customer", kPayer);
  REQUIRE(waiting.at("/data/state") == "waiting");
  CHECK(waiting.at("/data/customer/name") == "A** L***");
  CHECK(waiting.at("/data/customer/document") == "***.982.247-**");
  CHECK(waiting.at("/data/charge/pixCode").starts_with("000201"));
  CHECK(waiting.at("/data/returnUrl") == "null");
  CHECK(waiting.body.find("ana@example.com") == std::string::npos);
  CHECK(waiting.body.find("11987654321") == std::string::npos);
  CHECK(std::stoi(waiting.at("/data/version")) > std::stoi(form.at("/data/version")));
  // While it waits there is no other charge.
  CHECK(fixture.payer("POST", session, "/charges").body == waiting.body);
  const auto paid = fixture.payer("POST", session, "/simulate-payment");
  REQUIRE(paid.at("/data/state") == "paid");
  CHECK(paid.at("/data/charge/pixCode") == "null");
  CHECK(paid.at("/data/returnUrl")
            .starts_with("https://loja.example.com/ok?p=7&session=" + session.at("/data/id") +
                         "&transaction=" + waiting.at("/data/charge/id") + "&status=paid&t="));
  CHECK(fixture.get(session.at("/data/id")).at("/data/status") == "complete");
  CHECK(outcome_of(fixture.payer("POST", session, "/customer", kPayer)) == "400 ERR_CHECKOUT_002");
}

TEST_CASE("an expired code is renewed for the same payer, up to five in all") {
  Fixture fixture;
  const auto session = fixture.create();
  auto page = fixture.payer("POST", session, "/customer", kPayer);
  for (int charge = 2; charge <= 5; ++charge) {
    fixture.service.clock().advance_millis(31 * kMinuteMs);
    page = fixture.payer("GET", session);
    REQUIRE(page.at("/data/state") == "expired");
    CHECK(page.at("/data/canRenew") == "true");
    page = fixture.payer("POST", session, "/charges", R"({"customerIp":"203.0.113.9"})");
    REQUIRE(page.at("/data/state") == "waiting");
  }
  fixture.service.clock().advance_millis(31 * kMinuteMs);
  page = fixture.payer("GET", session);
  CHECK(page.at("/data/canRenew") == "false");
  CHECK(page.at("/data/chargesLeft") == "0");
  CHECK(outcome_of(fixture.payer("POST", session, "/charges")) == "400 ERR_CHECKOUT_002");
}

TEST_CASE("a blocked payer is refused, and their address is shown with the fraud event") {
  Fixture fixture;
  const auto session = fixture.create(checkout_body(R"("customer":)" + kPayer));
  const auto& key = fixture.project.test_key;
  const auto customer = customer_of(fixture.service, key, session.at("/data/transactionId"));
  fixture.service.send("POST", "/api/v1/customers/" + customer + "/block", key,
                       R"({"blockType":"fraud","reason":"abuse"})");
  const auto another = fixture.create();
  auto body = kPayer;
  body.insert(1, R"("customerIp":"203.0.113.9",)");
  CHECK(outcome_of(fixture.payer("POST", another, "/customer", body)) == "403 ERR_CUSTOMER_002");
  const auto detail = fixture.service.send("GET", "/api/v1/customers/" + customer, key);
  CHECK(detail.at("/data/fraudEvents/0/customerIp") == "203.0.113.9");
}

TEST_CASE("the payer's form takes bare documents and phones, and lists what is wrong") {
  Fixture fixture;
  const auto refused = fixture.payer("POST", fixture.create(), "/customer",
                                     R"({"name":"Ana","document":"529.982.247-25","email":"x","phone":"1"})");
  REQUIRE(outcome_of(refused) == "400 ERR_VALIDATION_001");
  for (const std::string field : {"document", "email", "phone"})
    CHECK(refused.body.find("\"field\":\"" + field + "\"") != std::string::npos);
}

TEST_CASE("only the web key may call for payers, and only with a whole token") {
  Fixture fixture;
  const auto session = fixture.create();
  const auto token = token_of(session);
  const auto ask = [&](const std::string& with, const std::string& key) {
    return outcome_of(fixture.service.send("GET", kPayersPath + with, key));
  };
  CHECK(ask(token, kWebKey) == "200");
  CHECK(ask(token, fixture.project.live_key) == "403 ERR_AUTH_010");
  CHECK(ask(token, "wk_of_another") == "401 ERR_AUTH_009");
  CHECK(ask(session.at("/data/id"), kWebKey) == "404 ERR_CHECKOUT_001");
  CHECK(ask(token.substr(0, token.size() - 1), kWebKey) == "404 ERR_CHECKOUT_001");
  CHECK(ask(token + "A", kWebKey) == "404 ERR_CHECKOUT_001");
  CHECK(outcome_of(fixture.service.send("GET", kCheckoutPath, kWebKey)) == "401 ERR_AUTH_009");
}

TEST_CASE("a payer's proof verifies without their data, if the store offers it") {
  Fixture fixture;
  const auto session = fixture.create(checkout_body(R"("customer":)" + kPayer));
  fixture.payer("POST", session, "/simulate-payment");
  CHECK(outcome_of(fixture.payer("GET", session, "/proof")) == "404 ERR_CHECKOUT_001");
  domain::StoreSettingsChange change;
  change.payer_proofs = true;
  fixture.service.execute(domain::ChangeStoreSettings{fixture.project.id, change});
  const auto proof = fixture.payer("GET", session, "/proof");
  REQUIRE(proof.status == 200);
  CHECK(proof.at("/data/transactionId") == session.at("/data/transactionId"));
  CHECK(proof.at("/data/events/0/personal") == "null");
}

}  // namespace pixledger::tests
