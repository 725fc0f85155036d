#include "workers/providers/bank_agent.h"

#include <catch2/catch.hpp>

#include "tests/workers/providers/bank_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::ChargeStatus;
using domain::CodeKind;
using domain::RefundStatus;

namespace {

const ReceiverAnswer kLost{.status = 200, .headers = {}, .body = "", .never = false, .broken_off = true};

std::string refund_of(const domain::Charge& charge, const std::string& status, const std::string& amount) {
  return R"({"id":")" + charge.refund_list.front().id.text() +
         R"(","rtrId":"D12345678202603011200abcde123456","valor":")" + amount +
         R"(","horario":{"liquidacao":")" + domain::to_iso8601(charge.refund_list.front().requested_at) +
         R"("},"status":")" + status + R"("})";
}

domain::ChargeId refunded(BankFixture& fixture) {
  const auto id = fixture.create_paid();
  fixture.ledger.execute(domain::RefundCharge{.caller = {fixture.ledger.project(), false},
                                              .charge = id,
                                              .amount = std::nullopt,
                                              .reason = std::nullopt});
  return id;
}

}  // namespace

TEST_CASE("a charge gets the bank's code, and its work is done") {
  BankFixture fixture;
  const auto id = fixture.create();
  fixture.bank.will_answer("PUT /cob", 201, fixture.cob(id));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).code_kind == CodeKind::kDynamic);
  CHECK(fixture.bank.asked() == "PUT /cob");
}

TEST_CASE("an answer about another amount or key is not used") {
  for (const bool of_amount : {true, false}) {
    BankFixture fixture;
    const auto id = fixture.create();
    fixture.bank.will_answer("PUT /cob", 201,
                             of_amount ? fixture.cob(id, "ATIVA", "99.00")
                                       : fixture.cob(id, "ATIVA", "100.00", "other@example.com"));
    CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
    CHECK(fixture.charge(id).code_kind == CodeKind::kStatic);
    CHECK_FALSE(fixture.charge(id).code_awaited_until);
  }
}

TEST_CASE("a charge whose making got no answer is read before it is made again") {
  BankFixture fixture;
  const auto id = fixture.create();
  fixture.bank.will_answer("PUT /cob", kLost);
  fixture.bank.will_answer("GET /cob", 200, fixture.cob(id));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.bank.asked() == "PUT /cob, GET /cob");
  CHECK(fixture.charge(id).code_kind == CodeKind::kDynamic);
}

TEST_CASE("whoever tries again to make a charge reads first, and finds what a killed process had made") {
  BankFixture fixture;
  const auto id = fixture.create();
  fixture.bank.will_answer("GET /cob", 200, fixture.cob(id));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work(1)));
  CHECK(fixture.bank.asked() == "GET /cob");
  CHECK(fixture.charge(id).code_kind == CodeKind::kDynamic);
}

TEST_CASE("a duplicate is read, and a refusal ends the wait for the code") {
  BankFixture duplicate;
  const auto id = duplicate.create();
  duplicate.bank.will_answer("PUT /cob", 409, "{}");
  duplicate.bank.will_answer("GET /cob", 200, duplicate.cob(id));
  CHECK_FALSE(duplicate.agent.carry_out(duplicate.work()));
  CHECK(duplicate.charge(id).code_kind == CodeKind::kDynamic);

  for (const int status : {400, 403}) {
    BankFixture refused;
    const auto other = refused.create();
    refused.bank.will_answer("PUT /cob", status, "{}");
    CHECK_FALSE(refused.agent.carry_out(refused.work()));
    CHECK(refused.charge(other).code_kind == CodeKind::kStatic);
    CHECK(refused.bank.asked() == "PUT /cob");
  }
}

TEST_CASE("a token that the bank does not take is replaced once") {
  BankFixture fixture;
  const auto id = fixture.create();
  fixture.bank.will_answer("PUT /cob", 401, "{}");
  fixture.bank.will_answer("PUT /cob", 201, fixture.cob(id));
  fixture.agent.carry_out(fixture.work());
  // The second token comes no sooner than ten seconds after the first: until then the work waits.
  CHECK(fixture.bank.asked() == "PUT /cob");
  CHECK(fixture.charge(id).code_awaited_until);
}

TEST_CASE("a bank that asks for less is asked again, and the charge waits") {
  BankFixture fixture;
  const auto id = fixture.create();
  fixture.bank.will_answer("PUT /cob", 429, "{}");
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).code_awaited_until);
}

TEST_CASE("a cancellation is confirmed once the bank has removed its charge, or knows none") {
  for (const bool known : {true, false}) {
    BankFixture fixture;
    const auto id = fixture.create_with_code();
    fixture.ledger.execute(domain::CancelCharge{.caller = {fixture.ledger.project(), false}, .charge = id});
    if (known)
      fixture.bank.will_answer("PATCH /cob", 200, fixture.cob(id, "REMOVIDA_PELO_USUARIO_RECEBEDOR"));
    CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
    CHECK(fixture.charge(id).status == ChargeStatus::kCancelled);
  }
}

TEST_CASE("a cancellation of what was paid meanwhile brings the payment in, and ends") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.ledger.execute(domain::CancelCharge{.caller = {fixture.ledger.project(), false}, .charge = id});
  fixture.bank.will_answer("PATCH /cob", 400, R"({"type":"CobOperacaoInvalida"})");
  fixture.bank.will_answer("GET /cob", 200,
                           fixture.cob(id, "CONCLUIDA", "100.00", "loja@example.com", fixture.payment(id)));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK_FALSE(fixture.charge(id).cancel_requested_at);
}

TEST_CASE("a cancellation that the bank does not answer stays, and is tried again") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.ledger.execute(domain::CancelCharge{.caller = {fixture.ledger.project(), false}, .charge = id});
  fixture.bank.will_answer("PATCH /cob", kLost);
  fixture.bank.will_answer("GET /cob", 200, fixture.cob(id));
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
  CHECK(fixture.charge(id).cancel_requested_at);
}

TEST_CASE("a refund is read first, sent when the bank knows none, and done when the money is back") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  fixture.bank.will_answer("PUT /pix", 201, refund_of(fixture.charge(id), "EM_PROCESSAMENTO", "100.00"));
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.bank.asked() == "GET /pix, PUT /pix");
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
  fixture.bank.will_answer("GET /pix", 200, refund_of(fixture.charge(id), "DEVOLVIDO", "100.00"));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work(1)));
  CHECK(fixture.charge(id).status == ChargeStatus::kRefunded);
  CHECK(fixture.bank.asked() == "GET /pix, PUT /pix, GET /pix");
}

TEST_CASE("a refund that the bank could not do frees its amount") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  fixture.bank.will_answer("GET /pix", 200, refund_of(fixture.charge(id), "NAO_REALIZADO", "100.00"));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kFailed);
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
}

TEST_CASE("a refund of another amount is not used, and one without access is tried again in an hour") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  fixture.bank.will_answer("GET /pix", 200, refund_of(fixture.charge(id), "DEVOLVIDO", "1.00"));
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
  fixture.bank.will_answer("GET /pix", 403, "{}");
  CHECK(fixture.agent.carry_out(fixture.work(1)) == std::chrono::hours(1));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
}

TEST_CASE("a refund that is refused stays pending while one sent before may still be under way") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  fixture.bank.will_answer("PUT /pix", 400, "{}");
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
  auto long_ago = fixture.work(1);
  long_ago.since = long_ago.since.plus_millis(-kDayMs);
  fixture.bank.will_answer("PUT /pix", 400, "{}");
  // Whoever was at it before may have sent one just now.
  CHECK(fixture.agent.carry_out(long_ago));
  fixture.bank.will_answer("PUT /pix", 400, "{}");
  CHECK_FALSE(fixture.make_old_agent().carry_out(long_ago));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kFailed);
}

TEST_CASE("a refund of a payment that the bank does not know frees nothing, since there is one") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  auto long_ago = fixture.work();
  long_ago.since = long_ago.since.plus_millis(-kDayMs);
  fixture.bank.will_answer("PUT /pix", 404, "<html>");
  CHECK(fixture.make_old_agent().carry_out(long_ago) == std::chrono::hours(1));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
}

TEST_CASE("the code of a charge that closed is removed, as well as can be") {
  BankFixture late;
  const auto other = late.create();
  late.ledger.execute(domain::EndCodeWait{other});
  CHECK(late.charge(other).code_kind == CodeKind::kStatic);
  // What was sent to make it may be under way still.
  CHECK(late.agent.carry_out(late.work()));
  late.bank.will_answer("PATCH /cob", 200, late.cob(other, "REMOVIDA_PELO_USUARIO_RECEBEDOR"));
  CHECK_FALSE(late.agent.carry_out(late.work(1)));
}
