// Projects whose connections share an account at a bank: a payment's project does not depend on which
// connection reads it first.
#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "tests/workers/banks/account_fixture.h"
#include "workers/banks/provider_worker.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::ChargeStatus;
using domain::UnmatchedReason;
using domain::UnmatchedState;
using workers::BankPayment;
using workers::Told;

namespace {

const auto kE2e = sample_end_to_end_id();

// Two projects, each with a connection.
struct TwoProjects : Account {
  explicit TwoProjects(const Bank& bank) : first(ledger.project()), second(other_project()) {
    add_bank(second, 2, bank);
  }

  BankPayment of_second(bool with_key) {
    auto shown = payment(charge_of_second());
    if (!with_key) shown.key.reset();
    return shown;
  }
  domain::ChargeId charge_of_second() {
    if (!charge_) charge_ = create(second, 2);
    return *charge_;
  }
  Told read_first(const BankPayment& shown) { return show(shown, first, 1); }
  Told read_second(const BankPayment& shown) { return show(shown, second, 2); }
  bool is_paid() { return charge(charge_of_second()).status == ChargeStatus::kPaid; }

  const domain::ProjectId first;
  const domain::ProjectId second;

 private:
  std::optional<domain::ChargeId> charge_;
};

const Account::Bank kSameKey{};
const Account::Bank kSameClient{.key = "outra@example.com"};
const Account::Bank kSameBank{.key = "outra@example.com", .client = "client-2"};
const Account::Bank kElsewhere{.key = "outra@example.com", .host = "pix.example.net"};

}  // namespace

TEST_CASE("a payment on a shared account is the charge's that it names, in any order of reading") {
  const auto [bank, with_key] = GENERATE(table<Account::Bank, bool>(
      {{kSameKey, true}, {kSameKey, false}, {kSameClient, false}, {kSameBank, false}}));
  const bool is_first = GENERATE(true, false);
  CAPTURE(bank.key, bank.client, with_key, is_first);
  TwoProjects ledger(bank);
  const auto shown = ledger.of_second(with_key);
  if (is_first) {
    ledger.read_first(shown);
    CHECK_FALSE(ledger.unmatched());
  }
  CHECK(ledger.read_second(shown) == Told::kYes);
  CHECK(ledger.read_first(shown) == Told::kYes);
  CHECK(ledger.is_paid());
  CHECK_FALSE(ledger.unmatched());
}

TEST_CASE("a payment that may be another project's is retried for an hour, and is unmatched then") {
  TwoProjects ledger(kSameBank);
  const auto shown = ledger.of_second(false);
  CHECK(ledger.read_first(shown) == Told::kLater);
  ledger.clock.set_wall_clock(shown.paid_at.plus_millis(60 * kMinuteMs - 1));
  CHECK(ledger.read_first(shown) == Told::kLater);
  ledger.clock.set_wall_clock(shown.paid_at.plus_millis(60 * kMinuteMs));
  CHECK(ledger.read_first(shown) == Told::kYes);
  REQUIRE(ledger.unmatched());
  CHECK(ledger.unmatched()->reason == UnmatchedReason::kOtherProject);
}

TEST_CASE("money that names no charge is of the connection to its key that was added first") {
  TwoProjects ledger(kSameKey);
  auto shown = ledger.payment();
  if (GENERATE(true, false)) shown.key.reset();
  SECTION("in any order of reading") {
    CHECK(ledger.read_second(shown) == Told::kLater);
    CHECK_FALSE(ledger.unmatched());
    CHECK(ledger.read_first(shown) == Told::kYes);
    CHECK(ledger.read_second(shown) == Told::kYes);
    CHECK(ledger.unmatched()->project == ledger.first);
  }
  SECTION("and of the other where that has not read it within an hour") {
    ledger.clock.set_wall_clock(shown.paid_at.plus_millis(60 * kMinuteMs));
    CHECK(ledger.read_second(shown) == Told::kYes);
    CHECK(ledger.unmatched()->project == ledger.second);
  }
  SECTION("and of the other where that is not in use") {
    ledger.ledger.execute(domain::ChangeConnection{.project = ledger.first,
                                                   .connection = sample_bank_id(1),
                                                   .change = {.state = domain::ConnectionState::kDisabled}});
    CHECK(ledger.read_second(shown) == Told::kYes);
    CHECK(ledger.unmatched()->project == ledger.second);
  }
  SECTION("and of the other where that has another key today") {
    ledger.change_key(ledger.first, 1, "nova@example.com");
    if (shown.key) CHECK(ledger.read_first(shown) == Told::kLater);
    CHECK(ledger.read_second(shown) == Told::kYes);
    CHECK(ledger.unmatched()->project == ledger.second);
  }
}

TEST_CASE("a connection that was added later is the later one, whatever its id") {
  Account account;
  for (const auto before = account.ledger.clock.now(); account.ledger.clock.now() == before;) {
  }
  const auto later = account.other_project();
  account.add_bank(later, 0);
  CHECK(account.show(account.payment(), later, 0) == Told::kLater);
  CHECK(account.tell(account.payment()));
  CHECK(account.unmatched()->project == account.ledger.project());
}

TEST_CASE("a payment to one's own account with another's charge pays nothing of the other's") {
  const auto [bank, with_key] =
      GENERATE(table<Account::Bank, bool>({{kElsewhere, true}, {kElsewhere, false}, {kSameBank, true}}));
  CAPTURE(bank.host, with_key);
  TwoProjects ledger(bank);
  CHECK(ledger.read_first(ledger.of_second(with_key)) == Told::kYes);
  CHECK_FALSE(ledger.is_paid());
  REQUIRE(ledger.unmatched());
  CHECK(ledger.unmatched()->project == ledger.first);
  CHECK(ledger.unmatched()->reason == UnmatchedReason::kOtherProject);
}

TEST_CASE("a project takes its charge's payment from another's unmatched ones") {
  TwoProjects ledger(kSameBank);
  const auto shown = ledger.of_second(false);
  ledger.ledger.execute(domain::RecordUnmatchedPayment{.project = ledger.first,
                                                       .connection = sample_bank_id(1),
                                                       .end_to_end_id = kE2e,
                                                       .amount = shown.amount,
                                                       .paid_at = shown.paid_at,
                                                       .txid = shown.txid,
                                                       .reason = UnmatchedReason::kOtherProject});
  SECTION("an open one, which is closed there") {}
  SECTION("one that was closed") {
    ledger.ledger.execute(domain::ClosePayment{ledger.first, kE2e, false, std::nullopt});
  }
  CHECK(ledger.read_second(shown) == Told::kYes);
  CHECK(ledger.is_paid());
  CHECK(ledger.unmatched()->state == UnmatchedState::kClosed);
  CHECK(ledger.unmatched()->project == ledger.first);
  CHECK(ledger.read_first(shown) == Told::kYes);
  // Its refunds belong to the connection that has read it.
  ledger.ledger.execute(
      domain::RefundCharge{{ledger.second, false}, ledger.charge_of_second(), std::nullopt, std::nullopt});
  const auto last =
      eventstore::decode(ledger.ledger.log.read_after(Position(ledger.events() - 1), 1).front());
  const auto changes = workers::bank_changes_of(last, ledger.ledger.log);
  REQUIRE(changes.size() == 1);
  CHECK(std::get<stores::WorkBegun>(changes.front()).connection == sample_bank_id(2));
}

TEST_CASE("a payment that another project is returning is not taken from it, and operators are alarmed") {
  TwoProjects ledger(kSameBank);
  auto shown = ledger.of_second(false);
  ledger.ledger.execute(domain::RecordUnmatchedPayment{.project = ledger.first,
                                                       .connection = sample_bank_id(1),
                                                       .end_to_end_id = kE2e,
                                                       .amount = shown.amount,
                                                       .paid_at = shown.paid_at,
                                                       .txid = shown.txid,
                                                       .reason = UnmatchedReason::kOtherProject});
  ledger.ledger.execute(domain::ClosePayment{ledger.first, kE2e, true, std::nullopt});
  const auto asked = ledger.unmatched()->return_id.value();
  CHECK(ledger.read_second(shown) == Told::kLater);
  CHECK(ledger.read_second(shown) == Told::kLater);
  CHECK(ledger.lines_with("what is for a charge went back while another project had it") == 1);
  SECTION("it went back") {
    ledger.ledger.execute(domain::SettlePaymentReturn{kE2e, asked, shown.paid_at});
    CHECK(ledger.read_second(shown) == Told::kYes);
    CHECK_FALSE(ledger.is_paid());
  }
  SECTION("it did not") {
    ledger.ledger.execute(domain::FailPaymentReturn{kE2e, asked, std::nullopt});
    CHECK(ledger.read_second(shown) == Told::kYes);
    CHECK(ledger.is_paid());
  }
}

TEST_CASE("payments to a key that a connection had before are still its own") {
  Account account;
  const auto& project = account.ledger.project();
  const auto id = account.create();
  account.change_key(project, 1, "nova@example.com");
  SECTION("of its charge") {
    REQUIRE(account.tell(account.payment(id)));
    CHECK(account.charge(id).status == ChargeStatus::kPaid);
  }
  SECTION("of a charge of another of the project's connections") {
    account.add_bank(project, 2, kElsewhere);
    const auto other = account.create(project, 2);
    REQUIRE(account.tell(account.payment(other)));
    CHECK(account.charge(other).status == ChargeStatus::kPaid);
  }
  SECTION("of no charge") {
    REQUIRE(account.tell(account.payment()));
    REQUIRE(account.unmatched());
    CHECK(account.unmatched()->reason == UnmatchedReason::kNoTxid);
  }
}

TEST_CASE("a payment to a key that another project's connection had before is left to that one") {
  TwoProjects ledger(kSameKey);
  const auto shown = ledger.of_second(true);
  ledger.change_key(ledger.second, 2, "nova@example.com");
  CHECK(ledger.read_first(shown) == Told::kLater);
  CHECK_FALSE(ledger.unmatched());
  CHECK(ledger.read_second(shown) == Told::kYes);
  CHECK(ledger.is_paid());
}

TEST_CASE("a payment to a key that another project's removed connection had is not lost") {
  TwoProjects ledger(kSameKey);
  const auto shown = ledger.of_second(true);
  ledger.change_key(ledger.second, 2, "nova@example.com");
  ledger.clock.set_wall_clock(shown.paid_at.plus_millis(60 * kMinuteMs));
  CHECK(ledger.read_first(shown) == Told::kYes);
  REQUIRE(ledger.unmatched());
  CHECK(ledger.unmatched()->reason == UnmatchedReason::kOtherProject);
}

TEST_CASE("a payment to another key pays nothing, whatever charge it names, and is seen") {
  Account account;
  const auto id = account.create();
  auto payment = account.payment(id);
  payment.key = "ladrao@example.com";
  REQUIRE(account.tell(payment));
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).status == ChargeStatus::kWaitingPayment);
  CHECK_FALSE(account.unmatched());
  CHECK(account.lines_with("a payment names a charge of the connection, and came to another key") == 1);
}

TEST_CASE("a key that is written in a way of the bank's own is believed to be the connection's") {
  Account account;
  const auto id = account.create();
  auto payment = account.payment(id);
  payment.key = "(11) 98765-4321";
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).status == ChargeStatus::kPaid);
}
