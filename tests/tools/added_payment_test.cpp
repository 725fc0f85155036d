// `pixledger charge accept-payment --add`, and its effect in other commands.
#include "tests/tools/payments_world.h"

namespace pixledger::tests {

TEST_CASE("two payments that sum to the amount count for one charge, in every command") {
  const PaymentsWorld payments;
  const auto id = payments.create();
  const auto run = [&](Words words, unsigned payment) {
    words.insert(words.begin(), "charge");
    for (const std::string word : {"--end-to-end-id", "--json"}) words.push_back(word);
    words.insert(words.end() - 1, sample_end_to_end_id(payment).text());
    return payments.pixledger.run(words);
  };
  const auto confirm = [&](unsigned payment, const std::string& cents) {
    return run({"confirm", "--id", id, "--amount-cents", cents}, payment);
  };
  CHECK(confirm(1, "6000").code == 1);
  CHECK(confirm(2, "4000").code == 1);
  const auto early = run({"accept-payment", "--add"}, 2);
  CHECK(early.code == 1);
  CHECK(has(early.err, "is not paid"));
  CHECK(run({"accept-payment"}, 1).code == 0);
  const auto plain = run({"accept-payment"}, 2);
  CHECK(plain.code == 1);
  CHECK(has(plain.err, "give --add"));
  // A part of it is returned before it counts.
  payments.execute(domain::ReportUnappliedReversal{
      parsed<domain::ChargeId>(id), sample_end_to_end_id(2), parsed<domain::RefundId>("MED1"),
      parsed<domain::ReturnId>("D1823612020260301120000000000001"), domain::Cents(100), SystemClock().now()});

  for (int repeat = 0; repeat < 2; ++repeat) {
    const auto added = run({"accept-payment", "--add"}, 2);
    CHECK(added.code == 0);
    CHECK(json_at(added.out, "/paidAmountCents") == "10000");
    CHECK(json_at(added.out, "/payments/1/amountCents") == "4000");
    CHECK_FALSE(has(added.out, "missingCents"));
  }
  CHECK(has(run({"accept-payment"}, 1).err, "it pays charge " + id));

  CHECK(payments.list("open") == "[]\n");
  CHECK(json_at(payments.list("closed"), "/1/resolution") == "accepted");
  const auto report = payments.pixledger.done({"report", "--project", payments.project, "--by", "paid"});
  CHECK(json_at(report, "/unapplied") == "[]");
  CHECK(json_at(report, "/totals/0/count") == "1");
  CHECK(json_at(report, "/totals/0/paidCents") == "10000");
  CHECK(json_at(report, "/totals/0/refundedCents") == "100");
  const auto month =
      date_text(parsed<TimeZone>("America/Sao_Paulo").day_of(SystemClock().now())).substr(0, 7);
  const auto statement =
      payments.pixledger.done({"report", "--project", payments.project, "--statement", month});
  CHECK(json_at(statement, "/totals/0/inCents") == "10000");
  CHECK(json_at(statement, "/totals/0/closingCents") == "9900");
  const auto history = payments.pixledger.done({"history", "--id", sample_end_to_end_id(2).text()});
  CHECK(has(history, "added to the charge's payment"));
  CHECK(has(history, "1.00 of payment " + sample_end_to_end_id(2).text() + " sent back by the bank"));
  CHECK_FALSE(has(payments.pixledger.done({"history", "--id", sample_end_to_end_id(1).text()}), "sent back"));
  const auto rows = lines_of(payments.pixledger.done({"export", "--what", "payments", "--format", "csv"}));
  REQUIRE(rows.size() == 3);
  CHECK(has(rows[1], ",applied,"));
  CHECK(has(rows[2], ",applied,"));
  payments.pixledger.done({"verify"});
  payments.pixledger.done({"projections", "rebuild"});
  CHECK_FALSE(has(payments.pixledger.run({"doctor"}).out, "are kept aside"));
}

}  // namespace pixledger::tests
