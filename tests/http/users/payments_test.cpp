#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

constexpr std::int64_t kCents = 1990;  // of every charge here

struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn oto = sign_in(service, project.id, Role::kOperator, "oto");
  std::string charge = create_charge(service, project.live_key);

  HttpAnswer confirm(const std::string& id, const std::string& body,
                     std::map<std::string, std::string> headers = {}) const {
    return send_as(service, oto, "POST", "/api/v1/transactions/" + id + "/confirm", body, std::move(headers));
  }
  HttpAnswer settle(unsigned payment, const std::string& how, const std::string& body = "",
                    std::map<std::string, std::string> headers = {}) const {
    return send_as(service, oto, "POST",
                   "/api/v1/payments/" + sample_end_to_end_id(payment).text() + "/" + how, body,
                   std::move(headers));
  }
  HttpAnswer detail(const std::string& id) const {
    return send_as(service, oto, "GET", "/api/v1/transactions/" + id);
  }
  std::string after_ms(std::int64_t millis) { return to_iso8601(service.clock().now().plus_millis(millis)); }
  std::string last_actor() {
    const auto head = service.log().head().position;
    return eventstore::decode(service.log().read_after(Position(head.value() - 1), 1).front()).actor;
  }
};

// A report of the payment of that number, as on a statement.
std::string report(unsigned payment, std::int64_t cents = kCents, const std::string& more = "") {
  return R"({"endToEndId":")" + sample_end_to_end_id(payment).text() + R"(","amountCents":)" +
         std::to_string(cents) + more + "}";
}
std::string paid_at(const std::string& time) { return R"(,"paidAt":")" + time + "\""; }

}  // namespace

TEST_CASE("a payment reported from a statement pays its transaction, and its reporter is recorded") {
  Shop shop;
  shop.service.clock().advance_millis(60'000);
  const auto time = shop.after_ms(-30'000);
  const auto paid = shop.confirm(shop.charge, report(1, kCents, paid_at(time)));
  INFO(paid.body);
  REQUIRE(paid.status == 200);
  CHECK(paid.at("/data/id") == shop.charge);
  CHECK(paid.at("/data/status") == "paid");
  CHECK(paid.at("/data/transactionCode") == sample_end_to_end_id(1).text());
  CHECK(paid.at("/data/paidAt") == time);
  CHECK(paid.at("/data/customer/document") == "52998224725");
  CHECK_FALSE(paid.has("/data/flag"));
  CHECK(shop.last_actor() == "user-" + shop.oto.user.text());
  const auto before = shop.service.log().head();
  CHECK(shop.confirm(shop.charge, report(1)).body == paid.body);
  CHECK(shop.service.log().head() == before);
}

TEST_CASE("unapplied money is recorded with the reason, and is then accepted") {
  Shop shop;
  const auto flagged = shop.confirm(shop.charge, report(1, kCents - 90));
  CHECK(flagged.status == 200);
  CHECK(flagged.at("/data/flag") == "AMOUNT_MISMATCH");
  CHECK(flagged.at("/data/status") == "waiting_payment");
  CHECK(flagged.at("/data/unappliedPayments/0/amountCents") == std::to_string(kCents - 90));
  const auto accepted = shop.settle(1, "accept");
  INFO(accepted.body);
  CHECK(accepted.status == 200);
  CHECK(accepted.at("/data/id") == shop.charge);
  CHECK(accepted.at("/data/status") == "paid");
  CHECK(accepted.at("/data/paidAmountCents") == std::to_string(kCents - 90));
  CHECK(accepted.at("/data/unappliedPayments") == "[]");
  CHECK_FALSE(accepted.has("/data/flag"));
  CHECK(shop.last_actor() == "user-" + shop.oto.user.text());
  CHECK(outcome_of(shop.settle(1, "accept")) == "404 ERR_PAYMENT_001");
}

TEST_CASE("a second payment cannot be accepted, and is returned") {
  Shop shop;
  CHECK(shop.confirm(shop.charge, report(1)).at("/data/status") == "paid");
  CHECK(shop.confirm(shop.charge, report(2)).at("/data/flag") == "DUPLICATE_PAYMENT");
  CHECK(outcome_of(shop.settle(2, "accept")) == "400 ERR_TRANSACTION_002");
  const auto impossible = shop.settle(2, "return", R"({"sendBack":true})");
  CHECK(outcome_of(impossible) == "400 ERR_VALIDATION_001");
  CHECK(impossible.at("/details/0/field") == "sendBack");
  const auto returned = shop.settle(2, "return", R"({"reason":"pago em dobro"})");
  CHECK(returned.status == 200);
  CHECK(returned.at("/data/status") == "paid");
  CHECK(returned.at("/data/unappliedPayments") == "[]");
  CHECK(outcome_of(shop.settle(2, "return")) == "404 ERR_PAYMENT_001");
}

TEST_CASE("a return of money from a bank is requested from that bank, once") {
  Shop shop;
  auto bank = sample_bank_connection();
  bank.project = shop.project.id;
  shop.service.execute(bank);
  shop.service.execute(domain::SetDefaultConnection{shop.project.id, bank.id});
  const auto charge = create_charge(shop.service, shop.project.live_key);
  CHECK(shop.confirm(charge, report(1, kCents + 1)).at("/data/flag") == "AMOUNT_MISMATCH");
  const auto asked = shop.settle(1, "return", R"({"reason":"valor errado"})");
  INFO(asked.body);
  CHECK(asked.status == 200);
  CHECK(asked.at("/data/unappliedPayments/0/returnedAt") == "null");
  CHECK(asked.at("/data/unappliedPayments/0/isReturning") == "true");
  CHECK(outcome_of(shop.settle(1, "return")) == "400 ERR_TRANSACTION_002");
  CHECK(outcome_of(shop.settle(1, "accept")) == "400 ERR_TRANSACTION_002");
}

TEST_CASE("a return made outside the bank is only recorded, if the caller says so") {
  Shop shop;
  auto bank = sample_bank_connection();
  bank.project = shop.project.id;
  shop.service.execute(bank);
  shop.service.execute(domain::SetDefaultConnection{shop.project.id, bank.id});
  const auto charge = create_charge(shop.service, shop.project.live_key);
  shop.confirm(charge, report(1, kCents + 1));
  CHECK(shop.settle(1, "return", R"({"sendBack":false})").at("/data/unappliedPayments") == "[]");
}

TEST_CASE("a repeat under an Idempotency-Key gets the first answer, flag included") {
  Shop shop;
  const std::map<std::string, std::string> once = {{"Idempotency-Key", "once"}};
  const auto flagged = shop.confirm(shop.charge, report(1, 1), once);
  shop.service.clock().advance_millis(1'000);
  const auto again = shop.confirm(shop.charge, report(1, 1), once);
  CHECK(again.body == flagged.body);
  CHECK(again.headers.at("Idempotent-Replayed") == "true");
  CHECK(outcome_of(shop.confirm(shop.charge, report(1, 2), once)) == "422 ERR_IDEMPOTENCY_003");
  const auto accepted = shop.settle(1, "accept", "", once);
  CHECK(shop.settle(1, "accept", "", once).body == accepted.body);
}

TEST_CASE("an invalid report is refused with the reason") {
  Shop shop;
  CHECK(shop.confirm(shop.charge, report(1)).status == 200);
  const auto other = create_charge(shop.service, shop.project.live_key);
  const auto early = shop.after_ms(-5 * kMinuteMs - 1), late = shop.after_ms(5 * kMinuteMs + 1);
  const std::pair<std::string, std::string> cases[] = {
      {R"({"endToEndId":"E1","amountCents":1})", "endToEndId"},
      {R"({"endToEndId":"X12345678202603011200abcdefghij3","amountCents":1})", "endToEndId"},
      {R"({"amountCents":1})", "endToEndId"},
      {report(3, 0), "amountCents"},
      {report(3, kCents, paid_at("2026-03-01")), "paidAt"},
      {report(3, kCents, paid_at(early)), "paidAt"},
      {report(3, kCents, paid_at(late)), "paidAt"},
      {report(3, kCents, R"(,"payer":"Ana")"), "payer"},
      {report(1), "endToEndId"},  // the first transaction's
  };
  for (const auto& [body, field] : cases) {
    INFO(body);
    const auto refused = shop.confirm(other, body);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == field);
  }
  // The same payment, with another amount.
  CHECK(shop.confirm(shop.charge, report(1, 1)).at("/details/0/field") == "endToEndId");
  CHECK(shop.detail(other).at("/data/status") == "waiting_payment");
  CHECK(outcome_of(send_as(shop.service, shop.oto, "POST", "/api/v1/payments/E1/accept")) ==
        "400 ERR_VALIDATION_001");
  CHECK(shop.settle(1, "return", R"({"sendBack":"yes"})").at("/details/0/field") == "sendBack");
}

TEST_CASE("another project's transactions and payments are not found") {
  Shop shop;
  const auto other = shop.service.create_project();
  const auto rui = sign_in(shop.service, other.id, Role::kOwner, "rui");
  CHECK(shop.confirm(shop.charge, report(1, 1)).at("/data/flag") == "AMOUNT_MISMATCH");
  const auto path = "/api/v1/payments/" + sample_end_to_end_id(1).text();
  for (const std::string how : {"/accept", "/return"})
    CHECK(outcome_of(send_as(shop.service, rui, "POST", path + how)) == "404 ERR_PAYMENT_001");
  const auto confirm = "/api/v1/transactions/" + shop.charge + "/confirm";
  CHECK(outcome_of(send_as(shop.service, rui, "POST", confirm, report(2))) == "403 ERR_TRANSACTION_003");
  CHECK(outcome_of(shop.confirm("cnobody0000000001", report(2))) == "404 ERR_TRANSACTION_001");
  CHECK(outcome_of(shop.settle(9, "accept")) == "404 ERR_PAYMENT_001");
}

TEST_CASE("a user who acts in the sandbox cannot report or settle live money") {
  Shop shop;
  const std::map<std::string, std::string> sandbox = {{"Pixledger-Environment", "sandbox"}};
  CHECK(outcome_of(shop.confirm(shop.charge, report(1), sandbox)) == "403 ERR_AUTH_010");
  shop.confirm(shop.charge, report(1, 1));
  CHECK(outcome_of(shop.settle(1, "accept", "", sandbox)) == "403 ERR_AUTH_010");
  CHECK(outcome_of(shop.settle(1, "return", "", sandbox)) == "403 ERR_AUTH_010");
  const auto tried = create_charge(shop.service, shop.project.test_key);
  CHECK(shop.confirm(tried, report(2), sandbox).at("/data/status") == "paid");
}
