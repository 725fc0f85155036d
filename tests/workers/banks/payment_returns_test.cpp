// What goes back of a payment at its bank is counted here once, whatever it paid and in however many parts.
#include "workers/banks/payment_returns.h"

#include <catch2/catch.hpp>

#include "base/text/ascii.h"
#include "domain/aggregates/charge.h"
#include "domain/pix/payment_ids.h"
#include "tests/workers/banks/account_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using workers::BankPayment;
using workers::BankRefundNature;
using workers::BankRefundStatus;
using workers::Told;

namespace {

const auto kE2e = sample_end_to_end_id();

workers::BankRefund with_name(workers::BankRefund refund) {
  refund.rtr_id = "D1823612020260301120000000000001";
  return refund;
}
workers::BankRefund of_nature(workers::BankRefund refund, BankRefundNature nature) {
  refund.nature = nature;
  return refund;
}

domain::Charge paid_charge(Account& account, BankPayment& payment) {
  const auto id = account.create();
  payment = account.payment(id);
  REQUIRE(account.tell(payment));
  return account.charge(id);
}

// Paid by hand to a charge that no bank knows of, with money that a bank has shown.
domain::ChargeId assigned_outside(Account& account, BankPayment& payment) {
  payment = account.payment();
  REQUIRE(account.tell(payment));
  const auto id = account.create(account.ledger.project(), std::nullopt);
  account.ledger.execute(domain::AssignPayment{account.ledger.project(), kE2e, id});
  return id;
}

}  // namespace

TEST_CASE("an open payment that the bank has sent back as a whole is settled") {
  Account account;
  auto payment = account.payment();
  payment.refunds = {devolucao("MED1", 1'990)};
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
}

TEST_CASE("what the bank sends back of a payment that was closed is known, no matter who asked for it") {
  Account account;
  auto payment = account.payment();
  REQUIRE(account.tell(payment));
  account.ledger.execute(domain::ClosePayment{account.ledger.project(), kE2e, false, std::nullopt});
  payment.refunds = {devolucao("MED1", 1'990)};
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
  CHECK(account.unmatched()->return_id->text() == "MED1");
}

TEST_CASE("returns in parts settle an open payment once they come to the whole") {
  Account account;
  auto payment = account.payment();
  const auto first = account.ledger.clock.now().plus_millis(-2 * kMinuteMs);
  payment.refunds = {devolucao("MED1", 990)};
  payment.refunds[0].settled_at = first;
  REQUIRE(account.tell(payment));
  payment.refunds[0].id = "med1";
  REQUIRE(account.tell(payment));
  CHECK(domain::is_open(*account.unmatched()));
  CHECK(domain::gone_back(*account.unmatched()) == domain::Cents(990));
  payment.refunds.push_back(devolucao("MED2", 999));
  REQUIRE(account.tell(payment));
  CHECK(domain::is_open(*account.unmatched()));
  payment.refunds.push_back(devolucao("MED3", 1));
  payment.refunds.back().settled_at = first.plus_millis(kMinuteMs);
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
  CHECK(account.unmatched()->return_id->text() == "MED3");
}

TEST_CASE("returns in parts settle what a charge has unapplied once they come to the whole") {
  Account account;
  const auto id = account.create();
  auto payment = account.payment(id);
  payment.amount = domain::Cents(10);
  payment.refunds = {devolucao("MED1", 4)};
  REQUIRE(account.tell(payment));
  REQUIRE(account.charge(id).unapplied.size() == 1);
  payment.refunds.push_back(devolucao("MED2", 6));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).unapplied.empty());
  REQUIRE(account.charge(id).returned.size() == 1);
  CHECK(account.charge(id).returned.front().return_id->text() == "MED2");
}

TEST_CASE("what was asked for and refused leaves the parts that the bank sends back by itself") {
  Account account;
  auto payment = account.payment();
  REQUIRE(account.tell(payment));
  account.ledger.execute(domain::ClosePayment{account.ledger.project(), kE2e, true, std::nullopt});
  const auto asked = account.unmatched()->return_id->text();
  payment.refunds = {devolucao("MED1", 990), devolucao(asked, 1'990, BankRefundStatus::kProcessing),
                     devolucao("MED2", 1'000)};
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kReturning);
  payment.refunds[1].status = BankRefundStatus::kNotDone;
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
  CHECK(account.unmatched()->return_id->text() == "MED2");
}

TEST_CASE("a return that was asked for ends as the bank says") {
  Account account;
  auto payment = account.payment();
  REQUIRE(account.tell(payment));
  account.ledger.execute(domain::ClosePayment{account.ledger.project(), kE2e, true, std::nullopt});
  const auto id = account.unmatched()->return_id->text();
  SECTION("it is under way") {
    payment.refunds = {devolucao(id, 1'990, BankRefundStatus::kProcessing)};
    REQUIRE(account.tell(payment));
    CHECK(account.unmatched()->state == domain::UnmatchedState::kReturning);
  }
  SECTION("it is done") {
    payment.refunds = {devolucao(id, 1'990)};
    REQUIRE(account.tell(payment));
    CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
  }
  SECTION("it is done, and the bank writes ids in other letters") {
    auto written = id;
    for (char& letter : written) letter = to_ascii_upper(letter);
    payment.refunds = {devolucao(written, 1'990)};
    REQUIRE(account.tell(payment));
    CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
    CHECK(account.unmatched()->return_id->text() == id);
  }
  SECTION("it is not done") {
    payment.refunds = {devolucao(id, 1'990, BankRefundStatus::kNotDone)};
    REQUIRE(account.tell(payment));
    CHECK(domain::is_open(*account.unmatched()));
    CHECK(account.unmatched()->return_failure->text() == "the bank did not carry it out (NAO_REALIZADO)");
    CHECK(account.lines_with("a bank did not do what it was asked") == 1);
  }
}

TEST_CASE("what the bank sends back of a payment that was added is the charge's, under whatever id") {
  Account account;
  auto first = account.payment();
  const auto charge = paid_charge(account, first);
  auto second = first;
  second.end_to_end_id = sample_end_to_end_id(2);
  REQUIRE(account.tell(second));
  account.ledger.execute(
      domain::AcceptUnappliedPayment{account.ledger.project(), charge.id, second.end_to_end_id, true});
  for (auto* payment : {&first, &second}) payment->refunds = {devolucao("MED1", 500)};
  for (int repeat = 0; repeat < 2; ++repeat)
    for (const auto& payment : {first, second}) REQUIRE(account.tell(payment));
  const auto now = account.charge(charge.id);
  CHECK(now.refunded == domain::Cents(1'000));
  CHECK(now.refund_list.size() == 2);
  CHECK(domain::counted_payment(now, second.end_to_end_id)->gone_back == domain::Cents(500));
}

TEST_CASE("what goes back of a payment that was assigned is told to its charge") {
  Account account;
  auto payment = account.payment();
  REQUIRE(account.tell(payment));
  const auto id = account.create();
  account.ledger.execute(domain::AssignPayment{account.ledger.project(), kE2e, id});
  payment.refunds = {devolucao("MED1", 990)};
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(990));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kAssigned);
}

TEST_CASE("what the bank sends back of a payment that was assigned to a charge outside banks counts once") {
  Account account;
  auto payment = account.payment();
  const auto id = assigned_outside(account, payment);
  payment.refunds = {of_nature(devolucao("MED1", 990), BankRefundNature::kMedFraud)};
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(990));
  REQUIRE(account.charge(id).refund_list.size() == 1);
  CHECK(account.charge(id).refund_list.front().origin == domain::RefundOrigin::kBank);
}

TEST_CASE("a refund by hand of a charge outside banks is not counted again where the bank shows it") {
  Account account;
  auto payment = account.payment();
  const auto id = assigned_outside(account, payment);
  account.ledger.execute(
      domain::RefundCharge{{account.ledger.project(), false}, id, domain::Cents(900), std::nullopt});
  REQUIRE(account.charge(id).refunded == domain::Cents(900));
  payment.refunds = {devolucao("app1", 900)};
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(900));
  payment.refunds.push_back(of_nature(devolucao("MED1", 90), BankRefundNature::kMedFraud));
  payment.refunds.push_back(devolucao("app2", 100));
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(1'090));
}

TEST_CASE("unapplied money that went back through the bank is settled") {
  Account account;
  const auto id = account.create();
  auto payment = account.payment(id);
  payment.amount = domain::Cents(1);
  REQUIRE(account.tell(payment));
  REQUIRE(account.charge(id).unapplied.size() == 1);
  account.ledger.execute(domain::ReturnUnappliedPayment{id, kE2e, std::nullopt, true});
  const auto asked = account.charge(id).unapplied.at(0).return_id->text();
  payment.refunds = {devolucao(asked, 1)};
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).unapplied.empty());
  CHECK(account.charge(id).returned.at(0).returned_at.has_value());
}

TEST_CASE("a return that the payments system has not named counts by its id, and once when it has") {
  Account account;
  auto payment = account.payment();
  const auto id = paid_charge(account, payment).id;
  payment.refunds = {devolucao("MED1", 990)};
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(990));
  payment.refunds = {with_name(devolucao("MED1", 990))};
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(990));
  CHECK(account.charge(id).refund_list.size() == 1);
}

TEST_CASE("a return under the same id of another payment counts for that, named or not") {
  Account account;
  auto payment = account.payment();
  const auto one = paid_charge(account, payment).id;
  payment.refunds = {devolucao("D1", 100)};
  REQUIRE(account.tell(payment));
  auto second = account.payment(account.create());
  second.end_to_end_id = sample_end_to_end_id(2);
  second.refunds = {devolucao("D1", 200)};
  REQUIRE(account.tell(second));
  CHECK(account.charge(one).refunded == domain::Cents(100));
  CHECK(account.charge(*domain::charge_named_by(*second.txid)).refunded == domain::Cents(200));
}

TEST_CASE("a return that cannot be read is told to operators once, and the payment counts") {
  Account account;
  const auto id = account.create();
  auto payment = account.payment(id);
  payment.unusable_refunds = {"devolucoes[0].id is missing"};
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).status == domain::ChargeStatus::kPaid);
  CHECK(account.lines_with("a return at the bank cannot be read") == 1);
}

TEST_CASE("two returns under one id count as one, and are seen") {
  Account account;
  auto payment = account.payment();
  const auto id = paid_charge(account, payment).id;
  payment.refunds = {devolucao("MED1", 100, BankRefundStatus::kProcessing), with_name(devolucao("MED1", 100)),
                     devolucao("med1", 100)};
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(100));
  CHECK(account.charge(id).refund_list.size() == 1);
  CHECK(account.lines_with("a bank shows two returns under one id, which count as one") == 1);
}

TEST_CASE("a return that the ledger refuses is told again, and seen") {
  Account account;
  auto payment = account.payment();
  const auto id = paid_charge(account, payment).id;
  const auto told = [&] { return account.show(payment, account.ledger.project(), 1); };
  SECTION("it claims the future") {
    payment.refunds = {devolucao("MED1", 100)};
    payment.refunds[0].settled_at = account.ledger.clock.now().plus_millis(60 * kMinuteMs);
    CHECK(told() == Told::kLater);
    CHECK(account.charge(id).refunded == domain::Cents(0));
    payment.refunds[0].settled_at = account.ledger.clock.now();
    CHECK(told() == Told::kYes);
    CHECK(account.charge(id).refunded == domain::Cents(100));
  }
  SECTION("it is more than was paid") {
    payment.refunds = {devolucao("MED1", 1'991), devolucao("MED2", 1'000)};
    CHECK(told() == Told::kLater);
    CHECK(told() == Told::kLater);
    CHECK(account.charge(id).refunded == domain::Cents(1'000));
    CHECK(account.lines_with("the ledger does not take what went back at a bank") == 1);
  }
  SECTION("a refund is settled of which nothing is left") {
    account.ledger.execute(
        domain::RefundCharge{{account.ledger.project(), false}, id, domain::Cents(1'500), std::nullopt});
    const auto asked = account.charge(id).refund_list.front().id.text();
    payment.refunds = {devolucao("MED1", 1'000), devolucao(asked, 1'500)};
    CHECK(told() == Told::kLater);
    CHECK(account.charge(id).refunded == domain::Cents(1'000));
    CHECK(account.lines_with("the ledger does not take what went back at a bank") == 1);
  }
}

TEST_CASE("money that went back for a refund that had failed counts, and is told once") {
  Account account;
  auto payment = account.payment();
  const auto id = paid_charge(account, payment).id;
  account.ledger.execute(
      domain::RefundCharge{{account.ledger.project(), false}, id, domain::Cents(500), std::nullopt});
  const auto asked = account.charge(id).refund_list.front().id.text();
  payment.refunds = {devolucao(asked, 500, BankRefundStatus::kNotDone)};
  for (int poll = 0; poll < 3; ++poll) REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refund_list.front().status == domain::RefundStatus::kFailed);
  CHECK(account.lines_with("a bank did not do what it was asked") == 1);
  payment.refunds = {devolucao(asked, 500)};
  for (int poll = 0; poll < 3; ++poll) REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(500));
  CHECK(account.lines_with("money went back for a refund that had failed") == 1);
}
