// What a statement states of itself, and what is left out of it: nothing of that is silent.
#include <catch2/catch.hpp>

#include "tests/stores/accounting/reconciled_shop.h"
#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using Shop = ReconciledShop;

namespace {

constexpr auto kOfx = StatementFormat::kOfx;

// Payments of 64,90 in all, and a return of 5,00.
const std::string kSigned = "Data;Histórico;Valor\n27/11/2026;Pix recebido " + id(1) +
                            ";19,90\n27/11/2026;Pix recebido " + id(2) + ";45,00\n27/11/2026;Pix devolvido " +
                            id(1) + ";-5,00\n";
const std::string kPair = "Data;Histórico;Crédito (R$);Débito (R$);Saldo (R$)\n27/11/2026;Pix recebido " +
                          id(1) + ";19,90;;19,90\n27/11/2026;Pix recebido " + id(2) +
                          ";45,00;;64,90\n27/11/2026;Pix devolvido " + id(1) + ";;5,00;59,90\n";
const std::string kPairWithDocument =
    "Data;Histórico;Docto.;Crédito (R$);Débito (R$);Saldo (R$)\n27/11/2026;Pix recebido " + id(1) +
    ";1;64,90;;64,90\n27/11/2026;Pix devolvido " + id(1) + ";2;;-5,00;59,90\n";

// "held", "silent", "refused", or "told": a warning, and counts that are not held.
std::string outcome(const std::string& text, StatementFormat format = StatementFormat::kCsv) {
  try {
    const auto statement = read(text, format);
    if (statement.warnings.empty()) return statement.counts_held ? "held" : "silent";
    return statement.counts_held ? "held, and warned" : "told";
  } catch (const stores::StatementRefused&) {
    return "refused";
  }
}

std::int64_t ignored_cents(const Statement& statement) {
  std::int64_t sum = 0;
  for (const auto& credit : statement.ignored_credits) sum += credit.amount.value();
  return sum;
}

}  // namespace

TEST_CASE("a total row of credits and debits has to match in both columns") {
  for (const std::string row :
       {"Total;;64,90;5,00;59,90", "Total;;64,90;-5,00;", "Total;;64,90;;", "Total;;;5,00;59,90"}) {
    CAPTURE(row);
    CHECK(outcome(kPair + row + "\n") == "held");
  }
  for (const std::string row : {"Total;;964,90;5,00;59,90", "Total;;964,90;-5,00;", "Total;;64,90;905,00;",
                                "Total;;964,90;;", "Total;;964,90;;59,90", "TOTAL;4.324,56"}) {
    CAPTURE(row);
    CHECK(outcome(kPair + row + "\n") == "refused");
    CHECK(outcome(kPair + "27/11/2026" + row + "\n") != "held");
  }
  CHECK(outcome(kPair + "27/11/2026;Total;964,90;5,00;59,90\n") != "silent");
  CHECK(outcome(kPairWithDocument + ";;Total;64,90;-5,00;59,90\n") == "held");
  CHECK(outcome(kPairWithDocument + ";;Total;4.324,56;-184,90;4.139,66\n") == "refused");
  // Pages with a total each.
  CHECK(outcome(kPair + "Total;;64,90;5,00;59,90\n" + kPair + "Total;;64,90;5,00;119,80\n") == "held");
  CHECK(outcome(kPair + "Total;;64,90;5,00;59,90\n" + kPair + "Total;;164,90;5,00;119,80\n") == "refused");
}

TEST_CASE("each amount of a line that says total is compared, whichever cell it is in") {
  for (const std::string row :
       {"Total Entradas;64,90;5,00", "Valor total: R$ 59,90", "Valor total R$ 59,90", "Total recebido;;64,90",
        "Entradas;;64,90", "Saídas;;5,00", "Total do dia 27/11/2026;;59,90", "Total;3;59,90",
        "Total de registros;3;Total;59,90", "27/11/2026;Total do dia;59,90"}) {
    CAPTURE(row);
    CHECK(outcome(kSigned + row + "\n") == "held");
  }
  for (const std::string row :
       {"Total Entradas;964,90;5,00", "Total Entradas;64,90;905,00", "Valor total: R$ 959,90",
        "Total recebido;;964,90", "Entradas;;964,90", "Saídas;;905,00", "Total do dia 27/11/2026;;959,90",
        "Total;4;59,90", "27/11/2026;Total do dia;959,90", "27/11/2026;Total do dia;-959,90",
        "Movimento;;1,00", ";;123,45"}) {
    CAPTURE(row);
    CHECK(outcome(kSigned + row + "\n") == "told");
  }
  CHECK(outcome(kPair + "Total Entradas;4.324,56;Total Saídas;184,90\n") == "told");
  CHECK(outcome(kPair + "Total Entradas;64,90;Total Saídas;5,00\n") == "held");
  CHECK(outcome("Valor total: R$ 959,90\n" + kSigned) == "told");
  CHECK(outcome("Valor total: R$ 59,90\n" + kSigned) == "held");
  // A balance is no sum of entries.
  for (const std::string row :
       {"Total Entradas;64,90;Saldo;7,00", "Limite;;500,00", "Saldo em conta;;7,00"}) {
    CAPTURE(row);
    CHECK(read(kPair + row + "\n").warnings.empty());
  }
  const auto dated = read(kSigned + "27/11/2026;Total do dia;959,90\n");
  REQUIRE(dated.warnings.size() == 1);
  CHECK(dated.warnings[0].find("taken as a payment") == std::string::npos);
}

TEST_CASE("a statement that says that it continues has to") {
  for (const std::string row : {"Continua na próxima página", "CONTINUA", "(continua na página seguinte)"}) {
    CAPTURE(row);
    CHECK(outcome(kSigned + row + "\n") == "told");
    CHECK(outcome(kPair + row + "\n") == "told");
    CHECK(outcome(kSigned + row + "\n" + kSigned) == "silent");
  }
}

TEST_CASE("a row that may be a Pix and lacks a readable amount or day refuses the statement") {
  for (const std::string row : {"xx;Pix recebido CARLOS;900,00", "27/11/2026;Pix recebido CARLOS;abc",
                                "27/11/2026;Pix recebido CARLOS;", "27/11/2026;Pix recebido CARLOS",
                                "27/11/2026;Pix recebido CARLOS;-", "27/11/2026;CREDPIX CARLOS;abc",
                                "27/11/2026;PIXX CARLOS;9OO,00", "27/11/2026;PIX TRANSF 27/11;abc",
                                "xx;P I X RECEBIDO;900,00", "27/11/2026;Pagamento instantâneo CARLOS;abc",
                                "27/11/2026;Pix devolvido;abc", ";Pix recebido CARLOS;900,00 abc"}) {
    CAPTURE(row);
    CHECK(outcome(kSigned + row + "\n") == "refused");
  }
  CHECK(outcome("Data;Histórico;Valor\n;Pix recebido CARLOS;900,00\n") == "refused");
  const auto entry = [](const std::string& memo) {
    return ofx("<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>20261127\n<MEMO>" + memo + "\n</STMTTRN>\n");
  };
  for (const std::string memo : {"PIX RECEBIDO CARLOS", "CREDPIX CARLOS", "PIXX CARLOS"})
    CHECK(outcome(entry(memo), kOfx) == "refused");
  CHECK(outcome(entry("COMPRA"), kOfx) == "told");
}

TEST_CASE("money that came in and is left out is listed, whatever its words") {
  for (const std::string text : {"PIX TRANSF  CANCELADO 27/11", "TARIFA PIX", "Taxa Pix", "IOF Pix",
                                 "TED ANA", "", "Estorno", "Pix enviado devolvido"}) {
    CAPTURE(text);
    const auto statement = read(kSigned + "27/11/2026;" + text + ";900,00\n");
    CHECK(statement.lines.size() == 2);
    CHECK(ignored_cents(statement) == 90'000);
    CHECK(ignored_cents(read(kPair + "27/11/2026;" + text + ";900,00;;\n")) == 90'000);
    CHECK(read(kSigned + "27/11/2026;" + text + ";-900,00\n").ignored_credits.empty());
    const auto banks = read_ofx(credit("PIX " + id(1)) + credit(text, "900.00"));
    CHECK(ignored_cents(banks) == 90'000);
  }
  // By no sign, and balances.
  CHECK(read("Data;Historico;Valor\n27/11/2026;Pix " + id(1) + ";1,00\n27/11/2026;TED;9,00\n")
            .ignored_credits.empty());
  for (const std::string text : {"SALDO DO DIA", "SALDO ANTERIOR", "S A L D O"})
    CHECK(read(kSigned + "27/11/2026;" + text + ";900,00\n").ignored_credits.empty());
}

TEST_CASE("words that banks join with Pix name one") {
  for (const std::string text : {"CREDPIX CARLOS", "RECPIX", "PIXCRED", "PIXREC CARLOS", "PIX2711 CARLOS",
                                 "P I X RECEBIDO", "RECEBPIX", "TRANSFPIX", "QRPIX"}) {
    CAPTURE(text);
    CHECK(read(kSigned + "27/11/2026;" + text + ";900,00\n").lines.size() == 3);
  }
}

TEST_CASE("a comparison tells the credits that it ignores in one warning") {
  Shop shop;
  shop.pay(shop.charge(), 1);
  auto other = shop.nameless(1'234);
  other.names_pix = false;
  other.came = true;
  const auto result = shop.compare(
      Statement{.lines = {shop.line(1), other}, .ignored = 1, .ignored_credits = {{9, domain::Cents(100)}}});
  CHECK(result.outcome == stores::ReconcileOutcome::kAgrees);
  REQUIRE(result.warnings.size() == 1);
  CHECK(result.warnings[0] == "the statement's line " + std::to_string(other.line) +
                                  ": its money came in, and it is ignored by its words, as is line 9: 2 "
                                  "credits of " +
                                  domain::to_reais(domain::Cents(1'334)) + " in all");
  other.came = false;
  CHECK(shop.compare({shop.line(1), other}).warnings.empty());
}

TEST_CASE("a fee for a payment may have the payment's id, and is no return of it") {
  for (const std::string text :
       {"Tarifa de Pix recebido ", "Tarifa sobre Pix recebido ", "Tarifa ", "Taxa do Pix "}) {
    CAPTURE(text);
    const auto statement = read(kSigned + "27/11/2026;" + text + id(1) + ";-0,10\n");
    CHECK(statement.returns.size() == 1);
    CHECK(statement.warnings.empty());
  }
  const auto with_column = read("Data;Descrição;Valor;EndToEndId\n27/11/2026;Pix;9,00;" + id(1) +
                                "\n27/11/2026;Tarifa sobre Pix recebido;-0,10;" + id(1) + "\n");
  CHECK(with_column.lines.size() == 1);
  CHECK(with_column.returns.empty());
  for (const std::string kind : {"FEE", "SRVCHG"})
    CHECK(read_ofx("<STMTTRN><TRNTYPE>" + kind + "<DTPOSTED>20261127<TRNAMT>-0.10<MEMO>PIX " + id(1) +
                   "</STMTTRN>\n")
              .returns.empty());
  for (const std::string text : {"Pix devolvido ", "Devolução de taxa de matrícula ", "Pix "})
    CHECK(read(kSigned + "27/11/2026;" + text + id(1) + ";-0,10\n").returns.size() == 2);
}

TEST_CASE("another heading begins a table of its own columns") {
  const auto two = "Recebimentos\nData;Valor;EndToEndId\n27/11/2026;19,90;" + id(1) +
                   "\n\nDevoluções\nData;Valor;Tipo;EndToEndId\n27/11/2026;-5,00;Devolução;" + id(1) + "\n";
  const auto statement = read(two);
  CHECK(statement.lines.size() == 1);
  REQUIRE(statement.returns.size() == 1);
  CHECK(statement.returns[0].amount == domain::Cents(500));
  const auto other = read(kSigned + "Valor;Data;Historico\n18,90;27/11/2026;Pix recebido\nTotal;;18,90\n");
  CHECK(other.lines.size() == 3);
  // Each table has its own signs.
  const auto pair = read(kPair + "Data;Histórico;Valor\n27/11/2026;Pix enviado BIA;9,00\n");
  CHECK(pair.lines.size() == 2);
  CHECK(pair.returns.size() == 2);
  CHECK(problem_of(two + "27/11/2026;-5,00;x;y;z\n").find("has 5 cells, and the heading names 4") !=
        std::string::npos);
}

TEST_CASE("a report of gross and net amounts is read by the gross ones, which payers paid") {
  const auto statement = read(
      "DATE,SOURCE_ID,RECORD_TYPE,NET_CREDIT_AMOUNT,NET_DEBIT_AMOUNT,GROSS_AMOUNT,MP_FEE_AMOUNT,PAYMENT_"
      "METHOD\n"
      "2026-11-27T00:00:00.000-03:00,,initial_available_balance,100.00,0.00,0,0,\n"
      "2026-11-27T22:16:22.000-03:00,1,release,19.80,0.00,19.90,-0.10,pix\n"
      "2026-11-27T22:16:22.000-03:00,1,release,0.00,5.00,-5.00,0,pix\n");
  REQUIRE(statement.lines.size() == 1);
  CHECK(statement.lines[0].amount == domain::Cents(1'990));
  CHECK(statement.lines[0].names_pix);
}

TEST_CASE("a spreadsheet, a PDF or a web page is refused with what to export instead") {
  for (const auto& [bytes, what] :
       std::vector<std::pair<std::string, std::string>>{{"PK\x03\x04\x14", "a spreadsheet"},
                                                        {"\xD0\xCF\x11\xE0\xA1", "a spreadsheet"},
                                                        {"%PDF-1.7\n", "a PDF"},
                                                        {"\n<!doctype HTML>\n<html>", "a web page"},
                                                        {"\xEF\xBB\xBF<html><table>", "a web page"}}) {
    CAPTURE(bytes);
    CHECK(problem_of(bytes, stores::guess_statement_format(bytes)) ==
          "the statement is " + what + ": export it as CSV or OFX");
  }
}

TEST_CASE("an OFX with a bank's error is refused though it has entries") {
  const auto of = [](const std::string& status) {
    return "<OFX><STMTTRNRS>\n<STATUS>" + status + "</STATUS><STMTRS><BANKTRANLIST>" +
           credit("PIX " + id(1)) + "</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>";
  };
  CHECK(
      problem_of(of("<CODE>2000<SEVERITY>ERROR<MESSAGE>General error"), kOfx) ==
      "the statement's line 2: the bank answers with an error (CODE 2000), so that nothing can be compared. "
      "Fetch it again: \"General error\"");
  CHECK(problem_of(of("<CODE>0<SEVERITY>ERROR"), kOfx) != "none");
  for (const std::string status : {"<CODE>2000", "<CODE>2000<SEVERITY>INFO", "<CODE>2000<SEVERITY>WARN"}) {
    CAPTURE(status);
    const auto warnings = read(of(status), kOfx).warnings;
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0] == "the statement's line 2: the bank states an error beside the entries (CODE 2000)");
  }
}
