// A bank's payment becomes a charge's payment or an unmatched one, once, however often it is reported.
#include "workers/banks/payment_report.h"

#include <catch2/catch.hpp>
#include <system_error>

#include "stores/status/provider_state.h"
#include "tests/support/full_disk.h"
#include "tests/workers/banks/account_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using workers::Told;

TEST_CASE("an unmatched payment is recorded once, with the reason") {
  Account account;
  const auto before = account.events();
  REQUIRE(account.tell(account.payment()));
  REQUIRE(account.tell(account.payment()));
  CHECK(account.events() == before + 1);
  REQUIRE(account.unmatched());
  CHECK(account.unmatched()->reason == domain::UnmatchedReason::kNoTxid);
  CHECK(account.unmatched()->connection == sample_bank_id(1));
}

TEST_CASE("the reason of an unmatched payment depends on its txid") {
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

TEST_CASE("a payment cannot be older than the txid that it has, whatever its bank's clock says") {
  Account account;
  const auto id = account.create();
  auto early = account.payment(id);
  if (GENERATE(true, false)) early.txid = domain::Txid::parse(id.text());  // of the static code
  early.paid_at = early.paid_at.plus_millis(-GENERATE(10, 180, 2'000) * kMinuteMs);
  REQUIRE(account.tell(early));
  REQUIRE(account.charge(id).status == domain::ChargeStatus::kPaid);
  CHECK(account.charge(id).payment->paid_at == account.charge(id).created_at);
  CHECK_FALSE(account.unmatched());
  CHECK(account.lines_with("claims a time before it can have been made") <= 1);
  CHECK(account.database.early_ms(sample_bank_id(1)) > 9 * kMinuteMs);
  // Its bank shows it again, and what was corrected is no other payment.
  REQUIRE(account.tell(early));
  CHECK(account.lines_with("a payment is recorded otherwise than its bank has it") == 0);
  account.meters.save();
  const auto states = stores::bank_states(account.workers());
  REQUIRE(states.banks.size() == 1);
  CHECK(states.banks.front().early_ms > 9 * kMinuteMs);
  CHECK(states.banks.front().early_at);
  REQUIRE(states.counts.size() == 1);
  CHECK(states.counts.front().first == "payment_before_charge");
}

TEST_CASE("money without a charge that is only old by its bank's clock is recorded") {
  Account account;
  auto early = account.payment();
  early.paid_at = early.paid_at.plus_millis(-180 * kMinuteMs);
  SECTION("by its end-to-end id it is not") {
    early.end_to_end_id =
        domain::EndToEndId::parse(domain::synthesize_end_to_end_id(account.ledger.clock.now(), 1)).value();
    REQUIRE(account.tell(early));
    CHECK(eventstore::fold_as<domain::UnmatchedPayment>(account.ledger.log,
                                                        domain::payment_stream(early.end_to_end_id)));
    CHECK(account.database.early_ms(sample_bank_id(1)) > 170 * kMinuteMs);
  }
  SECTION("it was not there when the account was looked at first") {
    account.database.note_looked(sample_bank_id(1), account.ledger.clock.now());
    REQUIRE(account.tell(early));
    CHECK(account.unmatched());
  }
  SECTION("it was there: it is left aside and counted, however often it is shown") {
    REQUIRE(account.tell(early));
    account.database.note_looked(sample_bank_id(1), account.ledger.clock.now());
    REQUIRE(account.tell(early));
    CHECK_FALSE(account.unmatched());
    account.meters.save();
    const auto counts = stores::bank_states(account.workers()).counts;
    REQUIRE(counts.size() == 1);
    CHECK(counts.front().counter == stores::BankCounter::kLeftAside);
    CHECK(counts.front().value == 1);
  }
}

TEST_CASE("counts that cannot be saved are kept, and saved once when there is room") {
  Account account;
  const auto file = account.workers() / "providers" / stores::kProvidersFile;
  const auto unsaved = std::make_shared<workers::UnsavedBankCounts>();
  const auto saved = [&] {
    std::int64_t sum = 0;
    for (const auto& count : stores::bank_states(account.workers()).counts) sum += count.value;
    return sum;
  };
  {
    stores::ProviderRepository database(file);
    workers::BankMeters meters(account.workers(), database, account.logger, unsaved);
    meters.on_callback("none", "refused");
    meters.save();
    CHECK(saved() == 1);
    meters.on_callback("none", "refused");
    {
      const FullDisk full(0);
      CHECK_THROWS_AS(meters.save(), std::system_error);
    }
    meters.on_callback("none", "refused");
  }
  CHECK(saved() == 1);
  // The worker was restarted.
  stores::ProviderRepository database(file);
  workers::BankMeters meters(account.workers(), database, account.logger, unsaved);
  meters.save();
  CHECK(saved() == 3);
  meters.save();
  CHECK(saved() == 3);
}

TEST_CASE("a key is the connection's in whichever spelling, and no key is one") {
  Account account;
  account.change_key(account.ledger.project(), 1, "+5511987654321");
  auto payment = account.payment();
  payment.key = GENERATE("11987654321", "(11) 98765-4321", "+55 11 98765 4321", "5511987654321",
                         " CAIXA@example.com ", "***.456.789-**", " ");
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched());
}

TEST_CASE("money on the key of another of the project's connections is that one's, and none is lost") {
  Account account;
  const auto& project = account.ledger.project();
  account.add_bank(project, 2, {.key = "outra@example.com"});
  SECTION("a charge of that one is paid, whichever reads it") {
    const auto id = account.create(project, 2);
    auto payment = account.payment(id);
    payment.key = "outra@example.com";
    REQUIRE(account.tell(payment));
    CHECK(account.charge(id).status == domain::ChargeStatus::kPaid);
  }
  SECTION("what names no charge is recorded where that one has not told of it within an hour") {
    auto payment = account.payment();
    payment.key = "outra@example.com";
    CHECK(account.show(payment, project, 1) == Told::kLater);
    account.clock.set_wall_clock(payment.paid_at.plus_millis(60 * kMinuteMs));
    CHECK(account.show(payment, project, 1) == Told::kYes);
    CHECK(account.unmatched());
  }
}

TEST_CASE("a payment to a foreign key that names any charge here is alarmed") {
  Account account;
  const auto other = account.other_project();
  const auto& project = GENERATE(true, false) ? other : account.ledger.project();
  const auto charge = account.create(project, std::nullopt);
  auto payment = account.payment(charge);
  payment.key = "ladrao@example.com";
  REQUIRE(account.tell(payment));
  CHECK(account.lines_with("a payment names a charge of the connection, and came to another key") == 1);
  const auto misfits = stores::bank_states(account.workers()).misfits;
  REQUIRE(misfits.size() == 1);
  CHECK(misfits.front().kind == "other_key");
  CHECK(misfits.front().detail == payment.end_to_end_id.text());
}

TEST_CASE("payments outside the connection are ignored") {
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

TEST_CASE("a payment reported by another project's connection on the same key is left to it") {
  Account account;
  const auto other = account.other_project();
  account.add_bank(other, 2);
  const auto payment = account.payment(account.create(other, 2));
  REQUIRE(account.tell(payment));
  CHECK_FALSE(account.unmatched());
}

TEST_CASE("a payment dated in the future is retried, and recorded once it may be") {
  Account account;
  auto ahead = account.payment();
  ahead.paid_at = ahead.paid_at.plus_millis(60 * kMinuteMs);
  CHECK(account.show(ahead, account.ledger.project(), 1) == Told::kLater);
  CHECK_FALSE(account.unmatched());
}

TEST_CASE(
    "an operator's report of a payment is checked against its bank's, and a difference is logged once") {
  constexpr const char* kMisfit = "a payment is recorded otherwise than its bank has it";
  Account account;
  const auto id = account.create();
  auto shown = account.payment(id);
  const auto told_by_hand = [&](std::int64_t cents, Timestamp at) {
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
    CHECK(told_by_hand(1'990, account.ledger.clock.now().plus_millis(4 * kMinuteMs)) == 1);
  }
}

TEST_CASE("many discrepancies of one kind make none of another kind news again") {
  Account account;
  const auto is_news = [&](std::string_view kind, int number) {
    return account.meters.report_discrepancy(sample_bank_id(1), kind, std::to_string(number));
  };
  REQUIRE(is_news("other_key", 0));
  for (int number = 0; number < 10'000; ++number) REQUIRE(is_news("unreadable_payment", number));
  CHECK_FALSE(is_news("other_key", 0));
  CHECK_FALSE(is_news("unreadable_payment", 0));
  // The next one of its kind makes room for all of that kind.
  CHECK(is_news("unreadable_payment", 10'000));
  CHECK(is_news("unreadable_payment", 0));
  CHECK_FALSE(is_news("other_key", 0));
}
