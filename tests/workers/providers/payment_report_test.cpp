// What a bank shows becomes a charge's payment, or one that fits no charge, once, however often it is told.
#include "workers/providers/payment_report.h"

#include <catch2/catch.hpp>

#include "domain/text/ascii.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "workers/providers/api_pix/bank_requests.h"

using namespace pixledger;
using namespace pixledger::tests;
using workers::BankPayment;
using workers::BankRefund;
using workers::BankRefundStatus;

namespace {

const auto kE2e = sample_end_to_end_id();
constexpr const char* kKey = "caixa@example.com";

// A project with a connection to a bank, whose account is looked at.
class Account {
 public:
  Account() { add_bank(ledger.project(), 1); }

  void add_bank(const domain::ProjectId& project, unsigned number) {
    auto bank = sample_bank_connection("banco", domain::Environment::kLive);
    bank.id = sample_bank_id(number);
    bank.project = project;
    bank.api_pix.code = domain::CodeKind::kStatic;
    ledger.execute(bank);
  }
  domain::ProjectId other_project() {
    const auto completed = ledger.execute(domain::CreateProject{sample_settings(), {}});
    return completed.events().front().project;
  }
  domain::ChargeId create(const domain::ProjectId& project, std::optional<unsigned> bank = 1,
                          domain::Environment environment = domain::Environment::kLive) {
    auto command = sample_creation(environment);
    command.project = project;
    command.amount = domain::Cents(1'990);
    if (bank) command.connection = sample_bank_id(*bank);
    const auto completed = ledger.execute(command);
    return *domain::ChargeId::parse(completed.events().back().stream.key());
  }
  domain::ChargeId create() { return create(ledger.project()); }

  BankPayment payment(const std::optional<domain::ChargeId>& charge = std::nullopt) const {
    return {.end_to_end_id = kE2e,
            .amount = domain::Cents(1'990),
            .paid_at = ledger.clock.now(),
            .txid = charge ? std::optional(workers::cob_txid(*charge)) : std::nullopt,
            .key = kKey,
            .refunds = {}};
  }
  bool tell(const BankPayment& payment) const {
    const auto project =
        eventstore::fold_as<domain::Project>(ledger.log, domain::project_stream(ledger.project()));
    const auto* connection = domain::connection_of(*project, sample_bank_id(1));
    return report.report({.client = nullptr,
                          .connection = *connection,
                          .merchant_name = "",
                          .merchant_city = "",
                          .project = ledger.project()},
                         ledger.project(), payment);
  }
  std::optional<domain::UnmatchedPayment> unmatched() const {
    return eventstore::fold_as<domain::UnmatchedPayment>(ledger.log, domain::payment_stream(kE2e));
  }
  domain::Charge charge(const domain::ChargeId& id) const {
    return *eventstore::fold_as<domain::Charge>(ledger.log, domain::charge_stream(id));
  }
  std::uint64_t events() const { return ledger.log.head().position.value(); }

  LedgerInMemory ledger;
  workers::LedgerDoor door{ledger.executor};
  workers::PaymentReport report{ledger.log, ledger.clock, ledger.logger, door};
};

BankRefund devolucao(std::string id, std::int64_t cents, BankRefundStatus status) {
  BankRefund refund;
  refund.id = std::move(id);
  refund.rtr_id = "D1823612020260301120000000000001";
  refund.amount = domain::Cents(cents);
  refund.status = status;
  return refund;
}

}  // namespace

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
  CHECK_FALSE(account.tell(ahead));
  CHECK_FALSE(account.unmatched());
}

TEST_CASE("what the bank itself has sent back settles an open payment, if it is all") {
  Account account;
  auto payment = account.payment();
  payment.refunds = {devolucao("MED1", 990, BankRefundStatus::kReturned)};
  REQUIRE(account.tell(payment));
  CHECK(domain::is_open(*account.unmatched()));
  payment.refunds = {devolucao("MED2", 1'990, BankRefundStatus::kReturned)};
  REQUIRE(account.tell(payment));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
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
    payment.refunds = {devolucao(id, 1'990, BankRefundStatus::kReturned)};
    REQUIRE(account.tell(payment));
    CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
  }
  SECTION("it is done, and the bank writes ids in other letters") {
    auto written = id;
    for (char& letter : written) letter = domain::to_ascii_upper(letter);
    payment.refunds = {devolucao(written, 1'990, BankRefundStatus::kReturned)};
    REQUIRE(account.tell(payment));
    CHECK(account.unmatched()->state == domain::UnmatchedState::kReturned);
    CHECK(account.unmatched()->return_id->text() == id);
  }
  SECTION("it is not done") {
    payment.refunds = {devolucao(id, 1'990, BankRefundStatus::kNotDone)};
    payment.refunds[0].reason = "closed account";
    REQUIRE(account.tell(payment));
    CHECK(domain::is_open(*account.unmatched()));
    CHECK(account.unmatched()->return_failure->text() == "closed account");
  }
}

TEST_CASE("what goes back of a payment that was assigned is told to its charge") {
  Account account;
  auto payment = account.payment();
  REQUIRE(account.tell(payment));
  const auto id = account.create();
  account.ledger.execute(domain::AssignPayment{account.ledger.project(), kE2e, id});
  payment.refunds = {devolucao("MED1", 990, BankRefundStatus::kReturned)};
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).refunded == domain::Cents(990));
  CHECK(account.unmatched()->state == domain::UnmatchedState::kAssigned);
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
  payment.refunds = {devolucao(asked, 1, BankRefundStatus::kReturned)};
  REQUIRE(account.tell(payment));
  CHECK(account.charge(id).unapplied.empty());
  CHECK(account.charge(id).returned.at(0).returned_at.has_value());
}
