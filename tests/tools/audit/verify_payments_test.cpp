// A payment is in one place, and its returns do not exceed it: verify finds and names violations.
#include <catch2/catch.hpp>

#include "eventstore/codec/codec.h"
#include "eventstore/reading/state_reader.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/ledgers/worker_fixture.h"
#include "tests/support/seeded_entropy.h"
#include "tools/audit/verifier.h"

namespace pixledger::tests {
namespace {

using namespace domain;

const auto kE2e = sample_end_to_end_id();
const Cents kAmount{10'000};

// A ledger whose project has a connection to a bank, and events that no decision would have recorded.
class Planted {
 public:
  Planted() { add_bank(ledger_.project(), 1); }

  const ProjectId& project() const { return ledger_.project(); }
  ProjectId other_project() {
    const auto project = ledger_.execute(CreateProject{sample_settings(), {}}).events().front().project;
    add_bank(project, 2);
    return project;
  }
  ChargeId create(const ProjectId& project, unsigned bank = 1) {
    auto creation = sample_creation(Environment::kLive);
    creation.project = project;
    creation.amount = kAmount;
    creation.connection = sample_bank_id(bank);
    return parsed<ChargeId>(ledger_.execute(creation).events().back().stream.key());
  }
  ChargeId create() { return create(project()); }
  void execute(const Command& command) { ledger_.execute(command); }
  void record_unmatched() { execute(unmatched_command()); }
  RecordUnmatchedPayment unmatched_command() const {
    return {.project = project(),
            .connection = sample_bank_id(1),
            .end_to_end_id = kE2e,
            .amount = kAmount,
            .paid_at = ledger_.clock.now(),
            .txid = std::nullopt,
            .reason = UnmatchedReason::kNoTxid};
  }
  PaymentUnmatched unmatched() const {
    const auto told = unmatched_command();
    return {.end_to_end_id = told.end_to_end_id,
            .project = told.project,
            .environment = Environment::kLive,
            .connection = told.connection,
            .amount = told.amount,
            .paid_at = told.paid_at,
            .txid = told.txid,
            .reason = told.reason};
  }
  ChargePaid paid() const { return {kE2e, kAmount, ledger_.clock.now(), std::nullopt}; }
  ReportPayment report(const ChargeId& charge) const {
    return {project(), charge, kE2e, kAmount, std::nullopt};
  }
  Charge charge(const ChargeId& id) const {
    return eventstore::fold_as<Charge>(ledger_.log, charge_stream(id)).value();
  }

  enum class Names { kTaken, kLeft };
  void plant(const NewEvent& event, Names names = Names::kTaken) {
    SeededEntropy entropy(7);
    const auto version = ledger_.log.version_of(event.stream) + 1;
    const auto encoded = eventstore::encode({.position = {},
                                             .stream = event.stream,
                                             .version = version,
                                             .recorded_at = ledger_.log.head().time,
                                             .project = event.project,
                                             .actor = "key-test",
                                             .request_id = {},
                                             .event = event.event},
                                            entropy);
    const auto write = ledger_.log.begin_write();
    write->append(
        {.time = ledger_.log.head().time,
         .id_counter = 0,
         .records = {{.stream = event.stream,
                      .version = version,
                      .bytes = encoded.bytes,
                      .personal = encoded.personal,
                      .claims = names == Names::kTaken ? claims_of(event) : std::vector<ClaimName>()}},
         .idempotency = {}});
    write->commit();
  }

  // Returns verify's finding, or "".
  std::string found() const {
    const auto finding = tools::verify_log(ledger_.log, {}).finding;
    return finding ? finding->problem : "";
  }

 private:
  void add_bank(const ProjectId& project, unsigned number) {
    auto added = sample_bank_connection("banco", Environment::kLive);
    added.id = sample_bank_id(number);
    added.project = project;
    added.api_pix.code = CodeKind::kStatic;
    ledger_.execute(added);
  }

  LedgerInMemory ledger_;
};

NewEvent of_charge(const ChargeId& id, const ProjectId& project, ChargeEvent event) {
  return {charge_stream(id), project, std::move(event)};
}
NewEvent of_payment(const ProjectId& project, PaymentEvent event) {
  return {payment_stream(kE2e), project, std::move(event)};
}

}  // namespace

TEST_CASE("payments that are reported, assigned, closed and taken over are consistent") {
  Planted ledger;
  const auto other = ledger.other_project();
  const auto id = ledger.create(other, 2);
  ledger.record_unmatched();
  ledger.execute(ClosePayment{ledger.project(), kE2e, false, std::nullopt});
  auto report = ledger.report(id);
  report.project = other;
  ledger.execute(report);
  CHECK(ledger.charge(id).payment);
  CHECK(ledger.found().empty());
}

TEST_CASE("a payment that two charges have is found") {
  Planted ledger;
  ledger.execute(ledger.report(ledger.create()));
  const auto second = ledger.create();
  CHECK(ledger.found().empty());
  ledger.plant(of_charge(second, ledger.project(), ledger.paid()), Planted::Names::kLeft);
  CHECK(ledger.found() == "its stream does not hold the name e2e/" + kE2e.text());
}

TEST_CASE("a payment that a charge has and that is unmatched as well is found") {
  Planted ledger;
  const auto id = ledger.create();
  SECTION("the charge had it first") {
    ledger.execute(ledger.report(id));
    ledger.plant(of_payment(ledger.project(), ledger.unmatched()));
    CHECK(ledger.found() == "the payment is charge-" + id.text() + "'s, and unmatched as well");
  }
  SECTION("it was unmatched first") {
    ledger.record_unmatched();
    CHECK(ledger.found().empty());
    ledger.plant(of_charge(id, ledger.project(), ledger.paid()));
    CHECK_FALSE(ledger.found().empty());
  }
  SECTION("it is unmatched in another project") {
    const auto other = ledger.other_project();
    const auto of_other = ledger.create(other, 2);
    ledger.record_unmatched();
    ledger.plant(of_charge(of_other, other, ledger.paid()));
    CHECK_FALSE(ledger.found().empty());
  }
}

TEST_CASE("money that a charge has of an unmatched payment without an assignment is found") {
  Planted ledger;
  const auto id = ledger.create();
  ledger.record_unmatched();
  ledger.execute(ClosePayment{ledger.project(), kE2e, false, std::nullopt});
  ledger.plant(of_charge(id, ledger.project(), ledger.paid()));
  CHECK(ledger.found() == "the payment is charge-" + id.text() + "'s, and unmatched as well");
}

TEST_CASE("a payment that was assigned to a charge which does not have it is found") {
  Planted ledger;
  const auto id = ledger.create();
  ledger.record_unmatched();
  ledger.plant(of_payment(ledger.project(), PaymentAssigned{id}));
  CHECK(ledger.found() == "the charge that it was assigned to does not have it");
}

TEST_CASE("more that went back than was paid is found, with its stream and both sums") {
  Planted ledger;
  const auto id = ledger.create();
  ledger.execute(ledger.report(id));
  ledger.execute(RefundCharge{{ledger.project(), false}, id, Cents(7'000), std::nullopt});
  const auto refund = ledger.charge(id).refund_list.front().id;
  const auto now = ledger.charge(id).payment->paid_at;
  const PaymentReversed reversed{parsed<RefundId>("MED1"),
                                 parsed<ReturnId>("D1823612020260301120000000000001"), Cents(4'000), now};
  const auto expected = "more goes back of charge-" + id.text() + " than was paid: 110.00 of 100.00";
  SECTION("a refund that was settled after a return") {
    ledger.plant(of_charge(id, ledger.project(), reversed));
    CHECK(ledger.found().empty());
    ledger.plant(of_charge(id, ledger.project(), RefundDone{refund, now}));
  }
  SECTION("a return after a refund that was settled") {
    ledger.execute(SettleRefund{id, refund, now});
    ledger.plant(of_charge(id, ledger.project(), reversed));
  }
  CHECK(ledger.found() == expected);
}

}  // namespace pixledger::tests
