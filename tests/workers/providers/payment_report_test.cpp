// What a bank shows becomes a charge's payment, or one that fits no charge, once, however often it is told.
#include "workers/providers/payment_report.h"

#include <catch2/catch.hpp>

#include "tests/workers/providers/account_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using workers::Told;

TEST_CASE("what fits no charge is recorded once, with why") {
  Account account;
  const auto before = account.events();
  REQUIRE(account.tell(account.payment()));
  REQUIRE(account.tell(account.payment()));
  CHECK(account.events() == before + 1);
  REQUIRE(account.unmatched());
  CHECK(account.unmatched()->reason == domain::UnmatchedReason::kNoTxid);
  CHECK(account.unmatched()->connection == sample_bank_id(1));
}

TEST_CASE("an account whose payments all lack a txid is a misfit of the account, told once") {
  Account account;
  const auto is_told = [&] { return account.lines_with("no payment of an account names its charge") == 1; };
  const auto pay_without = [&](unsigned number) {
    auto payment = account.payment();
    payment.end_to_end_id = sample_end_to_end_id(number);
    REQUIRE(account.tell(payment));
    REQUIRE(account.tell(payment));
  };
  SECTION("after five of them") {
    for (unsigned i = 100; i < 105; ++i) pay_without(i);
    CHECK(is_told());
  }
  SECTION("not after four") {
    for (unsigned i = 100; i < 104; ++i) pay_without(i);
    CHECK_FALSE(is_told());
  }
  SECTION("nor where one payment names its charge") {
    REQUIRE(account.tell(account.payment(account.create())));
    for (unsigned i = 100; i < 110; ++i) pay_without(i);
    CHECK_FALSE(is_told());
  }
}

TEST_CASE("why a payment fits no charge is told by what its txid names") {
  Account account;
  const auto reason_of = [&](const std::optional<domain::ChargeId>& charge) {
    REQUIRE(account.tell(account.payment(charge)));
    REQUIRE(account.unmatched());
    return account.unmatched()->reason;
  };
  SECTION("a charge that is not here") {
    CHECK(reason_of(domain::ChargeId::parse("ccharge000000000000000001")) ==
          domain::UnmatchedReason::kUnknownCharge);
  }
  SECTION("another project's") {
    const auto other = account.other_project();
    CHECK(reason_of(account.create(other, std::nullopt)) == domain::UnmatchedReason::kOtherProject);
  }
  SECTION("the sandbox's") {
    CHECK(reason_of(account.create(account.ledger.project(), std::nullopt, domain::Environment::kSandbox)) ==
          domain::UnmatchedReason::kOtherEnvironment);
  }
  SECTION("one whose payments no bank tells") {
    CHECK(reason_of(account.create(account.ledger.project(), std::nullopt)) ==
          domain::UnmatchedReason::kNotThroughBank);
  }
}

TEST_CASE("a payment that was made before its charge is none of it, and is not lost") {
  Account account;
  auto early = account.payment(account.create());
  early.paid_at = early.paid_at.plus_millis(-10 * kMinuteMs);
  REQUIRE(account.tell(early));
  CHECK(account.unmatched()->reason == domain::UnmatchedReason::kBeforeCharge);
}

TEST_CASE("what is no business of the connection is passed over") {
  Account account;
  const auto before = account.events();
  auto payment = account.payment();
  SECTION("money on another key of the account") { payment.key = "outra@example.com"; }
  SECTION("money from long before the connection") {
    payment.paid_at = payment.paid_at.plus_millis(-2 * 60 * kMinuteMs);
  }
  REQUIRE(account.tell(payment));
  CHECK(account.events() == before);
  CHECK_FALSE(account.unmatched());
}

TEST_CASE("what another project's connection on the same key tells of is left to it") {
  Account account;
  const auto other = account.other_project();
  account.add_bank(other, 2);
  const auto payment = account.payment(account.create(other, 2));
  REQUIRE(account.tell(payment));
  CHECK_FALSE(account.unmatched());
}

TEST_CASE("a payment that claims the future is told again, and recorded when it may be") {
  Account account;
  auto ahead = account.payment();
  ahead.paid_at = ahead.paid_at.plus_millis(60 * kMinuteMs);
  CHECK(account.show(ahead, account.ledger.project(), 1) == Told::kLater);
  CHECK_FALSE(account.unmatched());
}

TEST_CASE("what an operator has told of a payment is held against what its bank shows, and told once") {
  constexpr const char* kMisfit = "a payment is recorded otherwise than its bank has it";
  Account account;
  const auto id = account.create();
  auto shown = account.payment(id);
  const auto told_by_hand = [&](std::int64_t cents, domain::Timestamp at) {
    account.ledger.execute(
        domain::ReportPayment{account.ledger.project(), id, shown.end_to_end_id, domain::Cents(cents), at});
    REQUIRE(account.tell(shown));
    REQUIRE(account.tell(shown));
    return account.lines_with(kMisfit);
  };
  SECTION("alike") { CHECK(told_by_hand(1'990, shown.paid_at) == 0); }
  SECTION("another amount") { CHECK(told_by_hand(1'900, shown.paid_at) == 1); }
  SECTION("a clock that differs a little") {
    CHECK(told_by_hand(1'990, shown.paid_at.plus_millis(-4 * kMinuteMs)) == 0);
  }
  SECTION("a time that is far away") {
    shown.paid_at = shown.paid_at.plus_millis(-30 * kMinuteMs);
    CHECK(told_by_hand(1'990, account.ledger.clock.now()) == 1);
  }
}
