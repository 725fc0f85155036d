#include <catch2/catch.hpp>
#include <fstream>
#include <map>
#include <sstream>

#include "eventstore/executor/executor.h"
#include "eventstore/process/options.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/servers/pixledger_command.h"
#include "tools/accounting/reconciliation.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Environment;
using tools::Match;
using tools::StatementFormat;
using tools::StatementLine;

namespace {

constexpr std::int64_t kCents = 10'000;

// A project with charges and payments of every kind.
class Shop {
 public:
  Shop() {
    auto completed = run(domain::CreateProject{sample_settings()});
    project_ = completed.events().front().project;
  }

  domain::ChargeId charge(Environment environment = Environment::kLive) {
    auto creation = sample_creation(environment);
    creation.project = project();
    return parsed<domain::ChargeId>(run(creation).events().back().stream.key());
  }
  void pay(const domain::ChargeId& charge, unsigned payment, std::int64_t cents = kCents) {
    run(domain::ReportPayment{project(), charge, sample_end_to_end_id(payment), domain::Cents(cents), {}});
  }
  eventstore::Completed run(domain::Command command) {
    return std::get<eventstore::Completed>(
        executor_.execute({std::move(command), "operator-test", std::nullopt, "", std::nullopt}));
  }
  const domain::ProjectId& project() const { return *project_; }
  FixedClock& clock() { return clock_; }

  StatementLine line(unsigned payment, std::int64_t cents = kCents, std::string txid = "") {
    return {++lines_, sample_end_to_end_id(payment), domain::Cents(cents), clock_.now(), std::move(txid)};
  }
  std::vector<tools::Reconciled> items(const std::vector<StatementLine>& statement,
                                       const std::optional<std::string>& from = {}) {
    return tools::reconcile(log_, project(), statement, {from, {}, {}, {}}).items;
  }
  // What became of each payment; those that are in the statement twice have the last one's.
  std::map<unsigned, Match> matches(const std::vector<StatementLine>& statement,
                                    const std::optional<std::string>& from = {}) {
    std::map<unsigned, Match> found;
    for (const auto& item : items(statement, from)) {
      for (unsigned payment = 1; payment < 20; ++payment) {
        if (sample_end_to_end_id(payment) == item.end_to_end_id) found[payment] = item.match;
      }
    }
    return found;
  }

 private:
  FixedClock clock_{kStart};
  SeededEntropy entropy_{1};
  eventstore::MemoryLog log_{{"000102030405060708090a0b0c0d0e0f", 1}};
  eventstore::Executor executor_{log_, clock_, entropy_};
  std::optional<domain::ProjectId> project_;
  std::size_t lines_ = 1;
};

using Matches = std::map<unsigned, Match>;

tools::Statement read(const std::string& text, StatementFormat format, const std::string& zone = "UTC") {
  std::istringstream in(text);
  return tools::read_statement(in, format, parsed<eventstore::TimeZone>(zone));
}
std::vector<StatementLine> read(const std::string& text) { return read(text, StatementFormat::kCsv).lines; }

// What is wrong with the statement.
std::string problem_of(const std::string& text, StatementFormat format = StatementFormat::kCsv) {
  try {
    read(text, format);
  } catch (const eventstore::UsageError& error) {
    return error.what();
  }
  return "none";
}

std::string ofx(const std::string& transactions) {
  return "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>\n<BANKTRANLIST>\n" + transactions +
         "</BANKTRANLIST>\n</OFX>\n";
}

// A payment as the API Pix answers it.
std::string pix(const std::string& id, const std::string& value, const std::string& more = "") {
  return R"({"endToEndId":")" + id + R"(","valor":")" + value + R"(","horario":"2026-03-01T12:00:00.000Z")" +
         more + "}";
}
std::string page(const std::string& payments, int pages = 1, int number = 0) {
  return R"({"parametros":{"inicio":"2026-03-01T00:00:00Z","fim":"2026-03-02T00:00:00Z","paginacao":{"paginaAtual":)" +
         std::to_string(number) + R"(,"itensPorPagina":100,"quantidadeDePaginas":)" + std::to_string(pages) +
         R"(,"quantidadeTotalDeItens":1}},"pix":[)" + payments + "]}\n";
}

}  // namespace

TEST_CASE("a statement and a ledger that agree leave nothing open") {
  Shop shop;
  const auto first = shop.charge();
  shop.pay(first, 1);
  shop.pay(shop.charge(), 2);
  CHECK(shop.matches({shop.line(1, kCents, first.text()), shop.line(2)}) ==
        Matches{{1, Match::kMatched}, {2, Match::kMatched}});
  CHECK(shop.matches({}) == Matches{{1, Match::kMissingInStatement}, {2, Match::kMissingInStatement}});
}

TEST_CASE("what only one side has is missing on the other") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  CHECK(shop.matches({shop.line(2)}) ==
        Matches{{1, Match::kMissingInStatement}, {2, Match::kMissingInLedger}});
  // The same payment, but of another charge than the statement says.
  CHECK(shop.matches({shop.line(1, kCents, "cabcdefghijkl")}) == Matches{{1, Match::kMissingInLedger}});
}

TEST_CASE("a payment is its charge's by the txid that its bank gave it") {
  Shop shop;
  const auto charge = shop.charge(), another = shop.charge();
  shop.pay(charge, 1);
  CHECK(shop.matches({shop.line(1, kCents, "p" + charge.text())}) == Matches{{1, Match::kMatched}});
  CHECK(shop.matches({shop.line(1, kCents, "p" + another.text())}) == Matches{{1, Match::kMissingInLedger}});
}

TEST_CASE("payments before the statement begins are not missed") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.clock().advance_millis(kDayMs);
  shop.pay(shop.charge(), 2);
  const auto today = domain::to_iso8601(shop.clock().now()).substr(0, 10);
  CHECK(shop.matches({}, today) == Matches{{2, Match::kMissingInStatement}});
}

TEST_CASE("another amount is open, whether the statement or the charge has it") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(), 2, 9'000);
  CHECK(shop.matches({shop.line(1, 9'999), shop.line(2, 9'000)}) ==
        Matches{{1, Match::kAmountDiffers}, {2, Match::kAmountDiffers}});
  // What it differs from is shown.
  const auto of_charge = shop.items({shop.line(2, 9'000)}).front();
  CHECK(of_charge.statement_amount == of_charge.ledger_amount);
  CHECK(of_charge.charge_amount == domain::Cents(kCents));
}

TEST_CASE("money that came late or twice is open until it is settled") {
  Shop shop;
  const auto late = shop.charge();
  const auto twice = shop.charge();
  shop.pay(twice, 1);
  shop.pay(twice, 2);
  shop.clock().advance_millis(kDayMs);
  shop.pay(late, 3);
  const std::vector<StatementLine> statement = {shop.line(1), shop.line(2), shop.line(3)};
  CHECK(shop.matches(statement) == Matches{{1, Match::kMatched}, {2, Match::kDoubled}, {3, Match::kLate}});
  shop.run(domain::AcceptUnappliedPayment{shop.project(), late, sample_end_to_end_id(3)});
  shop.run(domain::ReturnUnappliedPayment{twice, sample_end_to_end_id(2), {}});
  CHECK(shop.matches(statement) == Matches{{1, Match::kMatched}, {2, Match::kMatched}, {3, Match::kMatched}});
}

TEST_CASE("a payment that is in the statement twice is doubled") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  CHECK(shop.matches({shop.line(1), shop.line(1)}) == Matches{{1, Match::kDoubled}});
}

TEST_CASE("only money counts, but where the statement is of the sandbox") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  shop.pay(shop.charge(Environment::kSandbox), 2);
  shop.pay(shop.charge(Environment::kSandbox), 3);
  CHECK(shop.matches({shop.line(1)}) == Matches{{1, Match::kMatched}});
  CHECK(shop.matches({shop.line(2)}) == Matches{{2, Match::kMatched}, {3, Match::kMissingInStatement}});
}

TEST_CASE("another project's payments are not this one's") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  const auto other = shop.run(domain::CreateProject{sample_settings()}).events().front().project;
  auto creation = sample_creation(Environment::kLive);
  creation.project = other;
  const auto charge = parsed<domain::ChargeId>(shop.run(creation).events().back().stream.key());
  shop.run(domain::ReportPayment{other, charge, sample_end_to_end_id(2), domain::Cents(kCents), {}});
  CHECK(shop.matches({shop.line(1), shop.line(2)}) ==
        Matches{{1, Match::kMatched}, {2, Match::kMissingInLedger}});
}

TEST_CASE("a statement's columns may come in any order and with others") {
  const auto id = sample_end_to_end_id(1).text();
  const auto lines = read(
      "\xef\xbb\xbfpaidAt,bank,\"amountCents\",endToEndId,txid\r\n"
      "2026-03-01T12:00:00-03:00,\"a, b\",150," +
      id + ",cabc\r\n");
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].line == 2);
  CHECK(lines[0].end_to_end_id.text() == id);
  CHECK(lines[0].amount == domain::Cents(150));
  CHECK(domain::to_iso8601(lines[0].paid_at) == "2026-03-01T15:00:00.000Z");
  CHECK(lines[0].txid == "cabc");
  CHECK(read("endToEndId,amountCents,paidAt\n").empty());
}

TEST_CASE("a statement is separated by commas or by semicolons, whichever its heading has") {
  const auto id = sample_end_to_end_id(1).text();
  for (const std::string heading :
       {"endToEndId;amountCents;paidAt;note", "\"endToEndId\";\"amountCents\";\"paidAt\";\"note\""}) {
    const auto lines = read(heading + "\r\n" + id + ";150;2026-03-01T12:00:00Z;\"a;b, c\"\r\n" + id +
                            ";151;2026-03-01T12:00:00Z;a, b\r\n");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].amount == domain::Cents(150));
    CHECK(lines[1].amount == domain::Cents(151));
    CHECK(lines[1].line == 3);
  }
  CHECK(problem_of("endToEndId;amountCents,paidAt\n").find("separated by , or ;") != std::string::npos);
}

TEST_CASE("a bank's OFX is read for the Pix that came in, wherever it has the end-to-end id") {
  const auto id = [](unsigned n) { return sample_end_to_end_id(n).text(); };
  const auto statement = read(
      ofx("<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>20260301120000[-3:BRT]\n<TRNAMT>100.00\n<FITID>" + id(1) +
          "\n<MEMO>PIX RECEBIDO\n</STMTTRN>\n"
          "<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260301</DTPOSTED><TRNAMT>+19,9</TRNAMT><FITID>1</"
          "FITID>"
          "<REFNUM>" +
          id(2) +
          "</REFNUM></STMTTRN>\n"
          "<STMTTRN>\n<DTPOSTED>20260301120000.123[0:GMT]\n<TRNAMT>1\n<FITID>2\n<MEMO>Pix de Ana, " +
          id(3) +
          ".\n"
          "<STMTTRN>\n<DTPOSTED>20260301120000\n<TRNAMT>-5.00\n<FITID>" +
          id(4) +
          "\n</STMTTRN>\n"
          "<STMTTRN>\n<DTPOSTED>20260301120000\n<TRNAMT>5.00\n<FITID>TED 77\n</STMTTRN>\n"),
      StatementFormat::kOfx, "America/Sao_Paulo");
  REQUIRE(statement.lines.size() == 3);
  CHECK(statement.ignored == 2);
  const auto& lines = statement.lines;
  for (unsigned n = 0; n < 3; ++n) CHECK(lines[n].end_to_end_id.text() == id(n + 1));
  CHECK(lines[0].line == 6);
  CHECK(lines[1].line == 13);
  CHECK(lines[2].line == 14);
  CHECK(lines[0].amount == domain::Cents(10'000));
  CHECK(lines[1].amount == domain::Cents(1'990));
  CHECK(lines[2].amount == domain::Cents(100));
  CHECK(domain::to_iso8601(lines[0].paid_at) == "2026-03-01T15:00:00.000Z");
  CHECK(domain::to_iso8601(lines[1].paid_at) == "2026-03-01T03:00:00.000Z");
  CHECK(domain::to_iso8601(lines[2].paid_at) == "2026-03-01T12:00:00.000Z");
  CHECK(read(ofx(""), StatementFormat::kOfx).lines.empty());
}

TEST_CASE("OFX that cannot be read is refused with its line") {
  const auto id = sample_end_to_end_id(1).text();
  const auto problem = [&](const std::string& amount, const std::string& time) {
    return problem_of(ofx("<STMTTRN>\n<DTPOSTED>" + time + "\n<TRNAMT>" + amount + "\n<FITID>" + id + "\n"),
                      StatementFormat::kOfx);
  };
  CHECK(problem("1.00", "20260301") == "none");
  for (const std::string amount :
       {"", "x", "1.234,56", "1.234", "1.", ".5", "1 000", "--1", "99999999999999999999"})
    CHECK(problem(amount, "20260301").find("line 6: TRNAMT") != std::string::npos);
  CHECK(problem("1000000000.00", "20260301").find("line 6: TRNAMT is above") != std::string::npos);
  for (const std::string time : {"", "x", "2026030", "20260230", "20260301250000", "20260301120000[x]",
                                 "20260301120000[99]", "2026-03-01"})
    CHECK(problem("1.00", time).find("line 6: DTPOSTED") != std::string::npos);
  for (const std::string text : {"", "endToEndId,amountCents,paidAt\n", "<STMTTRN>"})
    CHECK(problem_of(text, StatementFormat::kOfx).find("is not OFX") != std::string::npos);
}

TEST_CASE("what the API Pix answers is a statement, all pages of it") {
  const auto id = [](unsigned n) { return sample_end_to_end_id(n).text(); };
  const auto read_pix = [](const std::string& text) { return read(text, StatementFormat::kPixJson).lines; };
  const auto lines =
      read_pix(page(pix(id(1), "19.90", R"(,"txid":"cabcdefghijkl","chave":"a@b.example","devolucoes":[])") +
                        "," + pix(id(2), "1.00", R"(,"txid":"***")"),
                    2, 0) +
               page(pix(id(3), "0.01"), 2, 1));
  REQUIRE(lines.size() == 3);
  for (unsigned n = 0; n < 3; ++n) CHECK(lines[n].end_to_end_id.text() == id(n + 1));
  CHECK(lines[0].amount == domain::Cents(1'990));
  CHECK(lines[0].txid == "cabcdefghijkl");
  CHECK(lines[1].txid.empty());
  CHECK(lines[2].txid.empty());
  CHECK(lines[2].line == 3);
  CHECK(domain::to_iso8601(lines[0].paid_at) == "2026-03-01T12:00:00.000Z");
  CHECK(read_pix(page("")).empty());
  CHECK(read_pix(R"({"pix":[]})").empty());
}

TEST_CASE("an answer of the API Pix that cannot be read is refused with the payment") {
  const auto id = sample_end_to_end_id(1).text();
  const auto problem = [](const std::string& text) { return problem_of(text, StatementFormat::kPixJson); };
  CHECK(problem(page(pix(id, "1.00"))) == "none");
  CHECK(problem(page(pix(id, "1.00"), 3)) ==
        "the statement has 1 of 3 pages: write all of them into one file, one after the other");
  CHECK(problem(page(pix(id, "1.00") + "," + pix(id, "1,234.00"))).find("'s payment 2: valor") !=
        std::string::npos);
  CHECK(problem(page(pix("E1", "1.00"))).find("'s payment 1: endToEndId") != std::string::npos);
  CHECK(problem(page(R"({"endToEndId":")" + id + R"(","valor":1,"horario":""})"))
            .find("valor must be a text") != std::string::npos);
  CHECK(problem(page(R"({"endToEndId":")" + id + R"(","valor":"1","horario":"x"})")).find("horario") !=
        std::string::npos);
  for (const std::string text : {"", "x", "[]", "{}", "{\"pix\":[", "{\"pix\":{}}"})
    CHECK(problem(text) != "none");
}

TEST_CASE("a statement that cannot be read is refused with its line") {
  const auto id = sample_end_to_end_id(1).text();
  const std::string heading = "endToEndId,amountCents,paidAt\n";
  CHECK(problem_of("") != "none");
  CHECK(problem_of("endToEndId,paidAt\n").find("line 1") != std::string::npos);
  const std::vector<std::string> wrong = {"x,1,2026-03-01T12:00:00Z",
                                          id + ",1.5,2026-03-01T12:00:00Z",
                                          id + ",0,2026-03-01T12:00:00Z",
                                          id + ",1,yesterday",
                                          id + ",1",
                                          "\"x"};
  for (const auto& line : wrong) {
    INFO(line);
    CHECK(problem_of(heading + line + "\n").find("line 2") != std::string::npos);
  }
}

TEST_CASE("the command ends with 1 while anything is open") {
  const PixledgerCommand pixledger;
  const auto project = json_at(pixledger.create_project(), "/projectId");
  const auto file = (pixledger.directory() / "statement.csv").string();
  const auto run = [&](const std::string& text, bool json) {
    std::ofstream(file) << text;
    std::vector<std::string> arguments = {"reconcile", "--project", project, "--statement", file};
    if (json) arguments.push_back("--json");
    return pixledger.run(arguments);
  };
  const std::string heading = "endToEndId,amountCents,paidAt\n";
  const auto clean = run(heading, true);
  CHECK(clean.code == 0);
  CHECK(json_at(clean.out, "/open") == "0");
  const auto open = run(heading + sample_end_to_end_id(1).text() + ",100,2026-03-01T12:00:00Z\n", true);
  CHECK(open.code == 1);
  CHECK(json_at(open.out, "/open") == "1");
  CHECK(json_at(open.out, "/missingInLedger/0/line") == "2");
  CHECK(json_at(open.out, "/missingInLedger/0/statementAmountCents") == "100");
  const auto text = run(heading + sample_end_to_end_id(1).text() + ",100,2026-03-01T12:00:00Z\n", false);
  CHECK(text.code == 1);
  CHECK(text.out.find("missingInLedger") != std::string::npos);
  CHECK(run("a,b\n", false).code == 2);
  std::ofstream(file) << page(pix(sample_end_to_end_id(1).text(), "1.00"));
  const auto json = pixledger.run(
      {"reconcile", "--project", project, "--statement", file, "--format", "pix-json", "--json"});
  CHECK(json.code == 1);
  CHECK(json_at(json.out, "/missingInLedger/0/statementAmountCents") == "100");
  std::ofstream(file) << ofx("<STMTTRN>\n<DTPOSTED>20260301\n<TRNAMT>5.00\n<FITID>TED\n</STMTTRN>\n");
  const auto bank =
      pixledger.run({"reconcile", "--project", project, "--statement", file, "--format", "ofx", "--json"});
  CHECK(bank.code == 0);
  CHECK(json_at(bank.out, "/ignored") == "1");
  CHECK(pixledger.run({"reconcile", "--project", project, "--statement", file, "--format", "mt940"}).code ==
        2);
  const auto gone = pixledger.run({"reconcile", "--project", project, "--statement", file + ".gone"});
  CHECK(gone.code == 2);
  CHECK(gone.err.find("cannot read " + file + ".gone: No such file") != std::string::npos);
  std::ofstream(file) << heading;
  CHECK(pixledger.run({"reconcile", "--project", "cabcdefghijkl", "--statement", file}).code == 1);
}
