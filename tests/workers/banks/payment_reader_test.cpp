#include <catch2/catch.hpp>

#include "stores/status/provider_state.h"
#include "tests/workers/banks/bank_fixture.h"
#include "workers/banks/payment_poll.h"
#include "workers/banks/payment_readers.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using domain::ChargeStatus;
using stores::PaymentToRead;
using stores::ReadReason;

namespace {

BankPayment parsed_payment(const std::string& body) { return std::get<BankPayment>(parse_payment(body)); }

std::filesystem::path made(std::filesystem::path directory) {
  std::filesystem::create_directories(directory);
  return directory;
}

struct ReaderFixture : BankFixture {
  void keep(unsigned payment = 1) {
    const auto now = ledger.clock.now();
    database.keep_payments(connection, {sample_end_to_end_id(payment)}, ReadReason::kCalledBack, now, now);
  }
  // All waiting payments, whatever their time.
  std::vector<PaymentToRead> kept() const {
    return database.payments_due(ledger.clock.now().plus_millis(365 * kDayMs), 10);
  }
  void read() { reader.read(kept().front()); }
  std::vector<stores::AccountMisfit> misfits() const {
    const auto workers = ledger.directory.path() / "workers";
    if (!std::filesystem::exists(workers)) {
      std::filesystem::create_directories(workers);
      std::filesystem::create_directory_symlink(ledger.directory.path(), workers / "providers");
    }
    return stores::bank_states(workers).misfits;
  }
  // Lines in the log of the payments' report.
  std::size_t lines_with(const std::string& text) const { return reports_log.lines_with(text); }

  // By a clock that is set, and with turns that do not end meanwhile.
  FixedClock set_clock{ledger.clock.now(), ledger.clock.boot_millis() + 60 * kMinuteMs};
  ReadLog reports_log{made(ledger.directory.path() / "reports"), ledger.clock};
  const PaymentReport timed_report{{.log = ledger.log,
                                    .clock = set_clock,
                                    .logger = reports_log.logger,
                                    .meters = meters,
                                    .ledger = submitter,
                                    .database = database}};
  const PaymentIntake timed_intake{{.log = ledger.log,
                                    .clock = set_clock,
                                    .logger = reports_log.logger,
                                    .database = database,
                                    .report = timed_report,
                                    .meters = meters}};

  const PaymentReader reader{{.clock = ledger.clock,
                              .logger = ledger.logger,
                              .banks = banks,
                              .database = database,
                              .intake = intake}};
};

}  // namespace

TEST_CASE("a payment that a bank has called back about is read there, and counts") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep();
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.kept().empty());
}

TEST_CASE("a payment that its bank lists without a txid pays the charge that the bank names elsewhere") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.follow();
  const auto named = fixture.payment(id);
  const auto nameless = [&] {
    auto text = named;
    const auto at = text.find(R"("txid")");
    return text.erase(at, text.find(R"("valor")") - at);
  }();
  const auto tell = [&] {
    auto listed = parsed_payment(nameless);
    listed.is_listed = true;
    return fixture.timed_intake.take(fixture.at_hand(), fixture.ledger.project(), listed);
  };
  const auto misfits = [&] { return fixture.misfits(); };
  SECTION("in the payment itself") {
    fixture.bank.will_answer("GET /pix", 200, named);
    CHECK(tell() == Taken::kYes);
    CHECK(fixture.bank.asked() == "GET /pix");
  }
  SECTION("in the charge that it holds, where what was paid for it has no txid either") {
    fixture.bank.will_answer("GET /pix", 200, nameless);
    fixture.bank.will_answer("GET /cob", 200,
                             fixture.cob(id, "CONCLUIDA", "100.00", "loja@example.com", nameless));
    CHECK(tell() == Taken::kYes);
    CHECK(fixture.bank.asked() == "GET /pix, GET /cob");
  }
  SECTION("where it does not answer at once, later") {
    fixture.bank.will_answer("GET /pix", 500);
    CHECK(tell() == Taken::kLater);
    CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
    REQUIRE(fixture.kept().size() == 1);
    // Later polls of the account do not read it again, and nothing else is read meanwhile.
    CHECK(tell() == Taken::kLater);
    CHECK(fixture.bank.asked() == "GET /pix");
    fixture.set_clock.set_wall_clock(fixture.set_clock.now().plus_millis(3'000));
    fixture.bank.will_answer("GET /pix", 200, named);
    CHECK(tell() == Taken::kYes);
  }
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  REQUIRE(misfits().size() == 1);
  CHECK(misfits().front().kind == "no_txid");
  CHECK(misfits().front().found == 1);
  CHECK(fixture.lines_with("a bank lists payments without their txid") == 1);
}

TEST_CASE("a payment without any name is recorded as unmatched, and its charge is not guessed") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.follow();
  auto listed = parsed_payment(fixture.payment(id));
  listed.txid.reset();
  listed.is_listed = true;
  const auto tell = [&] {
    return fixture.timed_intake.take(fixture.at_hand(), fixture.ledger.project(), listed);
  };
  const auto is_recorded = [&] {
    return eventstore::fold_as<domain::UnmatchedPayment>(fixture.ledger.log,
                                                         domain::payment_stream(listed.end_to_end_id))
        .has_value();
  };
  SECTION("at once where the bank has nothing to say") {
    fixture.bank.will_answer("GET /cob", 200, fixture.cob(id));
    CHECK(tell() == Taken::kYes);
    CHECK(fixture.bank.asked() == "GET /pix, GET /cob");
    // And is not read again.
    CHECK(tell() == Taken::kYes);
    CHECK(fixture.bank.asked() == "GET /pix, GET /cob");
  }
  SECTION("in the end where it never answers") {
    for (int tries = 0; tries < 9; ++tries) {
      fixture.bank.will_answer("GET /pix", 200, "<html>");
      CHECK(tell() == Taken::kLater);
      CHECK_FALSE(is_recorded());
      fixture.set_clock.set_wall_clock(fixture.set_clock.now().plus_millis(20 * kMinuteMs));
    }
    fixture.bank.will_answer("GET /pix", 200, "<html>");
    CHECK(tell() == Taken::kYes);
  }
  CHECK(is_recorded());
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
}

TEST_CASE("an account whose payments all lack a txid is reported once") {
  ReaderFixture fixture;
  auto named = [&] {
    auto listed = parsed_payment(fixture.payment(fixture.create_with_code()));
    listed.is_listed = true;
    return listed;
  }();
  const auto tell = [&](const BankPayment& payment) {
    REQUIRE(fixture.timed_intake.take(fixture.at_hand(), fixture.ledger.project(), payment) == Taken::kYes);
  };
  const auto pay_without = [&](unsigned number) {
    auto payment = named;
    payment.end_to_end_id = sample_end_to_end_id(number);
    payment.txid.reset();
    tell(payment);
    tell(payment);
  };
  const auto is_told = [&] { return fixture.lines_with("no payment of an account names its charge") == 1; };
  SECTION("after five of them") {
    for (unsigned i = 100; i < 105; ++i) pay_without(i);
    CHECK(is_told());
    pay_without(105);
    REQUIRE(fixture.misfits().size() == 1);
    CHECK(fixture.misfits().front().kind == "no_txid");
    CHECK(fixture.misfits().front().payments == 6);
    // Until one names its charge.
    tell(named);
    CHECK(fixture.misfits().empty());
  }
  SECTION(
      "and after fifty in vain one a minute is asked for by its id, and each that a charge may wait for") {
    const auto times = [&] {
      const auto asked = fixture.bank.asked();
      std::size_t count = 0;
      for (auto at = asked.find("GET /pix"); at != std::string::npos; at = asked.find("GET /pix", at + 1))
        ++count;
      return count;
    };
    fixture.follow();
    const auto waited_for = named.amount;
    named.amount = domain::Cents(waited_for.value() + 1);
    for (unsigned i = 100; i < 155; ++i) pay_without(i);
    CHECK(times() == 50);
    fixture.set_clock.set_wall_clock(fixture.set_clock.now().plus_millis(kMinuteMs));
    for (unsigned i = 155; i < 160; ++i) pay_without(i);
    CHECK(times() == 51);
    named.amount = waited_for;
    for (unsigned i = 160; i < 162; ++i) pay_without(i);
    CHECK(times() == 53);
  }
  SECTION("after one where the bank says that a charge of its amount is paid") {
    fixture.follow();
    const auto charge = fixture.database.waiting_charges(fixture.connection, 1).at(0);
    fixture.bank.will_answer("GET /pix", 404);
    fixture.bank.will_answer("GET /cob", 200, fixture.cob(charge, "CONCLUIDA"));
    pay_without(100);
    CHECK(is_told());
    for (unsigned i = 101; i < 106; ++i) pay_without(i);
    REQUIRE(fixture.misfits().size() == 1);
    CHECK(fixture.misfits().front().payments == 6);
    CHECK(fixture.misfits().front().found == 0);
    CHECK(fixture.misfits().front().detail == charge.text());
  }
  SECTION("not after four") {
    for (unsigned i = 100; i < 104; ++i) pay_without(i);
    CHECK_FALSE(is_told());
    CHECK(fixture.misfits().empty());
  }
  SECTION("nor where one payment names its charge") {
    tell(named);
    for (unsigned i = 100; i < 110; ++i) pay_without(i);
    CHECK_FALSE(is_told());
  }
}

TEST_CASE(
    "where an account's list has named a charge a payment without a txid is one, and is not asked for") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.follow();
  auto listed = parsed_payment(fixture.payment(id));
  listed.is_listed = true;
  const auto tell = [&] {
    return fixture.timed_intake.take(fixture.at_hand(), fixture.ledger.project(), listed);
  };
  fixture.database.note_misfit({.connection = fixture.connection.text(),
                                .kind = "no_txid",
                                .payments = 7,
                                .at = fixture.ledger.clock.now()});
  CHECK(tell() == Taken::kYes);
  CHECK(fixture.misfits().empty());
  listed.end_to_end_id = sample_end_to_end_id(2);
  listed.txid.reset();
  CHECK(tell() == Taken::kYes);
  CHECK(fixture.bank.asked().empty());
}

TEST_CASE("a payment that the bank does not know is asked for three times more, and then left to the polls") {
  ReaderFixture fixture;
  fixture.keep();
  for (const std::int64_t pause_ms : {2'000, 10'000, 60'000}) {
    const auto before = fixture.ledger.clock.now();
    fixture.read();
    REQUIRE(fixture.kept().size() == 1);
    const auto waits_ms = fixture.kept().front().due_at.millis() - before.millis();
    CHECK(waits_ms >= pause_ms);
    CHECK(waits_ms < pause_ms + kMinuteMs);
  }
  fixture.read();
  CHECK(fixture.kept().empty());
  CHECK(fixture.bank.asked() == "GET /pix, GET /pix, GET /pix, GET /pix");
}

TEST_CASE("a payment that is not shown for now stays, also one that cannot be read") {
  for (const int status : {500, 403, 200}) {
    ReaderFixture fixture;
    fixture.keep();
    fixture.bank.will_answer("GET /pix", status, "{}");
    fixture.read();
    REQUIRE(fixture.kept().size() == 1);
    CHECK(fixture.kept().front().attempts == 1);
  }
}

TEST_CASE("another payment than the one asked for is not used") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep(2);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id, 1));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
}

TEST_CASE("a payment that the bank reports again while it is read is read again") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep();
  const auto in_reading = fixture.kept().front();
  fixture.keep();  // of its devolução, say, which the answer under way does not have
  for (int i = 0; i < 2; ++i) fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.reader.read(in_reading);
  REQUIRE(fixture.kept().size() == 1);
  fixture.read();
  CHECK(fixture.kept().empty());
  CHECK(fixture.bank.asked() == "GET /pix, GET /pix");
}

TEST_CASE("a payment whose time comes is recorded then") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.keep();
  const auto claimed = fixture.ledger.clock.now().plus_millis(kDayMs);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id, 1, claimed));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kWaitingPayment);
  REQUIRE(fixture.kept().size() == 1);
  CHECK(fixture.kept().front().reason == ReadReason::kInFuture);
  // The callback stored it before it was read; it is still reported, once.
  constexpr const char* kAhead = "a payment at the bank claims the future and waits for its time";
  CHECK(fixture.agents_log.lines_with(kAhead) == 1);
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id, 1, claimed));
  fixture.read();
  CHECK(fixture.agents_log.lines_with(kAhead) == 1);
  // Once the clocks agree.
  fixture.bank.will_answer("GET /pix", 200, fixture.payment(id));
  fixture.read();
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.kept().empty());
}

TEST_CASE("a return that the ledger refuses is open work until it is taken, and holds up nothing") {
  ReaderFixture fixture;
  const auto id = fixture.create_with_code();
  const auto returned = [&](std::int64_t ahead_ms) {
    return fixture.payment(id, 1, std::nullopt,
                           R"({"id":"MED1","valor":"1.00","status":"DEVOLVIDO","horario":{"liquidacao":")" +
                               to_iso8601(fixture.ledger.clock.now().plus_millis(ahead_ms)) + R"("}})");
  };
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(returned(60 * kMinuteMs), 1));
  const PaymentPoll poll{{.clock = fixture.ledger.clock,
                          .logger = fixture.ledger.logger,
                          .banks = fixture.banks,
                          .database = fixture.database,
                          .intake = fixture.intake,
                          .is_stopping = [] { return false; }}};
  CHECK(poll.look({fixture.connection, fixture.ledger.project()},
                  {.every = std::chrono::seconds(10), .back = std::chrono::minutes(15)},
                  BankPriority::kPoll));
  CHECK(fixture.database.looked_up_to(fixture.connection));
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  REQUIRE(fixture.kept().size() == 1);
  CHECK(fixture.kept().front().reason == ReadReason::kRefused);
  fixture.bank.will_answer("GET /pix", 200, returned(60 * kMinuteMs));
  fixture.read();
  REQUIRE(fixture.kept().size() == 1);
  fixture.bank.will_answer("GET /pix", 200, returned(0));
  fixture.read();
  CHECK(fixture.kept().empty());
  CHECK(fixture.charge(id).refunded == domain::Cents(100));
}
