#include <algorithm>
#include <catch2/catch.hpp>
#include <fstream>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/support/servers/raw_http.h"
#include "tests/support/servers/test_service.h"

namespace pixledger::tests {
namespace {

// A project with charges, and the command line on its ledger.
class Charges {
 public:
  std::string create(domain::Environment environment) const {
    auto command = sample_creation(environment);
    command.project = parsed<domain::ProjectId>(project_);
    const auto completed = execute(command);
    return std::string(completed.events().back().stream.key());
  }
  eventstore::Completed execute(const domain::Command& command) const {
    const auto options = tests::one_gigabyte();
    const auto ledger = eventstore::Ledger::open({pixledger_.data()}, options);
    const SystemClock clock;
    SystemEntropy entropy;
    eventstore::Executor executor(*ledger.log, clock, entropy);
    auto completed = std::get<eventstore::Completed>(
        executor.execute({command, "operator-test", std::nullopt, "", std::nullopt}));
    REQUIRE(completed.outcome.done());
    return completed;
  }

  ProcessResult run(const std::vector<std::string>& arguments) const { return pixledger_.run(of(arguments)); }
  std::string done(const std::vector<std::string>& arguments) const { return pixledger_.done(of(arguments)); }
  ProcessResult confirm(const std::string& id, unsigned payment, const std::string& cents,
                        const std::vector<std::string>& more = {}) const {
    std::vector<std::string> arguments = {"confirm",
                                          "--id",
                                          id,
                                          "--amount-cents",
                                          cents,
                                          "--end-to-end-id",
                                          sample_end_to_end_id(payment).text()};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return run(arguments);
  }
  // The last event of the ledger.
  std::string last_event() const { return lines_of(pixledger_.done({"events"})).back(); }

 private:
  static std::vector<std::string> of(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "charge");
    if (std::find(arguments.begin(), arguments.end(), "--text") == arguments.end())
      arguments.push_back("--json");
    else
      arguments.erase(std::find(arguments.begin(), arguments.end(), "--text"));
    return arguments;
  }

  PixledgerCommand pixledger_;
  std::string project_ = json_at(
      pixledger_.done({"project", "create", "--name", "Loja", "--pix-key", "loja@example.com", "--json"}),
      "/projectId");
};

std::string time_from_now(std::int64_t millis) { return to_iso8601(SystemClock().now().plus_millis(millis)); }

// `pixledger-server` on the data directory of a `pixledger` command.
class Server {
 public:
  Server(const PixledgerCommand& pixledger, std::string key)
      : key_(std::move(key)),
        port_file_(pixledger.directory() / "port"),
        process_(built_program("pixledger-server"),
                 pixledger.arguments({"--listen", "127.0.0.1:0", "--port-file", port_file_.string()})) {
    REQUIRE(process_.wait_for_out("ready"));
    std::ifstream(port_file_) >> port_;
  }

  std::string get(const std::string& path) const { return send("GET " + path, ""); }
  std::string post(const std::string& path, const std::string& body) const {
    return send("POST " + path, body);
  }

 private:
  std::string send(const std::string& request, const std::string& body) const {
    return tests::exchange(port_, request + " HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + key_ +
                                      "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                                      body)
        .body;
  }

  std::string key_;
  std::filesystem::path port_file_;
  Process process_;
  std::uint16_t port_ = 0;
};

const std::string kPayment = sample_end_to_end_id(1).text();

bool has_flag(const std::string& json) { return json.find("\"flag\"") != std::string::npos; }

}  // namespace

TEST_CASE("a confirmed payment pays a charge of either environment") {
  const Charges charges;
  unsigned payment = 0;
  for (const auto environment : {domain::Environment::kLive, domain::Environment::kSandbox}) {
    const auto id = charges.create(environment);
    const auto paid = charges.confirm(id, ++payment, "10000", {"--paid-at", time_from_now(-1'000)});
    INFO(paid.err);
    REQUIRE(paid.code == 0);
    CHECK(json_at(paid.out, "/transactionId") == id);
    CHECK(json_at(paid.out, "/status") == "paid");
    CHECK(json_at(paid.out, "/endToEndId") == sample_end_to_end_id(payment).text());
    CHECK_FALSE(has_flag(paid.out));
    CHECK(json_at(charges.last_event(), "/type") == "ChargePaid");
    CHECK(json_at(charges.last_event(), "/actor").substr(0, 9) == "operator-");

    const auto before = charges.last_event();
    CHECK(charges.confirm(id, payment, "10000").code == 0);
    CHECK(charges.last_event() == before);
  }
}

TEST_CASE("a payment that does not fit is flagged, and accepted or returned by hand") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  const auto differs = charges.confirm(id, 1, "9999");
  REQUIRE(differs.code == 1);
  CHECK(json_at(differs.out, "/flag") == "AMOUNT_MISMATCH");
  CHECK(json_at(differs.out, "/status") == "waiting_payment");
  CHECK(json_at(charges.confirm(id, 1, "9999").out, "/flag") == "AMOUNT_MISMATCH");

  const auto accepted = charges.done({"accept-payment", "--end-to-end-id", kPayment});
  CHECK(json_at(accepted, "/transactionId") == id);
  CHECK(json_at(accepted, "/status") == "paid");
  CHECK_FALSE(has_flag(accepted));

  CHECK(json_at(charges.confirm(id, 2, "10000").out, "/flag") == "DUPLICATE_PAYMENT");
  const auto second = sample_end_to_end_id(2).text();
  const auto refused = charges.run({"accept-payment", "--end-to-end-id", second});
  CHECK(refused.code == 1);
  CHECK(refused.err.find("status") != std::string::npos);
  const auto returned =
      charges.done({"return-payment", "--end-to-end-id", second, "--reason", "sent back by the bank"});
  CHECK(json_at(returned, "/status") == "paid");
  CHECK(json_at(charges.last_event(), "/data/reason") == "sent back by the bank");
  // A settled payment is shown as settled, with its outcome.
  const auto said = [&](const std::vector<std::string>& words, const std::string& what) {
    const auto result = charges.run(words);
    INFO(result.err);
    CHECK(result.code == 1);
    CHECK(result.err.find(what) != std::string::npos);
  };
  for (const std::string option : {"--recorded-only", "--send-back"})
    said({"return-payment", "--end-to-end-id", second, option},
         "recorded as returned by other hands already");
  said({"accept-payment", "--end-to-end-id", second}, "send it back in your bank's application");
  said({"accept-payment", "--end-to-end-id", kPayment}, "accepted already: it pays charge " + id);
  said({"return-payment", "--end-to-end-id", kPayment}, "a refund");
  CHECK(charges.run({"return-payment", "--end-to-end-id", second, "--recorded-only", "--send-back"}).code ==
        2);
  CHECK(json_at(returned, "/settlement") == "returned");
  const auto again = charges.confirm(id, 2, "10000");
  CHECK(again.code == 1);
  CHECK(json_at(again.out, "/settlement") == "returned");
  CHECK(charges.confirm(id, 2, "10000", {"--text"}).out.find("recorded as returned, and settled") !=
        std::string::npos);
}

TEST_CASE(
    "accepting one of two payments that together make the amount says what is missing and what is kept") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  REQUIRE(charges.confirm(id, 1, "6000").code == 1);
  REQUIRE(charges.confirm(id, 2, "4000").code == 1);
  const auto accepted = charges.done({"accept-payment", "--end-to-end-id", kPayment});
  CHECK(json_at(accepted, "/missingCents") == "4000");
  CHECK(json_at(accepted, "/keptAside/0/endToEndId") == sample_end_to_end_id(2).text());
  CHECK(json_at(accepted, "/keptAside/0/amountCents") == "4000");
  CHECK_THAT(charges.confirm(id, 1, "6000", {"--text"}).out,
             Catch::Contains("Another payment of this charge is kept aside"));
}

TEST_CASE("money for a charge that is closed is kept, and accepting it opens the charge again as paid") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kSandbox);
  charges.execute(domain::CancelCharge{{}, parsed<domain::ChargeId>(id)});
  const auto closed = charges.confirm(id, 1, "10000");
  CHECK(json_at(closed.out, "/flag") == "PAID_AFTER_CLOSE");
  CHECK(json_at(closed.out, "/status") == "cancelled");
  CHECK(json_at(charges.done({"accept-payment", "--end-to-end-id", kPayment}), "/status") == "paid");
}

TEST_CASE("the API shows money that did not fit until the command line has settled it") {
  const PixledgerCommand pixledger;
  const auto project = pixledger.create_project();
  const Server server(pixledger, json_at(project, "/testKey"));
  const auto id = json_at(server.post("/api/v1/transactions", creation_body()), "/data/id");
  const auto path = "/api/v1/transactions/" + id;
  const auto confirm = [&](unsigned payment) {
    const auto flagged =
        pixledger.run({"charge", "confirm", "--id", id, "--end-to-end-id",
                       sample_end_to_end_id(payment).text(), "--amount-cents", "1000", "--json"});
    CHECK(flagged.code == 1);
    return flagged.out;
  };
  CHECK(json_at(confirm(1), "/flag") == "AMOUNT_MISMATCH");
  confirm(2);
  const auto shown = server.get(path);
  CHECK(json_at(shown, "/data/status") == "waiting_payment");
  CHECK(json_at(shown, "/data/unappliedPayments/0/endToEndId") == kPayment);
  CHECK(json_at(shown, "/data/unappliedPayments/0/flag") == "AMOUNT_MISMATCH");

  pixledger.done({"charge", "accept-payment", "--end-to-end-id", kPayment});
  pixledger.done({"charge", "return-payment", "--end-to-end-id", sample_end_to_end_id(2).text()});
  const auto settled = server.get(path);
  CHECK(json_at(settled, "/data/status") == "paid");
  CHECK(json_at(settled, "/data/transactionCode") == kPayment);
  CHECK(json_at(settled, "/data/unappliedPayments") == "[]");
}

TEST_CASE("a payment for a charge that was refunded is to go back, whether --add is given or not") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  CHECK(charges.confirm(id, 1, "10000").code == 0);
  CHECK(charges.confirm(id, 2, "10000").code == 1);
  charges.execute(domain::RefundCharge{{}, parsed<domain::ChargeId>(id), std::nullopt, std::nullopt});
  const std::vector<std::string> plain{"accept-payment", "--end-to-end-id", sample_end_to_end_id(2).text()};
  auto with_add = plain;
  with_add.emplace_back("--add");
  for (const auto& words : {plain, with_add}) {
    const auto refused = charges.run(words);
    INFO(refused.err);
    CHECK(refused.code == 1);
    CHECK(refused.err.find("Send this payment back, too: charge return-payment") != std::string::npos);
    CHECK(refused.err.find("give --add") == std::string::npos);
  }
}

TEST_CASE("a charge is processed once and may then fail or be paid") {
  const Charges charges;
  const auto failing = charges.create(domain::Environment::kLive);
  CHECK(json_at(charges.done({"processing", "--id", failing}), "/status") == "processing");
  CHECK(charges.run({"processing", "--id", failing}).code == 1);
  const auto failed = charges.done({"fail", "--id", failing, "--reason", "refused by the bank"});
  CHECK(json_at(failed, "/status") == "failed");
  CHECK(json_at(charges.last_event(), "/data/reason") == "refused by the bank");
  CHECK(charges.run({"fail", "--id", failing}).code == 1);

  const auto paying = charges.create(domain::Environment::kLive);
  charges.done({"processing", "--id", paying});
  CHECK(json_at(charges.confirm(paying, 1, "10000").out, "/status") == "paid");
}

TEST_CASE("an end-to-end id belongs to one charge and one amount") {
  const Charges charges;
  const auto one = charges.create(domain::Environment::kLive);
  const auto two = charges.create(domain::Environment::kLive);
  CHECK(charges.confirm(one, 1, "10000").code == 0);
  for (const auto& result : {charges.confirm(two, 1, "10000"), charges.confirm(one, 1, "9999")}) {
    CHECK(result.code == 1);
    CHECK(result.out.empty());
    CHECK(result.err.find("another charge or was reported with another amount") != std::string::npos);
    CHECK(result.err.find("with 100.00 for charge " + one) != std::string::npos);
    CHECK(result.err.find("which it pays") != std::string::npos);
  }
  CHECK(charges.confirm(two, 2, "1").code == 1);
  CHECK(charges.confirm(one, 2, "1").err.find("for charge " + two) != std::string::npos);
}

TEST_CASE("a confirmed payment whose end-to-end id is of another time is told of") {
  const Charges charges;
  const auto report = [&](const std::string& minute) {
    const auto id = charges.create(domain::Environment::kLive);
    const auto payment = "E12345678" + minute + "abcdefghijk";
    const auto result =
        charges.run({"confirm", "--id", id, "--amount-cents", "10000", "--end-to-end-id", payment});
    CHECK(result.code == 0);
    return result.err;
  };
  const auto minute_from_now = [](std::int64_t ms) {
    std::string minute;
    for (const char c : time_from_now(ms).substr(0, 16))
      if (c >= '0' && c <= '9') minute += c;
    return minute;
  };
  constexpr std::int64_t kHourMs = 60 * kMinuteMs;
  CHECK(report("202501010000").find("says 2025-01-01T00:00:00.000Z") != std::string::npos);
  CHECK(report(minute_from_now(24 * kHourMs)).find("that of another payment?") != std::string::npos);
  // A bank that writes local time.
  CHECK(report(minute_from_now(-3 * kHourMs)).empty());
}

TEST_CASE("a payment may be five minutes ahead of the ledger's time, no more") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  const auto ahead = charges.confirm(id, 1, "10000", {"--paid-at", time_from_now(10 * kMinuteMs)});
  CHECK(ahead.code == 1);
  CHECK(ahead.err.find("five minutes ahead") != std::string::npos);
  CHECK(charges.confirm(id, 1, "10000", {"--paid-at", time_from_now(kMinuteMs)}).code == 0);
}

TEST_CASE("a payment may be five minutes before its charge, no more, and of its day the date will do") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  const auto years = charges.confirm(id, 1, "10000", {"--paid-at", "2020-01-31T12:00:00Z"});
  CHECK(years.code == 1);
  CHECK(years.err.find("five minutes before the charge was created") != std::string::npos);
  CHECK(charges.confirm(id, 1, "10000", {"--paid-at", "2020-01-31"}).code == 1);
  CHECK(charges.confirm(id, 1, "10000", {"--paid-at", time_from_now(-2 * kMinuteMs)}).code == 0);
  CHECK(charges.confirm(id, 1, "10000", {"--paid-at", "2020-01-31"}).code == 0);  // it is known
  const auto other = charges.create(domain::Environment::kLive);
  const auto created_at = json_at(charges.last_event(), "/recordedAt");
  // The store's day: at eleven in the evening UTC the next one has begun.
  const auto zone = parsed<TimeZone>("America/Sao_Paulo");
  const auto date = date_text(zone.day_of(parse_iso8601(created_at).value()));
  const auto today = charges.confirm(other, 2, "10000", {"--paid-at", date});
  CHECK(today.code == 0);
  CHECK(json_at(charges.last_event(), "/data/paidAt") == created_at);
}

TEST_CASE("a charge or payment that is not there is a no") {
  const Charges charges;
  const std::string missing = "cmissing00000000000000000";
  CHECK(charges.confirm(missing, 1, "10000").code == 1);
  CHECK(charges.run({"processing", "--id", missing}).code == 1);
  CHECK(charges.run({"fail", "--id", missing}).code == 1);
  for (const std::string settle : {"accept-payment", "return-payment"}) {
    const auto result = charges.run({settle, "--end-to-end-id", kPayment});
    CHECK(result.code == 1);
    CHECK(result.err.find("no unapplied payment") != std::string::npos);
  }
}

TEST_CASE("an end-to-end id that is typed in has the usual form") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  const auto slip = charges.run({"confirm", "--id", id, "--amount-cents", "10000", "--end-to-end-id",
                                 "E18236120202613011200s1a2b3c4d5e"});
  CHECK(slip.code == 2);
  CHECK(slip.err.find("--end-to-end-id must be an end-to-end id: E, 8 digits") != std::string::npos);
}

TEST_CASE("bad options of a charge's commands are usage errors") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  CHECK(charges.run({"confirm", "--id", id}).code == 2);
  CHECK(charges.confirm(id, 1, "0").code == 2);
  CHECK(charges.confirm(id, 1, "ten").code == 2);
  CHECK(charges.confirm("bad-id", 1, "1").code == 2);
  CHECK(charges.confirm(id, 1, "1", {"--paid-at", "yesterday"}).code == 2);
  CHECK(charges.run({"accept-payment", "--end-to-end-id", "E1"}).code == 2);
  CHECK(charges.run({"fail", "--id", id, "--reason", ""}).code == 2);
  CHECK(charges.run({}).code == 2);
}

TEST_CASE("a payment's outcome is printed in plain lines") {
  const Charges charges;
  const auto id = charges.create(domain::Environment::kLive);
  const auto differs = charges.confirm(id, 1, "1", {"--text"});
  CHECK(differs.out.find("AMOUNT_MISMATCH") != std::string::npos);
  CHECK(differs.out.find("return-payment") != std::string::npos);
  const auto paid = charges.confirm(id, 2, "10000", {"--text"});
  CHECK(paid.out.find("status   paid") != std::string::npos);
  CHECK(paid.out.find("return-payment") == std::string::npos);
}

}  // namespace pixledger::tests
