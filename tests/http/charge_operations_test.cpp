#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"

namespace pixledger::tests {
namespace {

constexpr std::int64_t kAmount = 1990;  // of creation_body()

struct Fixture {
  HttpAnswer post(const std::string& id, const std::string& operation, const std::string& body = "") const {
    return service.send("POST", "/api/v1/transactions/" + id + "/" + operation, project.test_key, body);
  }
  std::string new_charge() const { return create_charge(service, project.test_key); }
  std::string paid_charge() const {
    const auto id = new_charge();
    CHECK(service.send("POST", "/api/sandbox/transactions/" + id + "/pay", project.test_key).status == 200);
    return id;
  }
  HttpAnswer detail(const std::string& id) const {
    return service.send("GET", "/api/v1/transactions/" + id, project.test_key);
  }
  // Other details for the customer of every charge.
  void rename_customer() const {
    CHECK(service.send("POST", "/api/customers", project.test_key, customer_body("Outro Nome")).status ==
          200);
  }

  TestService service;
  TestService::Project project = service.create_project();
};

}  // namespace

TEST_CASE("cancelling answers the full detail, as the status check does") {
  Fixture fixture;
  const auto id = fixture.new_charge();
  const auto answer = fixture.post(id, "cancel");
  CHECK(answer.status == 200);
  CHECK(answer.at("/data/status") == "cancelled");
  CHECK(answer.body == fixture.detail(id).body);
}

TEST_CASE("a live charge is cancelled with a live key, and not with a test key") {
  Fixture fixture;
  const auto id = create_charge(fixture.service, fixture.project.live_key);
  CHECK(outcome_of(fixture.post(id, "cancel")) == "403 ERR_AUTH_010");
  const auto path = "/api/v1/transactions/" + id + "/cancel";
  CHECK(fixture.service.send("POST", path, fixture.project.live_key).at("/data/status") == "cancelled");
}

TEST_CASE("a repeated cancellation shows the charge as it was then") {
  Fixture fixture;
  const auto id = fixture.new_charge();
  const auto path = "/api/v1/transactions/" + id + "/cancel";
  const auto first = check_repeats(fixture.service, "POST", path, fixture.project.test_key, "", [&] {
    fixture.rename_customer();
    fixture.service.execute(domain::ReportPayment{fixture.project.id, parsed<domain::ChargeId>(id),
                                                  sample_end_to_end_id(), domain::Cents(kAmount),
                                                  std::nullopt});
    fixture.service.execute(domain::AcceptUnappliedPayment{fixture.project.id, parsed<domain::ChargeId>(id),
                                                           sample_end_to_end_id()});
  });
  CHECK(first.at("/data/customer/name") == "Maria Silva");
  CHECK(fixture.detail(id).at("/data/status") == "paid");
  CHECK(fixture.detail(id).at("/data/customer/name") == "Outro Nome");
}

TEST_CASE("a refused cancellation is repeated with the first request's id") {
  Fixture fixture;
  const auto id = fixture.paid_charge();
  const auto first = check_repeats(fixture.service, "POST", "/api/v1/transactions/" + id + "/cancel",
                                   fixture.project.test_key, "", [] {});
  CHECK(outcome_of(first) == "400 ERR_TRANSACTION_002");
}

TEST_CASE("a cancellation that found no charge is tried again") {
  Fixture fixture;
  const std::map<std::string, std::string> header = {{"Idempotency-Key", "k"}};
  const std::string path = "/api/v1/transactions/cmissing00000000000000000/cancel";
  for (int i = 0; i < 2; ++i) {
    const auto answer = fixture.service.send("POST", path, fixture.project.test_key, "", header);
    CHECK(outcome_of(answer) == "404 ERR_TRANSACTION_001");
    CHECK(answer.headers.count("Idempotent-Replayed") == 0);
  }
}

TEST_CASE("a refund without a body refunds everything") {
  Fixture fixture;
  for (const std::string body : {"", "{}", R"({"amountCents":null,"reason":null})"}) {
    const auto id = fixture.paid_charge();
    const auto answer = fixture.post(id, "refund", body);
    REQUIRE(answer.status == 200);
    CHECK(answer.at("/data/status") == "refunded");
    CHECK(answer.at("/data/refundedAmountCents") == std::to_string(kAmount));
    CHECK(answer.at("/data/refundedAt") == to_iso8601(fixture.service.clock().now()));
    CHECK(answer.body == fixture.detail(id).body);
  }
}

TEST_CASE("partial refunds keep the charge paid until all is refunded") {
  Fixture fixture;
  const auto id = fixture.paid_charge();
  const auto part = fixture.post(id, "refund", R"({"amountCents":1000,"reason":"asked for"})");
  REQUIRE(part.status == 200);
  CHECK(part.at("/data/status") == "paid");
  CHECK(part.at("/data/refundedAt") == "null");
  CHECK(part.at("/data/refundedAmountCents") == "1000");
  CHECK(outcome_of(fixture.post(id, "refund", R"({"amountCents":991})")) == "400 ERR_TRANSACTION_005");
  const auto rest = fixture.post(id, "refund");
  CHECK(rest.at("/data/status") == "refunded");
  CHECK(rest.at("/data/refundedAmountCents") == std::to_string(kAmount));
  CHECK(outcome_of(fixture.post(id, "refund")) == "400 ERR_TRANSACTION_002");
}

TEST_CASE("a refund without a bank is only recorded, and says so") {
  Fixture fixture;
  const auto id = fixture.paid_charge();
  CHECK(fixture.detail(id).at("/data/refundsMoveMoney") == "false");
  const auto part = fixture.post(id, "refund", R"({"amountCents":1000})");
  CHECK(part.at("/data/refunds/0/moved") == "false");
  CHECK(part.at("/data/refunds/0/status") == "recorded");
  const auto listed = fixture.service.send("GET", "/api/v1/transactions", fixture.project.test_key);
  CHECK(listed.at("/data/0/status") == "paid");
  CHECK(listed.at("/data/0/paidAmountCents") == std::to_string(kAmount));
  CHECK(listed.at("/data/0/refundedAmountCents") == "1000");
  CHECK(listed.at("/data/0/unappliedAmountCents") == "0");
}

TEST_CASE("a refund is possible for ninety days") {
  Fixture fixture;
  const auto id = fixture.paid_charge();
  fixture.service.clock().advance_millis(90 * kDayMs);
  CHECK(fixture.post(id, "refund", R"({"amountCents":1})").status == 200);
  fixture.service.clock().advance_millis(1);
  CHECK(outcome_of(fixture.post(id, "refund")) == "400 ERR_TRANSACTION_005");
}

TEST_CASE("every violation of a refund is listed, with that of the path") {
  Fixture fixture;
  const auto answer = fixture.post("bad-id", "refund", R"({"amountCents":0,"reason":""})");
  CHECK(outcome_of(answer) == "400 ERR_VALIDATION_001");
  for (const std::string field : {"id", "amountCents", "reason"})
    CHECK(answer.body.find("\"field\":\"" + field + "\"") != std::string::npos);
  const auto id = fixture.paid_charge();
  for (const std::string body : {"[]", "{", R"({"amountCents":1.0})", R"({"amountCents":"1"})"})
    CHECK(outcome_of(fixture.post(id, "refund", body)) == "400 ERR_VALIDATION_001");
  CHECK(fixture.detail(id).at("/data/refundedAmountCents") == "0");
}

TEST_CASE("a repeated refund refunds once and shows the charge as it was then") {
  Fixture fixture;
  const auto id = fixture.paid_charge();
  const auto path = "/api/v1/transactions/" + id + "/refund";
  const auto first =
      check_repeats(fixture.service, "POST", path, fixture.project.test_key, R"({"amountCents":500})", [&] {
        fixture.rename_customer();
        CHECK(fixture.post(id, "refund").status == 200);
      });
  CHECK(first.at("/data/status") == "paid");
  CHECK(fixture.detail(id).at("/data/refundedAmountCents") == std::to_string(kAmount));
  const auto other = fixture.service.send("POST", path, fixture.project.test_key, R"({"amountCents":501})",
                                          {{"Idempotency-Key", "once " + path}});
  CHECK(outcome_of(other) == "422 ERR_IDEMPOTENCY_003");
}

TEST_CASE("no body and an empty object are the same refund to an idempotency key") {
  Fixture fixture;
  const auto id = fixture.paid_charge();
  const auto send = [&](const std::string& body) {
    return fixture.service.send("POST", "/api/v1/transactions/" + id + "/refund", fixture.project.test_key,
                                body, {{"Idempotency-Key", "k"}});
  };
  const auto first = send("");
  CHECK(send("{}").body == first.body);
}

TEST_CASE("unapplied money is shown by the status check until it is settled") {
  Fixture fixture;
  auto& service = fixture.service;
  const auto id = fixture.new_charge();
  const auto charge = parsed<domain::ChargeId>(id);
  const auto report = [&](unsigned payment, std::int64_t cents) {
    domain::ReportPayment command{fixture.project.id, charge, sample_end_to_end_id(payment),
                                  domain::Cents(cents), service.clock().now().plus_millis(-1)};
    service.execute(command);
  };
  report(1, kAmount + 1);
  CHECK(fixture.post(id, "cancel").at("/data/unappliedPayments/0/flag") == "AMOUNT_MISMATCH");
  report(2, kAmount);
  const auto shown = fixture.detail(id);
  CHECK(shown.at("/data/status") == "cancelled");
  CHECK(shown.at("/data/unappliedPayments/1/endToEndId") == sample_end_to_end_id(2).text());
  CHECK(shown.at("/data/unappliedPayments/1/amountCents") == std::to_string(kAmount));
  CHECK(shown.at("/data/unappliedPayments/1/flag") == "PAID_AFTER_CLOSE");
  CHECK(shown.at("/data/unappliedPayments/1/paidAt") == to_iso8601(service.clock().now().plus_millis(-1)));
  CHECK(shown.at("/data/unappliedPayments/1/receivedAt") == to_iso8601(service.clock().now()));

  service.execute(domain::AcceptUnappliedPayment{fixture.project.id, charge, sample_end_to_end_id(2)});
  report(3, kAmount);
  const auto paid = fixture.detail(id);
  CHECK(paid.at("/data/status") == "paid");
  CHECK(paid.at("/data/transactionCode") == sample_end_to_end_id(2).text());
  CHECK(paid.at("/data/unappliedPayments/0/flag") == "AMOUNT_MISMATCH");
  CHECK(paid.at("/data/unappliedPayments/1/flag") == "DUPLICATE_PAYMENT");

  service.execute(domain::ReturnUnappliedPayment{charge, sample_end_to_end_id(1), std::nullopt});
  service.execute(domain::ReturnUnappliedPayment{charge, sample_end_to_end_id(3), std::nullopt});
  CHECK(fixture.detail(id).at("/data/unappliedPayments") == "[]");
}

TEST_CASE("an added payment counts in the charge's amounts, and is found by its own end-to-end id") {
  Fixture fixture;
  const auto id = fixture.new_charge();
  const auto charge = parsed<domain::ChargeId>(id);
  const auto project = fixture.project.id;
  const auto second = sample_end_to_end_id(2);
  const auto arrive = [&](const domain::EndToEndId& payment, std::int64_t cents) {
    fixture.service.execute(
        domain::ReportPayment{project, charge, payment, domain::Cents(cents), std::nullopt});
  };
  arrive(sample_end_to_end_id(1), kAmount - 500);
  arrive(second, 500);
  fixture.service.execute(domain::AcceptUnappliedPayment{project, charge, sample_end_to_end_id(1)});
  CHECK_FALSE(fixture.detail(id).has("/data/addedPayments"));
  fixture.service.execute(domain::AcceptUnappliedPayment{project, charge, second, true});
  const auto shown = fixture.detail(id);
  CHECK(shown.at("/data/paidAmountCents") == std::to_string(kAmount));
  CHECK(shown.at("/data/unappliedAmountCents") == "0");
  CHECK(shown.at("/data/transactionCode") == sample_end_to_end_id(1).text());
  CHECK(shown.at("/data/addedPayments/0/endToEndId") == second.text());
  CHECK(shown.at("/data/addedPayments/0/amountCents") == "500");
  const auto found = fixture.service.send("GET", "/api/v1/transactions?transactionCode=" + second.text(),
                                          fixture.project.test_key);
  CHECK(found.at("/data/0/id") == id);
  CHECK(found.at("/data/0/paidAmountCents") == std::to_string(kAmount));
  const auto feed =
      fixture.service.send("GET", "/api/v1/events?types=payment.added", fixture.project.test_key);
  CHECK(feed.at("/data/0/data/amountCents") == "500");
  CHECK(feed.at("/data/0/data/paidAmountCents") == std::to_string(kAmount));
}

TEST_CASE("money that comes after the expiry is unapplied, also if the expiry is not recorded yet") {
  Fixture fixture;
  const auto id = fixture.new_charge();
  fixture.service.clock().advance_millis(kDayMs);
  fixture.service.execute(domain::ReportPayment{fixture.project.id, parsed<domain::ChargeId>(id),
                                                sample_end_to_end_id(), domain::Cents(kAmount),
                                                std::nullopt});
  const auto shown = fixture.detail(id);
  CHECK(shown.at("/data/status") == "expired");
  CHECK(shown.at("/data/unappliedPayments/0/flag") == "PAID_AFTER_EXPIRY");
}

}  // namespace pixledger::tests
