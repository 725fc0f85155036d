#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/workers/banks/bank_fixture.h"
#include "workers/banks/bank_agent.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::ChargeStatus;
using domain::RefundStatus;

namespace {

const ReceiverAnswer kLost{.status = 200, .headers = {}, .body = "", .never = false, .broken_off = true};

std::string refund_of(const domain::Charge& charge, const std::string& status, const std::string& amount) {
  return R"({"id":")" + charge.refund_list.front().id.text() +
         R"(","rtrId":"D12345678202603011200abcde123456","valor":")" + amount +
         R"(","horario":{"liquidacao":")" + to_iso8601(charge.refund_list.front().requested_at) +
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

TEST_CASE("a refund of two payments asks the bank for a return of each") {
  BankFixture fixture;
  const auto id = fixture.create_paid();
  fixture.submitter.submit(domain::ReportPayment{fixture.ledger.project(), id, sample_end_to_end_id(2),
                                                 domain::Cents(4'000), std::nullopt});
  fixture.ledger.execute(
      domain::AcceptUnappliedPayment{fixture.ledger.project(), id, sample_end_to_end_id(2), true});
  fixture.ledger.execute(domain::RefundCharge{.caller = {fixture.ledger.project(), false},
                                              .charge = id,
                                              .amount = domain::Cents(12'000),
                                              .reason = std::nullopt});
  fixture.follow();
  const auto works = fixture.database.due(fixture.ledger.clock.now().plus_millis(kDayMs), 10);
  REQUIRE(works.size() == 2);
  for (const auto& work : works) {
    const auto list = fixture.charge(id).refund_list;
    const auto wanted = std::find_if(list.begin(), list.end(),
                                     [&](const auto& refund) { return refund.id.text() == work.id.refund; });
    REQUIRE(wanted != list.end());
    const auto amount = domain::to_decimal(wanted->amount);
    fixture.bank.will_answer("PUT /pix", 201,
                             R"({"id":")" + work.id.refund + R"(","rtrId":"D12345678202603011200abcde12345)" +
                                 amount.substr(0, 1) + R"(","valor":")" + amount +
                                 R"(","status":"DEVOLVIDO"})");
    CHECK_FALSE(fixture.agent.carry_out(work));
    CHECK(fixture.bank.last().path == "/v2/pix/" + sample_end_to_end_id(amount == "100.00" ? 1 : 2).text() +
                                          "/devolucao/" + work.id.refund);
  }
  CHECK(fixture.charge(id).refunded == domain::Cents(12'000));
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
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

TEST_CASE("a refund that is refused has failed, at once where none was sent before") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  fixture.bank.will_answer("PUT /pix", 400, "{}");
  CHECK_FALSE(fixture.make_old_agent().carry_out(fixture.work()));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kFailed);
}

TEST_CASE("a refund that is refused stays pending while one sent before may still be under way") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  fixture.bank.will_answer("PUT /pix", 400, "{}");
  // A worker before this one may have sent one just then.
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
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

TEST_CASE(
    "a refund's amount stays taken until nothing that was sent may come any more, also over a restart") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  const auto status = [&] { return fixture.charge(id).refund_list.front().status; };
  const auto first = fixture.make_old_agent();
  fixture.agents_clock.advance_millis(kDayMs);
  for (int i = 0; i < 2; ++i) fixture.bank.will_answer("PUT /pix", kLost);
  CHECK(first.carry_out(fixture.work()));
  // Long after the refund was requested, and after this worker began: the first worker's request counts.
  const auto second = fixture.make_old_agent();
  fixture.agents_clock.advance_millis(kDayMs);
  fixture.bank.will_answer("PUT /pix", 400, "{}");
  // It is read once more when the request must have arrived or never will, and is not sent again.
  const auto again = second.carry_out(fixture.work(1));
  REQUIRE(again);
  CHECK(*again <= std::chrono::minutes(1));
  CHECK(*again > std::chrono::seconds(30));
  CHECK(status() == RefundStatus::kPending);
  fixture.agents_clock.advance_millis(again->count());
  const auto asked_before = fixture.bank.asked();
  CHECK_FALSE(second.carry_out(fixture.work(2)));
  CHECK(fixture.bank.asked() == asked_before + ", GET /pix");
  CHECK(status() == RefundStatus::kFailed);
}

TEST_CASE("a refund that was refused and could not be read is read later, and counts where it is there") {
  BankFixture fixture;
  const auto id = refunded(fixture);
  const auto agent = fixture.make_old_agent();
  fixture.bank.will_answer("GET /pix", 404);
  fixture.bank.will_answer("PUT /pix", 422, "{}");
  fixture.bank.will_answer("GET /pix", 500);
  CHECK(agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kPending);
  SECTION("the bank has no refund: its amount is free") {
    CHECK_FALSE(agent.carry_out(fixture.work(1)));
    CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kFailed);
  }
  SECTION("the bank has the refund") {
    fixture.bank.will_answer("GET /pix", 200, refund_of(fixture.charge(id), "DEVOLVIDO", "100.00"));
    CHECK_FALSE(agent.carry_out(fixture.work(1)));
    CHECK(fixture.charge(id).refund_list.front().status == RefundStatus::kDone);
  }
  CHECK(fixture.bank.asked() == "GET /pix, PUT /pix, GET /pix, GET /pix");
}

TEST_CASE("a return that the bank denies stays pending, with an alarm, and is tried again in an hour") {
  BankFixture fixture;
  const auto payment = sample_end_to_end_id(9);
  const auto& project = fixture.ledger.project();
  const auto now = fixture.ledger.clock.now();
  const auto is_tried_again = [&] {
    fixture.bank.will_answer("PUT /pix", 403, "{}");
    const auto work = fixture.work(100);
    const bool is_later = fixture.agent.carry_out(work) == std::chrono::hours(1);
    const bool is_counted =
        !fixture.meters.report_discrepancy(fixture.connection, "denied_return", work.id.refund);
    return is_later && is_counted && fixture.is_alarmed();
  };
  SECTION("of a charge that was paid by another") {
    const auto id = fixture.create_paid();
    fixture.submitter.submit(
        domain::ReportPayment{project, id, payment, domain::Cents(10'000), std::nullopt});
    fixture.ledger.execute(domain::ReturnUnappliedPayment{id, payment, std::nullopt, true});
    CHECK(is_tried_again());
    REQUIRE(fixture.charge(id).unapplied.size() == 1);
    CHECK(fixture.charge(id).unapplied.front().return_id);
  }
  SECTION("of no charge") {
    fixture.submitter.submit(domain::RecordUnmatchedPayment{.project = project,
                                                            .connection = fixture.connection,
                                                            .end_to_end_id = payment,
                                                            .amount = domain::Cents(100),
                                                            .paid_at = now,
                                                            .txid = std::nullopt,
                                                            .reason = domain::UnmatchedReason::kNoTxid});
    fixture.ledger.execute(domain::ClosePayment{project, payment, true, std::nullopt});
    CHECK(is_tried_again());
    const auto there =
        eventstore::fold_as<domain::UnmatchedPayment>(fixture.ledger.log, domain::payment_stream(payment));
    REQUIRE(there);
    CHECK(there->state == domain::UnmatchedState::kReturning);
  }
}

TEST_CASE("a refund goes to the bank that knows the payment, also that of another connection") {
  BankFixture fixture;
  const auto access = fixture.bank.access();
  auto second = sample_bank_connection("segundo");
  second.id = sample_bank_id(2);
  second.project = fixture.ledger.project();
  second.api_pix.pix_key = access.pix_key;
  second.configuration.psp = "generic";
  second.configuration.base_url = access.base_url;
  second.configuration.token_url = access.token_url;
  second.configuration.certificate.reset();
  second.configuration.secrets = eventstore::seal(second.id,
                                                  {.client_secret = access.client_secret,
                                                   .certificate_pem = access.certificate_pem,
                                                   .private_key_pem = access.private_key_pem},
                                                  fixture.ledger.keyring, fixture.ledger.entropy);
  fixture.ledger.execute(second);
  const auto id = refunded(fixture);
  fixture.bank.will_answer("GET /pix", 404);
  fixture.bank.will_answer("PUT /pix", 404);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.bank.will_answer("GET /pix", 404);
  fixture.bank.will_answer("PUT /pix", 201, refund_of(fixture.charge(id), "DEVOLVIDO", "100.00"));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.charge(id).status == ChargeStatus::kRefunded);
  CHECK(fixture.bank.asked() == "GET /pix, PUT /pix, GET /pix t2, GET /pix t2, PUT /pix t2");
  CHECK_FALSE(fixture.is_alarmed());
}

namespace {

// Unmatched money with a requested return, at a bank that shows its returns.
struct GoingBack : BankFixture {
  GoingBack() {
    const auto& project = ledger.project();
    submitter.submit(domain::RecordUnmatchedPayment{.project = project,
                                                    .connection = connection,
                                                    .end_to_end_id = e2e,
                                                    .amount = domain::Cents(1'000),
                                                    .paid_at = now,
                                                    .txid = std::nullopt,
                                                    .reason = domain::UnmatchedReason::kNoTxid});
    ledger.execute(domain::ClosePayment{project, e2e, true, std::nullopt});
  }
  domain::UnmatchedPayment state() const {
    return *eventstore::fold_as<domain::UnmatchedPayment>(ledger.log, domain::payment_stream(e2e));
  }
  std::string refund(const std::string& id, const std::string& amount, const std::string& status) const {
    return R"({"id":")" + id + R"(","rtrId":"D12345678202603011200abcde12345)" + id.substr(0, 1) +
           R"(","valor":")" + amount + R"(","horario":{"solicitacao":")" + to_iso8601(now) +
           R"(","liquidacao":")" + to_iso8601(now) + R"("},"status":")" + status + R"("})";
  }
  std::string payment(const std::string& refunds) const {
    return R"({"endToEndId":")" + e2e.text() + R"(","valor":"10.00","chave":"loja@example.com","horario":")" +
           to_iso8601(now) + R"(","devolucoes":[)" + refunds + "]}";
  }

  const domain::EndToEndId e2e = sample_end_to_end_id(9);
  const Timestamp now = ledger.clock.now();
};

}  // namespace

TEST_CASE("only the rest of unapplied money is returned if the bank itself has returned parts") {
  GoingBack fixture;
  const auto own = fixture.state().return_id->text();
  const auto parts = fixture.refund("MED1", "4.00", "DEVOLVIDO") + "," +
                     fixture.refund("x2", "1.00", "EM_PROCESSAMENTO") + "," +
                     fixture.refund("x3", "2.00", "NAO_REALIZADO");
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(parts));
  fixture.bank.will_answer("PUT /pix", 201, fixture.refund(own, "5.00", "EM_PROCESSAMENTO"));
  // An answer about another amount than requested is not used.
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK_FALSE(fixture.is_alarmed());
  // The request does not change, whatever other returns happen meanwhile.
  const auto own_done = fixture.refund(own, "5.00", "DEVOLVIDO");
  fixture.bank.will_answer(
      "GET /pix", 200,
      fixture.payment(parts + "," + fixture.refund("z4", "0.50", "DEVOLVIDO") + "," + own_done));
  fixture.bank.will_answer("GET /pix", 200, own_done);
  CHECK_FALSE(fixture.agent.carry_out(fixture.work(1)));
  CHECK(fixture.state().state == domain::UnmatchedState::kReturned);
  CHECK_FALSE(fixture.is_alarmed());
}

TEST_CASE("of money that lies aside nothing is asked for that others have sent back, or are about to") {
  GoingBack fixture;
  const auto most = fixture.refund("MED1", "6.00", "DEVOLVIDO") + ",";
  fixture.bank.will_answer("GET /pix", 200,
                           fixture.payment(most + fixture.refund("MED2", "4.00", "EM_PROCESSAMENTO")));
  CHECK(fixture.agent.carry_out(fixture.work()));
  CHECK(fixture.state().state == domain::UnmatchedState::kReturning);
  fixture.bank.will_answer("GET /pix", 200,
                           fixture.payment(most + fixture.refund("MED2", "4.00", "DEVOLVIDO")));
  CHECK_FALSE(fixture.agent.carry_out(fixture.work(1)));
  CHECK(fixture.state().state == domain::UnmatchedState::kOpen);
  CHECK(fixture.bank.asked() == "GET /pix, GET /pix");
  CHECK_FALSE(fixture.is_alarmed());
}
