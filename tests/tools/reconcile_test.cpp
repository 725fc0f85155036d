#include <catch2/catch.hpp>
#include <fstream>

#include "base/platform/clock_and_entropy.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr const char* kHeading = "endToEndId,amountCents,paidAt\n";

// A project, and statements to compare with it.
class Reconciling {
 public:
  ProcessResult run(const std::string& statement, std::vector<std::string> more = {"--json"}) const {
    std::ofstream(file_) << statement;
    std::vector<std::string> arguments = {"reconcile", "--project", project, "--statement", file_};
    arguments.insert(arguments.end(), more.begin(), more.end());
    return pixledger.run(arguments);
  }

  // Of 100.00.
  std::string create_charge() const {
    auto creation = sample_creation(domain::Environment::kLive);
    creation.project = parsed<domain::ProjectId>(project);
    const auto options = one_gigabyte();
    const auto ledger = eventstore::Ledger::open({pixledger.data()}, options);
    const SystemClock clock;
    SystemEntropy entropy;
    eventstore::Executor executor(*ledger.log, clock, entropy);
    const auto completed = std::get<eventstore::Completed>(
        executor.execute({creation, "operator-test", std::nullopt, "", std::nullopt}));
    return std::string(completed.events().back().stream.key());
  }

  const PixledgerCommand pixledger;
  const std::string project = json_at(
      pixledger.done({"project", "create", "--name", "Loja", "--pix-key", "loja@example.com", "--json"}),
      "/projectId");

 private:
  const std::string file_ = (pixledger.directory() / "statement").string();
};

std::string ofx(const std::string& memo, const std::string& amount = "5.00") {
  return "OFXHEADER:100\n\n<OFX><BANKTRANLIST>\n<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>20260301\n<TRNAMT>" +
         amount + "\n<FITID>77\n<MEMO>" + memo + "\n</STMTTRN>\n</BANKTRANLIST></OFX>\n";
}

}  // namespace

TEST_CASE("reconcile exits with 0 if all agrees, 1 if anything is open, 2 for an unreadable statement") {
  const Reconciling reconciling;
  const auto clean = reconciling.run(kHeading);
  CHECK(clean.code == 0);
  CHECK(json_at(clean.out, "/outcome") == "agrees");
  CHECK(json_at(clean.out, "/open") == "0");
  CHECK(json_at(clean.out, "/returns/compared") == "false");
  const auto line = sample_end_to_end_id(1).text() + ",100,2026-03-01T12:00:00Z\n";
  const auto open = reconciling.run(kHeading + line);
  CHECK(open.code == 1);
  CHECK(json_at(open.out, "/outcome") == "differs");
  CHECK(json_at(open.out, "/open") == "1");
  CHECK(json_at(open.out, "/missingInLedger/0/line") == "2");
  CHECK(json_at(open.out, "/missingInLedger/0/statementAmountCents") == "100");
  const auto text = reconciling.run(kHeading + line, {});
  CHECK(text.code == 1);
  CHECK(text.out.find("missingInLedger") != std::string::npos);
  CHECK(text.out.find("not compared: the statement has none") != std::string::npos);
  CHECK(reconciling.run("a,b\n").code == 2);
  const auto bad = reconciling.run(std::string(kHeading) + "E1,100,2026-03-01T12:00:00Z\n");
  CHECK(bad.code == 2);
  CHECK(bad.err.find("line 2") != std::string::npos);
  CHECK(bad.err.find("\"E1,100,2026-03-01T12:00:00Z\"") != std::string::npos);
}

TEST_CASE("reconcile detects the format of a statement from its content") {
  const Reconciling reconciling;
  const auto id = sample_end_to_end_id(1).text();
  const auto json = reconciling.run(R"({"pix":[{"endToEndId":")" + id +
                                    R"(","valor":"1.00","horario":"2026-03-01T12:00:00Z"}]})");
  CHECK(json.code == 1);
  CHECK(json_at(json.out, "/format") == "pix-json");
  CHECK(json_at(json.out, "/missingInLedger/0/statementAmountCents") == "100");
  const auto bank = reconciling.run(ofx("TED 77"));
  CHECK(bank.code == 0);
  CHECK(json_at(bank.out, "/format") == "ofx");
  CHECK(json_at(bank.out, "/ignored") == "1");
  CHECK(reconciling.run(ofx("TED"), {"--format", "csv"}).code == 2);
  CHECK(reconciling.run(ofx("TED"), {"--format", "mt940"}).code == 2);
}

TEST_CASE("reconcile reports that it cannot compare, and what it searched for") {
  const Reconciling reconciling;
  const auto result = reconciling.run(ofx("PIX RECEBIDO ANA"));
  CHECK(result.code == 2);
  CHECK(json_at(result.out, "/outcome") == "cannotCompare");
  CHECK(json_at(result.out, "/counts/unidentified") == "1");
  CHECK(json_at(result.out, "/counts/missingInLedger") == "0");
  CHECK(json_at(result.out, "/reason").find("FITID, REFNUM") != std::string::npos);
  CHECK(result.err.find("cannot compare: None of the statement's payments") != std::string::npos);
}

TEST_CASE("reconcile counts probable matches as open unless they are accepted") {
  const Reconciling reconciling;
  const auto charge = reconciling.create_charge();
  reconciling.pixledger.done({"charge", "confirm", "--id", charge, "--end-to-end-id",
                              sample_end_to_end_id(1).text(), "--amount-cents", "10000"});
  const auto events =
      reconciling.pixledger.done({"export", "--format", "jsonl", "--what", "payments", "--project",
                                  reconciling.project, "--timezone", "America/Sao_Paulo"});
  auto statement = ofx("PIX RECEBIDO ANA", "100,00");
  const auto day = json_at(lines_of(events).front(), "/paidAt").substr(0, 10);
  statement.replace(statement.find("20260301"), 8, day.substr(0, 4) + day.substr(5, 2) + day.substr(8, 2));
  const auto probable = reconciling.run(statement);
  CHECK(probable.code == 1);
  CHECK(json_at(probable.out, "/outcome") == "probablyAgrees");
  CHECK(json_at(probable.out, "/probable/0/by") == "amountAndDay");
  CHECK(json_at(probable.out, "/open") == "0");
  CHECK(probable.err.find("--accept-probable") != std::string::npos);
  CHECK(reconciling.run(statement, {"--accept-probable"}).code == 0);
}

TEST_CASE("reconcile misses a return that was recorded and never left the account") {
  const Reconciling reconciling;
  const auto charge = reconciling.create_charge();
  const auto payment = sample_end_to_end_id(1).text();
  CHECK(reconciling.pixledger
            .run({"charge", "confirm", "--id", charge, "--end-to-end-id", payment, "--amount-cents", "1980"})
            .code == 1);
  reconciling.pixledger.done({"charge", "return-payment", "--end-to-end-id", payment, "--reason", "x"});
  const auto now = to_iso8601(SystemClock().now());
  const auto lines = kHeading + payment + ",1980," + now + "\n";
  const auto elsewhere = sample_end_to_end_id(2).text() + ",-500," + now + "\n";
  const auto missing = reconciling.run(lines + elsewhere);
  CHECK(missing.code == 1);
  CHECK(json_at(missing.out, "/returns/missingInStatement/0/endToEndId") == payment);
  CHECK(json_at(missing.out, "/returns/missingInStatement/0/moved") == "false");
  CHECK(json_at(reconciling.run(lines + payment + ",-1980," + now + "\n").out, "/returns/counts/matched") ==
        "1");
  // An account's OFX has its debits, also where it has none.
  auto statement = ofx("PIX " + payment, "19.80");
  const auto today = now.substr(0, 4) + now.substr(5, 2) + now.substr(8, 2);
  statement.replace(statement.find("20260301"), 8, today);
  CHECK(json_at(reconciling.run(statement).out, "/returns/counts/missingInStatement") == "1");
}

TEST_CASE("reconcile names the days that it has compared, and those of which a statement has nothing") {
  const Reconciling reconciling;
  const auto page = [](const std::string& from, const std::string& to) {
    return R"({"parametros":{"inicio":")" + from + R"(T00:00:00Z","fim":")" + to +
           R"(T23:59:59Z","paginacao":{"paginaAtual":0,"itensPorPagina":100,"quantidadeDePaginas":1,)"
           R"("quantidadeTotalDeItens":0}},"pix":[]})";
  };
  const auto whole = reconciling.run(page("2026-11-01", "2026-11-02"));
  CHECK(whole.code == 0);
  CHECK(json_at(whole.out, "/period/from") == "2026-11-01T00:00:00.000Z");
  CHECK(json_at(whole.out, "/period/to") == "2026-11-02T23:59:59.000Z");
  CHECK(json_at(whole.out, "/period/by") == "statement");
  const auto holed = page("2026-11-01", "2026-11-02") + page("2026-11-20", "2026-11-25");
  const auto gap = reconciling.run(holed);
  CHECK(gap.code == 1);
  CHECK(json_at(gap.out, "/outcome") == "differs");
  CHECK(json_at(gap.out, "/period/gaps/0/from") == "2026-11-02T23:59:59.001Z");
  CHECK(json_at(gap.out, "/period/gaps/0/to") == "2026-11-19T23:59:59.999Z");
  CHECK(reconciling.run(holed, {}).out.find("the statement has nothing of 2026-11-02T20:59:59.001-03:00") !=
        std::string::npos);
  CHECK(reconciling.run(page("2026-11-01", "2026-11-02") + page("2026-11-03", "2026-11-25")).code == 0);
  CHECK(reconciling.run(kHeading, {}).out.find("give --from and --to") != std::string::npos);
  CHECK(reconciling.run(kHeading, {"--from", "2026-11-01"}).out.find("(as it was asked for)") !=
        std::string::npos);
}

TEST_CASE("reconcile compares nothing where no line of the statement lies in the period") {
  const Reconciling reconciling;
  const auto statement = kHeading + sample_end_to_end_id(1).text() + ",100,2026-03-01T12:00:00Z\n";
  const auto result = reconciling.run(statement, {"--from", "2026-04-01", "--json"});
  CHECK(result.code == 2);
  CHECK(json_at(result.out, "/outcome") == "cannotCompare");
  CHECK(json_at(result.out, "/cause") == "outOfPeriod");
  CHECK(result.err.find("No line of the statement lies in the period: they are of 2026-03-01") !=
        std::string::npos);
  CHECK(reconciling.run(statement, {"--from", "2026-03-01"}).code == 1);
}

TEST_CASE("reconcile reports the problem of its options") {
  const Reconciling reconciling;
  const auto gone = reconciling.pixledger.run(
      {"reconcile", "--project", reconciling.project, "--statement", "/nowhere/statement.csv"});
  CHECK(gone.code == 2);
  CHECK(gone.err.find("cannot read /nowhere/statement.csv: No such file") != std::string::npos);
  CHECK(reconciling.run(kHeading, {"--from", "2026-03-02", "--to", "2026-03-01"}).code == 2);
  CHECK(reconciling.run(kHeading, {"--from", "2026-03-01", "--to", "2026-03-01"}).code == 0);
  const auto other = reconciling.pixledger.run({"reconcile", "--project", "cabcdefghijkl", "--statement",
                                                (reconciling.pixledger.directory() / "statement").string()});
  CHECK(other.code == 1);
}
