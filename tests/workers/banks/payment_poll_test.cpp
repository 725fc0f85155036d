#include "workers/banks/payment_poll.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "tests/workers/banks/poll_fixture.h"
#include "workers/banks/poll_plan.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using namespace std::chrono_literals;
using domain::ChargeStatus;

TEST_CASE("plans of polls are read, and invalid ones are refused") {
  const auto plan = PollPlan::parse("10s:15m,10m:24h,24h:100d");
  REQUIRE(plan);
  REQUIRE(plan->tiers().size() == 3);
  CHECK(plan->tiers()[0].every == 10s);
  CHECK(plan->tiers()[0].back == 15min);
  CHECK(plan->tiers()[2].every == 24h);
  CHECK(plan->tiers()[2].back == 24h * 100);
  for (const char* text : {"", "10s", "10s:", ":15m", "0s:15m", "10s:15", "10x:15m", "-1s:15m", "10s:401d",
                           "1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s,1s:1s"})
    CHECK_FALSE(PollPlan::parse(text));
}

TEST_CASE("all pages of an account are reported, and its cursor moves after them") {
  PollFixture fixture;
  const auto one = fixture.create_with_code();
  const auto other = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(one, 1), 2, 0, 2));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(other, 2), 2, 1, 2));
  const auto before = fixture.ledger.clock.now();
  CHECK(fixture.look());
  CHECK(fixture.charge(one).status == ChargeStatus::kPaid);
  CHECK(fixture.charge(other).status == ChargeStatus::kPaid);
  REQUIRE(fixture.database.looked_up_to(fixture.connection));
  // By the bank's clock, which has a resolution of a second.
  CHECK(*fixture.database.looked_up_to(fixture.connection) >= before.plus_millis(-2'000));
}

TEST_CASE("a cursor stays where a page is missing, and the next look begins there") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 2, 0, 2));
  CHECK_FALSE(fixture.look());
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  // The payments are in the ledger already, and are reported once.
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  const auto head = fixture.ledger.log.head().position;
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 1));
  CHECK(fixture.look());
  CHECK(fixture.ledger.log.head().position == head);
}

TEST_CASE("a worker that is to stop asks for no further page") {
  PollFixture fixture;
  fixture.stopping = true;
  CHECK_FALSE(fixture.look());
  CHECK(pages_of(fixture.bank) == 0);
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("a bank that has more pages than there can be is not asked for them all") {
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", 200, fixture.page("", 0, 0, 1'000'000));
  CHECK_FALSE(fixture.look());
  // Half of the window is asked about, since that may be another matter.
  CHECK(pages_of(fixture.bank) == 2);
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("many faults of one kind are one line, with their number") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  std::string payments = fixture.payment(id);
  for (int i = 0; i < 60; ++i) payments += R"(,{"endToEndId":"none"})";
  for (int i = 0; i < 30; ++i) payments += ",1";
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(payments, 91));
  CHECK(fixture.look());
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 2);
  CHECK(fixture.agents_log.has(R"("payments":60)"));
  CHECK(fixture.agents_log.has(R"("payments":30)"));
}

TEST_CASE("a window with ten thousand payments or more is looked at by halves") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 10'001, 0, 101));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 1));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 3);
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
}

TEST_CASE("a long window that the bank does not manage is looked at by halves, a short one again later") {
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", 504, "");
  for (int half = 0; half < 2; ++half)
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look(24h));
  CHECK(pages_of(fixture.bank) == 3);
  fixture.bank.will_answer("GET /pix", 504, "");
  CHECK_FALSE(fixture.look(15min));
  CHECK(pages_of(fixture.bank) == 4);
}

TEST_CASE("a later page of a long look is asked for again before all of it is") {
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look());
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 2, 0, 2));
  fixture.bank.will_answer("GET /pix", 502, "");
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 2, 1, 2));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 4);
}

TEST_CASE("a payment of the future changes nothing, holds up nothing, and is read again in its time") {
  PollFixture fixture;
  const auto early = fixture.create_with_code();
  const auto usual = fixture.create_with_code();
  const auto claimed = fixture.ledger.clock.now().plus_millis(20 * kMinuteMs);
  const auto shown = fixture.payment(early, 1, claimed) + "," + fixture.payment(usual, 2);
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 2));
  CHECK(fixture.look());
  CHECK(fixture.charge(early).status == ChargeStatus::kWaitingPayment);
  CHECK(fixture.charge(usual).status == ChargeStatus::kPaid);
  CHECK(fixture.database.looked_up_to(fixture.connection));
  CHECK(fixture.database.payments_due(fixture.ledger.clock.now(), 10).empty());
  const auto kept = fixture.database.payments_due(claimed, 10);
  REQUIRE(kept.size() == 1);
  CHECK(kept.front().reason == stores::ReadReason::kInFuture);
  CHECK(kept.front().due_at == claimed.plus_millis(-domain::kPaymentAheadMsMax));
  // It is found by each poll, and stored once.
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 2));
  CHECK(fixture.look());
  CHECK(fixture.database.payments_due(claimed, 10).size() == 1);
}

TEST_CASE("a window that a bank refuses is halved, and the accepted length is remembered") {
  const int status = GENERATE(400, 413, 422, 504);
  CAPTURE(status);
  PollFixture fixture;
  const bool is_refusal = status < 500;
  // As a whole, up to a little earlier, the newer half; then quarters.
  for (int i = 0; i < (is_refusal ? 3 : 2); ++i) fixture.bank.will_answer("GET /pix", status, "{}");
  for (int quarter = 0; quarter < 4; ++quarter)
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == (is_refusal ? 7 : 6));
  REQUIRE(fixture.database.looked_up_to(fixture.connection));
  const auto window = fixture.database.window(fixture.connection);
  REQUIRE(window);
  CHECK(window->length_ms / kMinuteMs == (7 * 24 * 60 + 15) / 4);
  // Also by a restarted worker, from the database.
  for (int part = 0; part < 3; ++part)
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look(5 * 24h));
  CHECK(pages_of(fixture.bank) == (is_refusal ? 10 : 9));
  // After a day a longer window is tried again.
  fixture.database.note_window(fixture.connection,
                               {window->length_ms, fixture.ledger.clock.now().plus_millis(-2 * kDayMs)});
  for (int part = 0; part < 2; ++part)
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look(5 * 24h));
  CHECK(fixture.database.window(fixture.connection)->length_ms == 2 * window->length_ms);
}

TEST_CASE("a poll refused down to an hour is unread, which is recorded with the bank's answer") {
  PollFixture fixture;
  for (int i = 0; i < 30; ++i) fixture.bank.will_answer("GET /pix", 400, R"({"type":"PixConsultaInvalida"})");
  CHECK_FALSE(fixture.look(24h * 100));
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  CHECK_FALSE(fixture.database.window(fixture.connection));
  const auto looks = fixture.looks();
  REQUIRE(looks.size() == 1);
  CHECK(stores::back_of(looks.front().look) == "100d");
  CHECK_FALSE(looks.front().seen_at);
  CHECK(looks.front().fault == "400 PixConsultaInvalida");
}

TEST_CASE("a bank that shows nothing so long ago is asked for it again in its time, and the rest is seen") {
  PollFixture fixture;
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now().plus_millis(-kMinuteMs));
  // The whole twice, then the newer half of two hours; the older one is refused.
  fixture.bank.will_answer("GET /pix", 400, "{}");
  fixture.bank.will_answer("GET /pix", 400, "{}");
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  fixture.bank.will_answer("GET /pix", 400, "{}");
  fixture.bank.will_answer("GET /pix", 400, "{}");
  const auto before = fixture.ledger.clock.now();
  CHECK(fixture.look(2h));
  CHECK(*fixture.database.looked_up_to(fixture.connection) >= before.plus_millis(-5'000));
  REQUIRE(fixture.looks().size() == 1);
  CHECK_FALSE(fixture.looks().front().seen_at);
  CHECK(fixture.looks().front().fault == "400");
}

TEST_CASE("a bank that refuses a window that ends now gets a slightly earlier one at once") {
  PollFixture fixture;
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  fixture.bank.will_answer("GET /pix", 400, "{}");
  fixture.bank.will_answer("GET /pix", 400, "{}");
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look(15min));
  CHECK(pages_of(fixture.bank) == 3);
  CHECK_FALSE(fixture.database.window(fixture.connection));
  CHECK(*fixture.database.looked_up_to(fixture.connection) <=
        fixture.ledger.clock.now().plus_millis(-10'000));
}

TEST_CASE("two losses of a bank are two log lines, and one seen again by later polls is not") {
  PollFixture fixture;
  const auto now = fixture.ledger.clock.now();
  const auto report = [&](std::int64_t from_min, std::int64_t to_min, std::int64_t missing) {
    fixture.intake.report_missing(
        fixture.at_hand(),
        {.begin = now.plus_millis(from_min * kMinuteMs), .end = now.plus_millis(to_min * kMinuteMs)},
        missing);
  };
  const auto lines = [&] {
    return fixture.agents_log.lines_with("a bank shows fewer payments than it says to have");
  };
  report(0, 15, 1);
  for (std::int64_t later = 0; later < 15; ++later) report(later, later + 15, 1);
  report(-1'440, 15, 1);
  CHECK(lines() == 1);
  // Its minute has left the window.
  report(16, 31, 1);
  CHECK(lines() == 2);
  report(16, 31, 2);
  CHECK(lines() == 3);
  // Halves of a window share a second.
  report(100, 110, 1);
  report(110, 120, 1);
  CHECK(lines() == 5);
}

TEST_CASE("a bank that ignores the page size is read, and that is logged once") {
  PollFixture fixture;
  const auto first = fixture.create_with_code(), last = fixture.create_with_code();
  const auto filled = [&](const std::string& payment, int payments) {
    auto text = payment;
    for (int i = 1; i < payments; ++i) text += "," + payment;
    return text;
  };
  SECTION("on pages of its own length") {
    fixture.bank.will_answer("GET /pix", 200,
                             BankFixture::page(filled(fixture.payment(first, 1), 500), 501, 0, 2));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(last, 2), 501, 1, 2));
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 2);
  }
  SECTION("all at once, whatever pages it counts") {
    const auto all = filled(fixture.payment(first, 1), 1'099) + "," + fixture.payment(last, 2);
    for (int look = 0; look < 2; ++look) {
      fixture.bank.will_answer("GET /pix", 200, BankFixture::page(all, 1'100, 0, 11));
      fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 1'100, 1, 11));
      CHECK(fixture.look());
    }
    CHECK(pages_of(fixture.bank) == 4);
  }
  CHECK(fixture.charge(first).status == ChargeStatus::kPaid);
  CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank shows more payments on a page than it was asked for") == 1);
}

TEST_CASE("a page with more payments than are looked at is halved, in a busy quarter of an hour as well") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  auto all = fixture.payment(id);
  for (int i = 1; i < 1'101; ++i) all += "," + fixture.payment(id);
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(all, 1'101));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 1));
  CHECK(fixture.look(15min));
  CHECK(pages_of(fixture.bank) == 3);
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  // A minute with more of them is left unread, and logged.
  for (int i = 0; i < 30; ++i) fixture.bank.will_answer("GET /pix", 200, BankFixture::page(all, 1'101));
  CHECK_FALSE(fixture.look(15min));
  CHECK(pages_of(fixture.bank) == 7);
  CHECK(fixture.looks().back().fault == "pix has over 1100 entries");
}

TEST_CASE("a bank that limits the length of a window is asked up to now on all days") {
  PollFixture fixture;
  auto& client = *fixture.at_hand().client;
  for (int day = 1; day <= 3; ++day) {
    CAPTURE(day);
    fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
    if (const auto known = fixture.database.window(fixture.connection))
      fixture.database.note_window(fixture.connection,
                                   {known->length_ms, fixture.ledger.clock.now().plus_millis(-2 * kDayMs)});
    // The whole, or twice what is known, is refused, also where it ends a little earlier; then the halves.
    fixture.bank.will_answer("GET /pix", 400, "{}");
    fixture.bank.will_answer("GET /pix", 400, "{}");
    for (int half = 0; half < 2; ++half)
      fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
    CHECK(fixture.look(24h));
    CHECK(client.less_by_ms() == 0);
  }
  CHECK(pages_of(fixture.bank) == 12);
}

TEST_CASE(
    "payments that cannot be read are alarmed once a day, in a line for each kind, and hold up nothing") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  auto bad = fixture.payment(id, 2);
  bad.replace(bad.find("100.00"), 6, "cem");
  const auto shown = bad + R"(,{"endToEndId":"E1"},)" + fixture.payment(id, 1);
  for (int i = 0; i < 2; ++i) {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 3));
    CHECK(fixture.look());
  }
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 2);
  CHECK(fixture.agents_log.lines_with("valor is not an amount") == 1);
}

TEST_CASE("payments without a readable id are distinguished, and reported again each day") {
  PollFixture fixture;
  const auto shows = [&](const std::string& amount) {
    fixture.bank.will_answer("GET /pix", 200,
                             BankFixture::page(R"({"idE2E":"E1","valor":")" + amount + R"("})", 1));
    CHECK(fixture.look());
  };
  shows("19.90");
  shows("19.90");
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 1);
  shows("500.00");
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 2);
  const PaymentIntake tomorrow{{.log = fixture.ledger.log,
                                .clock = fixture.agents_clock,
                                .logger = fixture.agents_log.logger,
                                .database = fixture.database,
                                .report = fixture.report,
                                .meters = fixture.meters}};
  fixture.agents_clock.set_wall_clock(fixture.ledger.clock.now().plus_millis(kDayMs));
  const auto page = parse_pix_page(R"({"pix":[{"idE2E":"E1","valor":"19.90"}]})");
  tomorrow.report_unusable(fixture.at_hand(), std::get<BankPixPage>(page).found.unusable);
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 3);
  fixture.meters.save();
  fixture.looks();
  const auto states = stores::bank_states(fixture.ledger.directory.path() / "workers");
  const auto counted = std::find_if(states.counts.begin(), states.counts.end(),
                                    [](const auto& count) { return count.first == "unreadable_payment"; });
  REQUIRE(counted != states.counts.end());
  CHECK(counted->value == 3);
  REQUIRE(states.misfits.size() == 1);
  CHECK(states.misfits.front().detail == "pix[0].endToEndId is missing");
}

TEST_CASE("a payment without a txid whose key is no text is accepted if the account has one key") {
  PollFixture fixture;
  const auto end_to_end_id = sample_end_to_end_id(1);
  const bool has_one = GENERATE(true, false);
  if (!has_one)
    fixture.ledger.execute(
        domain::ChangeConnection{.project = fixture.ledger.project(),
                                 .connection = fixture.connection,
                                 .change = {.pix_key = parsed<domain::PixKey>("outra@example.com")}});
  const auto* key = GENERATE("12345678901", R"({"tipo":"EMAIL"})");
  const auto shown = R"({"endToEndId":")" + end_to_end_id.text() + R"(","valor":"19.90","chave":)" + key +
                     R"(,"horario":")" + to_iso8601(fixture.ledger.clock.now()) + R"("})";
  for (int looks = 0; looks < 2; ++looks) {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 1));
    CHECK(fixture.look());
  }
  const auto unmatched = eventstore::fold_as<domain::UnmatchedPayment>(fixture.ledger.log,
                                                                       domain::payment_stream(end_to_end_id));
  CHECK(unmatched.has_value() == has_one);
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == (has_one ? 0 : 1));
}

TEST_CASE("a recorded payment is followed up though its key is not a text and the account has several keys") {
  PollFixture fixture;
  const auto id = fixture.create_paid();
  fixture.ledger.execute(
      domain::ChangeConnection{.project = fixture.ledger.project(),
                               .connection = fixture.connection,
                               .change = {.pix_key = parsed<domain::PixKey>("outra@example.com")}});
  const auto now = to_iso8601(fixture.ledger.clock.now());
  const auto shown = R"({"endToEndId":")" + sample_end_to_end_id(1).text() +
                     R"(","valor":"100.00","chave":12345678901,"horario":")" + now +
                     R"(","devolucoes":[{"id":"MED1","rtrId":"D12345678202603011200abcde12345M",)" +
                     R"("valor":"40.00","natureza":"MED_FRAUDE","status":"DEVOLVIDO","horario":)" +
                     R"({"solicitacao":")" + now + R"(","liquidacao":")" + now + R"("}}]})";
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 1));
  CHECK(fixture.look());
  CHECK(fixture.charge(id).refunds == 1);
  CHECK(fixture.agents_log.lines_with("a payment at the bank cannot be read") == 0);
}

TEST_CASE("a payment of a time that no zone explains has that of its end-to-end id") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  const auto* claimed = GENERATE("9999-12-31T23:59:59Z", "2099-01-01T00:00:00-03:00");
  const auto now = fixture.ledger.clock.now();
  auto shown = fixture.payment(id, 1, now);
  const auto written = to_iso8601(now);
  shown.replace(shown.find(written), written.size(), claimed);
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(shown, 1));
  CHECK(fixture.look());
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a payment at the bank has no time that can be read") == 1);
}

TEST_CASE("an account where nothing was found is read, in whichever spelling") {
  const auto [status, body] =
      GENERATE(table<int, const char*>({{204, ""}, {200, "{}"}, {404, R"({"type":"x/PixNaoEncontrado"})"}}));
  PollFixture fixture;
  fixture.bank.will_answer("GET /pix", status, body);
  CHECK(fixture.look());
  CHECK(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("a bank that writes times too early is looked at further back") {
  PollFixture fixture;
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  fixture.database.note_early(fixture.connection, 180 * kMinuteMs, fixture.ledger.clock.now());
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 0, 0));
  CHECK(fixture.look(15min));
  const auto path = fixture.bank.last().path;
  const auto begin = path.find("inicio=") + 7;
  auto written = path.substr(begin, path.find('&') - begin);
  for (auto at = written.find("%3A"); at != std::string::npos; at = written.find("%3A"))
    written.replace(at, 3, ":");
  CHECK(*parse_iso8601(written) < fixture.ledger.clock.now().plus_millis(-190 * kMinuteMs));
}
