#include "workers/banks/bank_agent.h"

#include <catch2/catch.hpp>

#include "domain/pix/payment_ids.h"
#include "tests/workers/banks/bank_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::ChargeStatus;
using domain::CodeKind;

namespace {

const ReceiverAnswer kLost{.status = 200, .headers = {}, .body = "", .never = false, .broken_off = true};

}  // namespace

TEST_CASE("a charge gets the bank's code, and its work is done") {
  BankFixture fixture;
  const auto id = fixture.create();
  fixture.bank.will_answer("PUT /cob", 201, fixture.cob(id));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).code_kind == CodeKind::kDynamic);
  CHECK(fixture.bank.asked() == "PUT /cob");
}

TEST_CASE("a bank is called in the trace of the event that made the work") {
  BankFixture fixture;
  const auto trace =
      parse_trace_context("00-12345678901234567890123456789012-6543210987654321-01", "a=1").value();
  const auto id = fixture.create();
  stores::TraceKeeper(fixture.traces_file, fixture.ledger.clock, fixture.ledger.logger)
      .keep({{fixture.ledger.log.head().position, fixture.work().since, &trace}});
  fixture.bank.will_answer("PUT /cob", 201, fixture.cob(id));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  const auto sent = fixture.bank.last();
  const auto& header = sent.header("traceparent");
  CHECK(header.starts_with("00-" + trace.trace_id + "-"));
  CHECK(header.ends_with("-01"));
  CHECK(header.find(trace.parent_id) == std::string::npos);
  CHECK(sent.header("tracestate") == "a=1");
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

TEST_CASE("a retry to make a charge reads first, and finds the charge of a killed process") {
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

TEST_CASE("a cancellation is confirmed once the bank has removed its charge, or shows that it did") {
  for (const bool at_once : {true, false}) {
    BankFixture fixture;
    const auto id = fixture.create_with_code();
    fixture.ledger.execute(domain::CancelCharge{.caller = {fixture.ledger.project(), false}, .charge = id});
    const auto removed = fixture.cob(id, "REMOVIDA_PELO_USUARIO_RECEBEDOR");
    if (at_once) fixture.bank.will_answer("PATCH /cob", 200, removed);
    if (!at_once) fixture.bank.will_answer("GET /cob", 200, removed);
    CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
    CHECK(fixture.charge(id).status == ChargeStatus::kCancelled);
    CHECK_FALSE(fixture.is_alarmed());
  }
}

TEST_CASE("a bank that knows nothing of a code that it has given out confirms no cancellation") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.ledger.execute(domain::CancelCharge{.caller = {fixture.ledger.project(), false}, .charge = id});
  // As with a wrong address, or for another account.
  fixture.bank.will_answer("PATCH /cob", 404, R"({"type":"x/CobNaoEncontrada"})");
  fixture.bank.will_answer("GET /cob", 404, R"({"type":"x/CobNaoEncontrada"})");
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
  CHECK(fixture.charge(id).cancel_requested_at);
  CHECK(fixture.is_alarmed());
  // Once the query goes to the right place.
  fixture.bank.will_answer("PATCH /cob", 200, fixture.cob(id, "REMOVIDA_PELO_USUARIO_RECEBEDOR"));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work(1)));
  CHECK(fixture.charge(id).status == ChargeStatus::kCancelled);
}

TEST_CASE("a bank that will not take a charge back is alarmed, and asked again") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.ledger.execute(domain::CancelCharge{.caller = {fixture.ledger.project(), false}, .charge = id});
  fixture.bank.will_answer("PATCH /cob", 403, "{}");
  fixture.bank.will_answer("GET /cob", 200, fixture.cob(id));
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).cancel_requested_at);
  CHECK(fixture.is_alarmed());
}

TEST_CASE("a cancellation of a charge paid meanwhile records the payment, and ends") {
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
  // However long the bank has been away, a merchant waits.
  for (int call = 0; call < 2; ++call) fixture.bank.will_answer(call == 0 ? "PATCH /cob" : "GET /cob", kLost);
  const auto again = fixture.agent.carry_out(fixture.work(100));
  REQUIRE(again);
  CHECK(*again <= std::chrono::seconds(10));
}

TEST_CASE("the code of a charge that closed is removed, as well as can be") {
  BankFixture late;
  const auto other = late.create();
  late.ledger.execute(domain::EndCodeWait{other});
  CHECK(late.charge(other).code_kind == CodeKind::kStatic);
  // The request to make it may still be in flight.
  CHECK(late.agent.carry_out(late.work()));
  late.bank.will_answer("PATCH /cob", 200, late.cob(other, "REMOVIDA_PELO_USUARIO_RECEBEDOR"));
  CHECK_FALSE(late.agent.carry_out(late.work(1)));
}

TEST_CASE("a code that was given out is removed, however often that is refused") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  // The merchant's accountant, not the bank.
  fixture.ledger.execute(domain::ReportPayment{fixture.ledger.project(), id, sample_end_to_end_id(),
                                               domain::Cents(10'000), std::nullopt});
  SECTION("the client is not let in") { fixture.bank.will_answer("PATCH /cob", 403, "{}"); }
  SECTION("the client gets no token") { fixture.bank.will_answer("token", 400, "{}"); }
  SECTION("the bank knows no such charge") { fixture.bank.will_answer("PATCH /cob", 404, "{}"); }
  SECTION("it was not looked at") {
    fixture.bank.will_answer("PATCH /cob", 400, "{}");
    fixture.bank.will_answer("GET /cob", 200, fixture.cob(id));
  }
  CHECK(fixture.agent.carry_out(fixture.work(100)) == std::chrono::hours(1));
  CHECK(fixture.is_alarmed());
}

TEST_CASE("a code is removed that the bank shows removed or paid") {
  for (const auto* status : {"REMOVIDA_PELO_PSP", "CONCLUIDA"}) {
    BankFixture fixture;
    const auto id = fixture.create_with_code();
    fixture.ledger.execute(domain::ReportPayment{fixture.ledger.project(), id, sample_end_to_end_id(),
                                                 domain::Cents(10'000), std::nullopt});
    fixture.bank.will_answer("PATCH /cob", 400, "{}");
    fixture.bank.will_answer("GET /cob", 200, fixture.cob(id, status));
    CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
    CHECK_FALSE(fixture.is_alarmed());
  }
}

TEST_CASE("work on an expired code ends, unless the client was denied access") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.ledger.execute(domain::ReportPayment{fixture.ledger.project(), id, sample_end_to_end_id(),
                                               domain::Cents(10'000), std::nullopt});
  const auto agent = fixture.make_old_agent();
  fixture.agents_clock.set_wall_clock(fixture.charge(id).expires_at.plus_millis(1));
  fixture.bank.will_answer("PATCH /cob", 403, "{}");
  CHECK(agent.carry_out(fixture.work()));
  for (const int status : {400, 404, 409}) {
    fixture.bank.will_answer("PATCH /cob", status, "{}");
    CHECK_FALSE(agent.carry_out(fixture.work()));
  }
}

TEST_CASE(
    "a late code is removed when its charge is paid by the static one, and the bank's own closes itself") {
  BankFixture fixture;
  const auto late = fixture.create();
  fixture.ledger.execute(domain::EndCodeWait{late});
  fixture.database.drop(fixture.work());
  fixture.submitter.submit(domain::ReportPayment{fixture.ledger.project(), late, sample_end_to_end_id(),
                                                 domain::Cents(10'000), std::nullopt});
  const auto work = fixture.work();
  CHECK(work.id.kind == stores::BankWorkKind::kRemoveCode);
  CHECK(work.id.about == domain::charge_stream(late));
  fixture.database.drop(work);
  fixture.create_paid(2);
  fixture.follow();
  CHECK(fixture.database.due(fixture.ledger.clock.now().plus_millis(kDayMs), 10).empty());
}

TEST_CASE("a charge that was paid by its static code leaves no code of the bank's to be paid again") {
  BankFixture fixture;
  const auto id = fixture.create_with_code();
  const bool by_static_code = GENERATE(true, false);
  const workers::BankPayment shown{
      .end_to_end_id = sample_end_to_end_id(),
      .amount = domain::Cents(10'000),
      .paid_at = fixture.ledger.clock.now(),
      .txid = by_static_code ? domain::Txid::parse(id.text()) : domain::cob_txid(id),
      .key = "loja@example.com",
      .refunds = {},
      .unusable_refunds = {}};
  const auto tell = [&] {
    return fixture.report.report(fixture.at_hand(), fixture.ledger.project(), shown) == workers::Told::kYes;
  };
  REQUIRE(tell());
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  if (by_static_code) {
    const auto work = fixture.work();
    CHECK(work.id.kind == stores::BankWorkKind::kRemoveCode);
    fixture.bank.will_answer("PATCH /cob", 200, fixture.cob(id, "REMOVIDA_PELO_USUARIO_RECEBEDOR"));
    CHECK_FALSE(fixture.agent.carry_out(work));
    fixture.database.drop(work);
  }
  // Polls show it again and again.
  REQUIRE(tell());
  fixture.follow();
  CHECK(fixture.database.due(fixture.ledger.clock.now().plus_millis(kDayMs), 10).empty());
}
