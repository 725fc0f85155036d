// `pixledger payment`, and other commands on unmatched money.
#include <catch2/catch.hpp>
#include <fstream>

#include "tests/tools/payments_world.h"

namespace pixledger::tests {

TEST_CASE("unmatched payments are listed by whether they are open") {
  const PaymentsWorld payments;
  CHECK(payments.list("open") == "[]\n");
  payments.arrive(1);
  payments.arrive(2, 990);
  const auto open = payments.list("open");
  CHECK(json_at(open, "/0/endToEndId") == sample_end_to_end_id(1).text());
  CHECK(json_at(open, "/0/amountCents") == "10000");
  CHECK(json_at(open, "/0/connectionId") == sample_bank_id().text());
  CHECK(json_at(open, "/0/state") == "open");
  CHECK(json_at(open, "/0/reason") == "no_txid");
  CHECK(json_at(open, "/1/amountCents") == "990");
  payments.pixledger.done(payments.of("close", 1, {"--reason", "sent back by hand"}));
  CHECK(json_at(payments.list("open"), "/0/amountCents") == "990");
  const auto closed = payments.list("closed");
  CHECK(json_at(closed, "/0/resolution") == "closed");
  CHECK(json_at(closed, "/0/closeReason") == "sent back by hand");
  CHECK(has(payments.list("all"), sample_end_to_end_id(2).text()));
  CHECK(has(payments.pixledger.done({"payment", "list", "--project", payments.project}), "no_txid"));
  CHECK(payments.pixledger.run({"payment", "list", "--project", payments.project, "--state", "lost"}).code ==
        2);
  CHECK(payments.pixledger.run({"payment", "list", "--project", "cnosuchproject"}).code == 1);
}

TEST_CASE("an unmatched payment is assigned to a charge, which it pays or not by the usual rules") {
  const PaymentsWorld payments;
  payments.arrive(1);
  payments.arrive(2, 1);
  const auto id = payments.create();
  const auto paid = payments.pixledger.done(payments.of("assign", 1, {"--id", id}));
  CHECK(json_at(paid, "/status") == "paid");
  CHECK(json_at(paid, "/endToEndId") == sample_end_to_end_id(1).text());
  const auto twice = payments.pixledger.run(payments.of("assign", 2, {"--id", id}));
  CHECK(twice.code == 1);
  CHECK(json_at(twice.out, "/flag") == "DUPLICATE_PAYMENT");
  const auto open = payments.list("open");
  CHECK(json_at(open, "/0/endToEndId") == sample_end_to_end_id(2).text());
  CHECK(json_at(open, "/0/kind") == "unapplied");
  CHECK_FALSE(has(open, sample_end_to_end_id(1).text()));
  const auto all = payments.list("all");
  CHECK(json_at(all, "/0/transactionId") == id);
  CHECK(json_at(all, "/0/kind") == "unmatched");
  CHECK(json_at(all, "/1/kind") == "unapplied");
  CHECK(payments.pixledger.run({"verify"}).code == 0);
}

TEST_CASE("money that was kept aside at charges is in list, report and doctor until it is settled") {
  const PaymentsWorld payments;
  const auto id = payments.create();
  const auto confirm = [&](unsigned payment, const std::string& cents) {
    return payments.pixledger.run({"charge", "confirm", "--id", id, "--end-to-end-id",
                                   sample_end_to_end_id(payment).text(), "--amount-cents", cents, "--json"});
  };
  CHECK(confirm(1, "9000").code == 1);
  CHECK(confirm(2, "500").code == 1);
  payments.arrive(3, 70);
  const auto open = payments.list("open");
  CHECK(json_at(open, "/0/reason") == "AMOUNT_MISMATCH");
  CHECK(json_at(open, "/0/transactionId") == id);
  CHECK(json_at(open, "/1/amountCents") == "500");
  CHECK(json_at(open, "/2/kind") == "unmatched");
  const auto report = [&] { return payments.pixledger.done({"report", "--project", payments.project}); };
  CHECK(json_at(report(), "/unapplied/0/count") == "2");
  CHECK(json_at(report(), "/unapplied/0/amountCents") == "9500");
  CHECK(json_at(report(), "/unapplied/0/connections/0/count") == "2");
  CHECK(json_at(report(), "/unmatched/0/amountCents") == "70");
  CHECK(json_at(report(), "/unmatched/0/connections/0/connection") == "banco");
  payments.pixledger.done({"projections", "rebuild"});
  const auto found = payments.pixledger.run({"doctor"}).out;
  CHECK(has(found, "2 payments, 95.00 reais in all, arrived at charges of project " + payments.project));
  payments.pixledger.done({"charge", "return-payment", "--end-to-end-id", sample_end_to_end_id(2).text()});
  payments.pixledger.done({"charge", "accept-payment", "--end-to-end-id", sample_end_to_end_id(1).text()});
  CHECK(json_at(report(), "/unapplied") == "[]");
  const auto closed = payments.list("closed");
  CHECK(json_at(closed, "/0/resolution") == "accepted");
  CHECK(json_at(closed, "/1/resolution") == "returned");
  CHECK_FALSE(has(payments.list("open"), "unapplied"));
}

TEST_CASE("a month's statement has the receipts, returns and balance of each connection, exact to the cent") {
  const PaymentsWorld payments;
  const auto id = payments.create();
  const auto amount = sample_creation(domain::Environment::kLive).amount.value();
  payments.pixledger.done({"charge", "confirm", "--id", id, "--end-to-end-id", sample_end_to_end_id(1).text(),
                           "--amount-cents", std::to_string(amount)});
  payments.arrive(2, 70);
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  const auto month = date_text(zone.day_of(SystemClock().now())).substr(0, 7);
  const auto statement =
      payments.pixledger.done({"report", "--project", payments.project, "--statement", month});
  CHECK(json_at(statement, "/month") == month);
  CHECK(json_at(statement, "/timezone") == "America/Sao_Paulo");
  std::int64_t in = 0;
  std::int64_t closing = 0;
  for (const std::string at : {"/totals/0/", "/totals/1/"}) {
    CHECK(json_at(statement, at + "openingCents") == "0");
    in += std::stoll(json_at(statement, at + "inCents"));
    closing += std::stoll(json_at(statement, at + "closingCents"));
  }
  CHECK(in == amount + 70);
  CHECK(closing == in);
  const auto later = payments.pixledger.done({"report", "--statement", "2999-01", "--format", "csv"});
  const auto lines = lines_of(later);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("day,environment,connection,connectionId,openingCents,inCents,feeCents,"));
  CHECK(lines[1].starts_with("2999-01-01,live,"));
  const auto brazilian = payments.pixledger.done({"report", "--format", "csv-br"});
  CHECK(has(brazilian, "Dia;Ambiente;"));
  for (const auto& wrong : {Words{"--statement", "2026-13"},
                            {"--statement", "2026"},
                            {"--statement", "2026-10-01"},
                            {"--statement", "2026-10", "--from", "2026-10-01"},
                            {"--statement", "2026-10", "--by", "paid"}}) {
    Words words{"report"};
    words.insert(words.end(), wrong.begin(), wrong.end());
    CHECK(payments.pixledger.run(words).code == 2);
  }
}

TEST_CASE("a wrongly assigned payment is reported with its charge, and with what to do") {
  const PaymentsWorld payments;
  payments.arrive(1, 70);
  payments.arrive(2);
  const auto wrong = payments.create(), right = payments.create();
  CHECK(payments.pixledger.run(payments.of("assign", 1, {"--id", wrong})).code == 1);
  const auto said = [&](const Words& words, const std::string& what) {
    const auto result = payments.pixledger.run(words);
    INFO(result.err);
    CHECK(result.code == 1);
    CHECK(has(result.err, what));
    CHECK_FALSE(has(result.err, "--state closed"));
  };
  const auto there = "assigned to charge " + wrong + " and is kept aside there (AMOUNT_MISMATCH)";
  said(payments.of("assign", 1, {"--id", right}), there);
  said(payments.of("close", 1), "accept-payment or return-payment");
  // Its bank shows it, so the bank returns it unless the money was returned otherwise.
  const auto returning = payments.pixledger.done(
      {"charge", "return-payment", "--end-to-end-id", sample_end_to_end_id(1).text(), "--json"});
  CHECK(json_at(returning, "/settlement") == "returning");
  said(payments.of("close", 1), "on its way back");
  payments.pixledger.done(payments.of("assign", 2, {"--id", right}));
  said(payments.of("close", 2), "assigned to charge " + right + " and pays it");
}

TEST_CASE("money that a bank can move is sent back by it, unless it went by other hands") {
  const PaymentsWorld payments;
  const auto id = payments.create();
  for (const unsigned payment : {1U, 2U}) {
    payments.arrive(payment, 70);
    CHECK(payments.pixledger.run(payments.of("assign", payment, {"--id", id})).code == 1);
  }
  const auto give_back = [&](unsigned payment, const Words& more) {
    Words words{"charge", "return-payment", "--end-to-end-id", sample_end_to_end_id(payment).text(),
                "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return json_at(payments.pixledger.done(words), "/settlement");
  };
  CHECK(give_back(1, {}) == "returning");
  CHECK(give_back(2, {"--recorded-only"}) == "returned");
}

TEST_CASE("money of the sandbox stands in no account and no table, unless it is asked for") {
  const PaymentsWorld payments;
  const auto live = payments.create(), sandbox = payments.create(domain::Environment::kSandbox);
  const auto amount = std::to_string(sample_creation(domain::Environment::kLive).amount.value());
  unsigned payment = 0;
  for (const auto& id : {live, sandbox})
    payments.pixledger.done({"charge", "confirm", "--id", id, "--end-to-end-id",
                             sample_end_to_end_id(++payment).text(), "--amount-cents", amount});
  CHECK(payments.pixledger
            .run({"charge", "confirm", "--id", sandbox, "--end-to-end-id", sample_end_to_end_id(3).text(),
                  "--amount-cents", "77"})
            .code == 1);
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  const auto month = date_text(zone.day_of(SystemClock().now())).substr(0, 7);
  const auto report = [&](const Words& more) {
    Words words{"report", "--project", payments.project};
    words.insert(words.end(), more.begin(), more.end());
    return payments.pixledger.done(words);
  };
  const auto of_live = report({"--statement", month});
  CHECK(json_at(of_live, "/environment") == "live");
  CHECK(json_at(of_live, "/totals/0/inCents") == amount);
  CHECK_FALSE(has(of_live, "sandbox"));
  const auto of_all = report({"--statement", month, "--environment", "all"});
  CHECK(json_at(of_all, "/environment") == "all");
  CHECK(has(of_all, "sandbox"));
  CHECK(json_at(of_all, "/totals/0/inCents") == amount);
  CHECK(json_at(report({"--statement", month, "--environment", "sandbox"}), "/totals/0/inCents") ==
        std::to_string(std::stoll(amount) + 77));
  for (const std::string format : {"csv", "csv-br"}) {
    for (const auto& table : {Words{"--format", format}, {"--format", format, "--statement", month}}) {
      CHECK_FALSE(has(report(table), "sandbox"));
      CHECK(has(report(table), format == "csv" ? "live" : "produção"));
      auto both = table;
      both.insert(both.end(), {"--environment", "all"});
      CHECK(has(report(both), "sandbox"));
    }
  }
  // For programs there are both, each row with its own, as ever.
  CHECK(json_at(report({}), "/environment") == "all");
  CHECK(json_at(report({}), "/totals/1/environment") == "sandbox");
  const auto sandbox_alone = report({"--environment", "sandbox"});
  CHECK_FALSE(has(sandbox_alone, "live"));
  CHECK(json_at(sandbox_alone, "/unapplied/0/amountCents") == "77");
  CHECK(json_at(report({"--environment", "live"}), "/unapplied") == "[]");
  CHECK(payments.pixledger.run({"report", "--environment", "test"}).code == 2);
}

TEST_CASE("an impossible assignment or closing is refused with a reason, and changes nothing") {
  const PaymentsWorld payments;
  payments.arrive(1);
  const auto id = payments.create();
  const auto sandbox = payments.create(domain::Environment::kSandbox);
  const auto other = payments.create_project();
  const auto theirs = payments.create(domain::Environment::kLive, other);
  const auto events = lines_of(payments.pixledger.done({"events"})).size();
  const auto refused = [&](const Words& words, const std::string& why) {
    const auto result = payments.pixledger.run(words);
    INFO(result.err);
    CHECK(result.code == 1);
    CHECK(has(result.err, why));
  };
  refused(payments.of("assign", 2, {"--id", id}), "no unmatched payment");
  refused(payments.of("assign", 1, {"--id", sandbox}), "different worlds");
  refused(payments.of("assign", 1, {"--id", theirs}), "another project");
  refused(payments.of("assign", 1, {"--id", "cnosuchtransaction"}), "no such charge");
  refused(payments.of("close", 2), "no unmatched payment");
  auto of_other = payments.of("close", 1);
  of_other[3] = other;
  refused(of_other, "no unmatched payment");
  refused({"charge", "return-payment", "--end-to-end-id", sample_end_to_end_id(1).text()},
          "pixledger payment");
  CHECK(payments.pixledger.run(payments.of("assign", 1)).code == 2);
  CHECK(payments.pixledger.run(payments.of("assign", 1, {"--id", "x"})).code == 2);
  CHECK(payments.pixledger.run(payments.of("close", 1, {"--reason", ""})).code == 2);
  CHECK(lines_of(payments.pixledger.done({"events"})).size() == events);

  payments.pixledger.done(payments.of("close", 1));
  refused(payments.of("close", 1), "settled already");
  refused(payments.of("assign", 1, {"--id", id}), "settled already");
}

TEST_CASE("confirming an unmatched payment for its charge assigns it") {
  const PaymentsWorld payments;
  payments.arrive(1);
  const auto id = payments.create();
  const Words confirm{"charge", "confirm", "--id", id, "--end-to-end-id", sample_end_to_end_id(1).text(),
                      "--json"};
  const auto with = [&](Words words, const char* cents) {
    words.insert(words.end(), {"--amount-cents", cents});
    return words;
  };
  CHECK(payments.pixledger.run(with(confirm, "9999")).code == 1);
  CHECK(json_at(payments.pixledger.done(with(confirm, "10000")), "/status") == "paid");
  CHECK(json_at(payments.list("closed"), "/0/resolution") == "assigned");
}

TEST_CASE("history, export, report and reconcile include unmatched money") {
  const PaymentsWorld payments;
  payments.arrive(1);
  payments.arrive(2, 990);
  payments.arrive(3, 5);
  const auto id = payments.create();
  payments.pixledger.done(payments.of("assign", 1, {"--id", id}));
  payments.pixledger.done(payments.of("close", 3, {"--send-back", "--reason", "not ours"}));

  const auto history = payments.pixledger.done({"history", "--id", sample_end_to_end_id(3).text()});
  CHECK(has(history, "fits no charge: no_txid"));
  CHECK(has(history, "to be sent back with r"));
  CHECK(has(history, "not ours"));
  const auto assigned = payments.pixledger.done({"history", "--id", sample_end_to_end_id(1).text()});
  CHECK(has(assigned, "assigned to charge " + id));
  CHECK(has(assigned, "paid"));
  CHECK_FALSE(has(assigned, "created"));

  const auto rows = lines_of(payments.pixledger.done({"export", "--format", "jsonl", "--what", "payments"}));
  REQUIRE(rows.size() == 3);
  const auto outcomes = [&](std::size_t row) {
    return json_at(rows[row], "/endToEndId") + " " + json_at(rows[row], "/flag") + " " +
           json_at(rows[row], "/outcome");
  };
  CHECK(outcomes(0) == sample_end_to_end_id(2).text() + " UNMATCHED unmatched");
  CHECK(outcomes(1) == sample_end_to_end_id(3).text() + " UNMATCHED returning");
  CHECK(json_at(rows[2], "/transactionId") == id);

  const auto report = payments.pixledger.done({"report", "--project", payments.project});
  CHECK(json_at(report, "/unmatched/0/count") == "1");
  CHECK(json_at(report, "/unmatched/0/amountCents") == "990");

  const auto file = (payments.pixledger.directory() / "statement.csv").string();
  // An assigned payment is its charge's, whichever charge the bank's txid names.
  std::ofstream(file) << "endToEndId,amountCents,paidAt,txid\n"
                      << sample_end_to_end_id(1).text()
                      << ",10000,2026-03-01T12:00:00Z,pcmwsxcd9r0001hppvt952lp09\n"
                      << sample_end_to_end_id(2).text() << ",990,2026-03-01T12:00:00Z,\n";
  const auto compared =
      payments.pixledger.run({"reconcile", "--project", payments.project, "--statement", file, "--json"});
  CHECK(compared.code == 1);
  CHECK(json_at(compared.out, "/counts/matched") == "1");
  CHECK(json_at(compared.out, "/unmatched/0/endToEndId") == sample_end_to_end_id(2).text());
  CHECK(json_at(compared.out, "/missingInStatement/0/endToEndId") == sample_end_to_end_id(3).text());
  CHECK(payments.pixledger.run({"verify"}).code == 0);
}

}  // namespace pixledger::tests
