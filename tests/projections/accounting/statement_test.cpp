#include "projections/accounting/statement.h"

#include <catch2/catch.hpp>

#include "projections/accounting/statement_text.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::tests;
using projections::Statement;
using projections::StatementFormat;

namespace {

std::string id(unsigned number) { return sample_end_to_end_id(number).text(); }

Statement read(const std::string& text, StatementFormat format = StatementFormat::kCsv,
               const std::string& zone = "America/Sao_Paulo") {
  return projections::read_statement(text, format, parsed<eventstore::TimeZone>(zone));
}
Statement read_json(const std::string& text) { return read(text, StatementFormat::kPixJson); }

// What is wrong with the statement.
std::string problem_of(const std::string& text, StatementFormat format = StatementFormat::kCsv) {
  try {
    read(text, format);
  } catch (const projections::StatementRefused& error) {
    return error.what();
  }
  return "none";
}

std::string ofx(const std::string& transactions) {
  return "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX>\n<BANKTRANLIST>\n" + transactions +
         "</BANKTRANLIST>\n</OFX>\n";
}
std::string credit(const std::string& memo, const std::string& amount = "100.00",
                   const std::string& posted = "20260301120000[-3:BRT]", const std::string& fitid = "77") {
  return "<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>" + posted + "\n<TRNAMT>" + amount + "\n<FITID>" + fitid +
         "\n<MEMO>" + memo + "\n</STMTTRN>\n";
}
Statement read_ofx(const std::string& transactions) { return read(ofx(transactions), StatementFormat::kOfx); }

// A payment as the API Pix answers it.
std::string pix(unsigned number, const std::string& value = "1.00", const std::string& more = "") {
  return R"({"endToEndId":")" + id(number) + R"(","valor":")" + value +
         R"(","horario":"2026-03-01T12:00:00.000Z")" + more + "}";
}
struct Paging {
  int pages = 1, number = 0, payments = 1;
  std::string begin = "2026-03-01";
};
std::string page(const std::string& payments, const Paging& paging) {
  return R"({"parametros":{"inicio":")" + paging.begin +
         R"(T00:00:00Z","fim":"2026-03-09T00:00:00Z","paginacao":{"paginaAtual":)" +
         std::to_string(paging.number) + R"(,"itensPorPagina":100,"quantidadeDePaginas":)" +
         std::to_string(paging.pages) + R"(,"quantidadeTotalDeItens":)" + std::to_string(paging.payments) +
         R"(}},"pix":[)" + payments + "]}\n";
}

}  // namespace

TEST_CASE("a table is read whatever its separator, encoding, order and names of columns") {
  const std::vector<std::string> tables{
      "endToEndId,amountCents,paidAt\n" + id(1) + ",150,2026-03-01T12:00:00-03:00\n",
      "\xef\xbb\xbfpaidAt;bank;\"amountCents\";endToEndId;txid\r\n2026-03-01T12:00:00-03:00;\"a; b\";150;" +
          id(1) + ";cabc\r\n",
      "ID End to End\tValor (R$)\tData/Hora\n" + id(1) + "\tR$ 1,50\t01/03/2026 12:00\n",
      "DATA,HORA,VALOR,ENDTOENDID\n01/03/2026,12:00,\"1,50\"," + id(1) + "\n",
      "Data;Hist\xF3rico;Cr\xE9"
      "dito;D\xE9"
      "bito\n01/03/2026 12:00;PIX RECEBIDO " +
          id(1) + ";1,50;\n",
      "Extrato de conta\nAg\xEAncia: 1 Conta: 2\n\nData;Lan\xE7"
      "amento;Valor\n01/03/2026 12:00;Pix " +
          id(1) + ";1,50\n",
      "endToEndId | amountCents | paidAt\n" + id(1) + " | 150 | 2026-03-01T12:00:00\n",
  };
  for (const auto& table : tables) {
    INFO(table);
    const auto statement = read(table);
    REQUIRE(statement.lines.size() == 1);
    CHECK(statement.lines[0].end_to_end_id->text() == id(1));
    CHECK(statement.lines[0].amount == domain::Cents(150));
    CHECK(domain::to_iso8601(statement.lines[0].paid_at) == "2026-03-01T15:00:00.000Z");
  }
  CHECK(read(tables[1]).lines[0].txid == "cabc");
  CHECK(read(tables[1]).lines[0].line == 2);
  std::string wide("\xFF\xFE");
  for (const char c : tables[0]) wide += {c, '\0'};
  CHECK(read(wide).lines.size() == 1);
  CHECK(read("endToEndId,amountCents,paidAt\n").lines.empty());
}

TEST_CASE("lines that do not matter do not refuse the rest of a table") {
  const auto statement = read(
      "Data;Lancamento;EndToEndId;Valor\n"
      "01/03/2026;SALDO ANTERIOR;;1.000,00\n"
      "01/03/2026;Pix recebido;" +
      id(1) +
      ";100,00\n"
      "\n"
      "01/03/2026;TARIFA PIX;-;-0,99\n"
      "01/03/2026;TED recebida;;50,00\n"
      "01/03/2026;Pix enviado;E99999999202603011200s1a2b3c4d5e;-20,00\n"
      "Data;Lancamento;EndToEndId;Valor\n"
      "02/03/2026;Pix recebido;" +
      id(2) +
      ";1.234,56\n"
      ";;;\n"
      "Saldo final;;;2.263,57\n"
      "Emitido em 03/03/2026\n");
  REQUIRE(statement.lines.size() == 2);
  CHECK(statement.lines[1].line == 9);
  CHECK(statement.lines[1].amount == domain::Cents(123'456));
  CHECK(statement.ignored == 5);
  // It may be a return only if the ledger has its payment.
  REQUIRE(statement.returns.size() == 1);
  CHECK_FALSE(statement.returns[0].names_return);
}

TEST_CASE("a total of a table is held against its lines") {
  const std::string lines =
      "endToEndId;valor;data\n" + id(1) + ";100,00;01/03/2026\n" + id(2) + ";50,00;01/03/2026\n";
  CHECK(read(lines + "TOTAL;150,00;\n").counts_held);
  CHECK(read(lines + "Quantidade de lan\xC3\xA7"
                     "amentos: 2;;\n")
            .counts_held);
  CHECK_FALSE(read(lines).counts_held);
  CHECK(problem_of(lines + "TOTAL;250,00;\n").find("line 4: states a total") != std::string::npos);
  CHECK(problem_of(lines + "Total de registros: 3;;\n").find("line 4: states how many") != std::string::npos);
}

TEST_CASE("a table that cannot be read is refused with the line, which is shown") {
  const std::string heading = "endToEndId,amountCents,paidAt\n";
  CHECK(problem_of("").find("is empty") != std::string::npos);
  CHECK(problem_of("endToEndId,paidAt\n").find("line 1: no line names the columns") != std::string::npos);
  CHECK(problem_of("valor;valor;data\n").find("two columns are called valor") != std::string::npos);
  const std::vector<std::string> wrong = {"x,1,2026-03-01T12:00:00Z",
                                          id(1) + ",1.5,2026-03-01T12:00:00Z",
                                          id(1) + ",0,2026-03-01T12:00:00Z",
                                          id(1) + ",1,yesterday",
                                          id(1) + ",1",
                                          id(1) + ",1,2026-03-01T12:00:00Z,50",
                                          "\"x"};
  for (const auto& line : wrong) {
    INFO(line);
    const auto problem = problem_of(heading + line + "\n");
    CHECK(problem.find("line 2") != std::string::npos);
    CHECK(problem.find(projections::shown(line)) != std::string::npos);
  }
  CHECK(
      problem_of("endToEndId;valor;data\n" + id(1) + ";1.234;01/03/2026\n").find("can be read in two ways") !=
      std::string::npos);
}

TEST_CASE("a bank's OFX is read for the Pix that came in, wherever and however it names them") {
  const auto statement = read_ofx(
      credit("PIX RECEBIDO", "100.00", "20260301120000[-3:BRT]", id(1)) +
      "<STMTTRN><TRNTYPE>CREDIT</TRNTYPE><DTPOSTED>20260301</DTPOSTED><TRNAMT>+19,9</TRNAMT><FITID>1</FITID>"
      "<REFNUM>" +
      id(2) +
      "</REFNUM></STMTTRN>\n"
      "<stmttrn>\n<dtposted>20260301120000[-0300]\n<trnamt>      1.234,56\n<fitid>2\n<memo>Pix de Ana &amp; "
      "Jo\xE3o, " +
      id(3) + ".\n" + credit("TED 77", "5.00") + credit("PIX ENVIADO " + id(4), "-5.00"));
  REQUIRE(statement.lines.size() == 3);
  const auto& lines = statement.lines;
  for (unsigned n = 0; n < 3; ++n) CHECK(lines[n].end_to_end_id->text() == id(n + 1));
  CHECK(lines[0].line == 6);
  CHECK(lines[1].line == 13);
  CHECK(lines[2].line == 14);
  CHECK(lines[0].amount == domain::Cents(10'000));
  CHECK(lines[1].amount == domain::Cents(1'990));
  CHECK(lines[2].amount == domain::Cents(123'456));
  CHECK(domain::to_iso8601(lines[0].paid_at) == "2026-03-01T15:00:00.000Z");
  CHECK(domain::to_iso8601(lines[1].paid_at) == "2026-03-01T03:00:00.000Z");
  CHECK(domain::to_iso8601(lines[2].paid_at) == "2026-03-01T15:00:00.000Z");
  CHECK(read_ofx("").lines.empty());
  // XML on one line, as some banks write it.
  const auto on_one_line = read(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?><?OFX "
      "OFXHEADER=\"200\"?><OFX><BANKTRANLIST><STMTTRN><DTPOSTED>20260301"
      "</DTPOSTED><TRNAMT>1.00</TRNAMT><MEMO><![CDATA[Pix <Ana> " +
          id(1) + "]]></MEMO></STMTTRN></BANKTRANLIST></OFX>",
      StatementFormat::kOfx);
  REQUIRE(on_one_line.lines.size() == 1);
  CHECK(on_one_line.lines[0].end_to_end_id->text() == id(1));
}

TEST_CASE("an OFX without end-to-end ids has its Pix without names") {
  const auto statement = read_ofx(credit("PIX RECEBIDO ANA LIMA") + credit("TRANSF RECEBIDA BIA") +
                                  credit("TED RECEBIDA") + credit("TARIFA PIX", "-1.00") +
                                  credit("ESTORNO PIX ENVIADO") + credit("PIX CMWSXCD9R0001HPPVT952LP09"));
  REQUIRE(statement.lines.size() == 2);
  CHECK_FALSE(statement.lines[0].end_to_end_id);
  CHECK(statement.lines[0].names_pix);
  CHECK(statement.lines[1].txid == "CMWSXCD9R0001HPPVT952LP09");
  // Where none has a name, any credit may be one.
  const auto nameless = read_ofx(credit("PIX RECEBIDO") + credit("TRANSF RECEBIDA") + credit("TED RECEBIDA"));
  REQUIRE(nameless.lines.size() == 2);
  CHECK_FALSE(nameless.lines[1].names_pix);
}

TEST_CASE("the returns of an OFX are its debits that say so") {
  const auto statement = read_ofx(
      credit("PIX RECEBIDO", "100.00", "20260301", id(1)) + credit("DEVOLUCAO PIX " + id(1), "-40,00") +
      credit("PIX DEVOLVIDO D18236120202603011200s1a2b3c4d5e", "-1.00") +
      "<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260301<TRNAMT>7.00<MEMO>DEV PIX</STMTTRN>" +
      credit("PIX ENVIADO BIA", "-9.00"));
  CHECK(statement.has_returns == Statement::Returns::kOfDays);
  REQUIRE(statement.returns.size() == 4);
  CHECK(statement.returns[0].of_payment->text() == id(1));
  CHECK(statement.returns[0].amount == domain::Cents(4'000));
  CHECK(statement.returns[1].return_id == "D18236120202603011200S1A2B3C4D5E");
  CHECK(statement.returns[2].amount == domain::Cents(700));
  CHECK_FALSE(statement.returns[3].names_return);
  CHECK(read_ofx(credit("PIX " + id(1))).has_returns == Statement::Returns::kNone);
}

TEST_CASE("OFX that cannot be read is refused with its line, which is shown") {
  const auto problem = [&](const std::string& amount, const std::string& time) {
    return problem_of(
        ofx("<STMTTRN>\n<DTPOSTED>" + time + "\n<TRNAMT>" + amount + "\n<FITID>" + id(1) + "\n"),
        StatementFormat::kOfx);
  };
  CHECK(problem("1.00", "20260301") == "none");
  for (const std::string amount : {"", "x", "1.234", "1.", "--1", "99999999999999999999"}) {
    INFO(amount);
    CHECK(problem(amount, "20260301").find("line 6: TRNAMT") != std::string::npos);
  }
  CHECK(problem("x", "20260301").find("\"<STMTTRN> <DTPOSTED>20260301 <TRNAMT>x") != std::string::npos);
  CHECK(problem("1000000000.00", "20260301").find("line 6: the amount is above") != std::string::npos);
  for (const std::string time : {"", "x", "2026030", "20260230", "20260301250000", "20260301120000[x]"}) {
    INFO(time);
    CHECK(problem("1.00", time).find("line 6: DTPOSTED") != std::string::npos);
  }
  for (const std::string text : {"", "endToEndId,amountCents,paidAt\n", "<STMTTRN>"})
    CHECK(problem_of(text, StatementFormat::kOfx).find("is not OFX") != std::string::npos);
  CHECK(problem_of("<OFX><BANKTRANLIST>" + credit("PIX"), StatementFormat::kOfx)
            .find("a part of it is missing") != std::string::npos);
  // A fee without an amount matters to nobody.
  CHECK(read_ofx(credit("TARIFA", "") + credit("PIX " + id(1))).lines.size() == 1);
}

TEST_CASE("what the API Pix answers is a statement, all pages and windows of it") {
  const auto statement =
      read_json(page(pix(1, "19.90", R"(,"txid":"cabcdefghijkl","chave":"a@b.example","devolucoes":[])") +
                         "," + pix(2, "1.00", R"(,"txid":"***")"),
                     {.pages = 2, .number = 0, .payments = 3}) +
                page(pix(3, "0.01"), {.pages = 2, .number = 1, .payments = 3}) +
                // The next window has one of the first, too.
                page(pix(3, "0.01") + "," + pix(4), {.payments = 2, .begin = "2026-03-02"}));
  const auto& lines = statement.lines;
  REQUIRE(lines.size() == 4);
  CHECK(statement.counts_held);
  for (unsigned n = 0; n < 4; ++n) CHECK(lines[n].end_to_end_id->text() == id(n + 1));
  CHECK(lines[0].amount == domain::Cents(1'990));
  CHECK(lines[0].txid == "cabcdefghijkl");
  CHECK(lines[1].txid.empty());
  CHECK(lines[3].line == 5);
  CHECK(domain::to_iso8601(lines[0].paid_at) == "2026-03-01T12:00:00.000Z");
  CHECK(read_json(page("", {.payments = 0})).lines.empty());
  CHECK_FALSE(read_json(R"({"pix":[]})").counts_held);
  // As a list, with a mark before it, and with numbers and names in other spellings.
  CHECK(read_json("\xEF\xBB\xBF[" + page(pix(1), {}) + "]").lines.size() == 1);
  CHECK(read_json("[" + pix(1) + "," + pix(2) + "]").lines.size() == 2);
  const auto other = read_json(R"({"pix":[{"EndToEndId":")" + id(1) +
                               R"(","valor":19.9,"horario":"2026-03-01T12:00:00Z","txId":"cabc"}]})");
  CHECK(other.lines[0].amount == domain::Cents(1'990));
  CHECK(other.lines[0].txid == "cabc");
}

TEST_CASE("the returns of what the API Pix answers are those that were made or are under way") {
  const auto statement = read_json(page(
      pix(1, "5.00",
          R"(,"devolucoes":[{"id":"d1","rtrId":"D18236120202603011200s1a2b3c4d5e","valor":"1.00",)"
          R"("horario":{"solicitacao":"2026-03-02T12:00:00Z","liquidacao":"2026-03-02T12:00:01Z"},)"
          R"("status":"DEVOLVIDO"},)"
          R"({"id":"d2","valor":"2.00","horario":{"solicitacao":"2026-03-03T12:00:00Z"},"status":"EM_PROCESSAMENTO"},)"
          R"({"id":"d3","valor":"2.00","status":"NAO_REALIZADO"}])"),
      {}));
  REQUIRE(statement.returns.size() == 2);
  CHECK(statement.returns[0].id == "d1");
  CHECK(statement.returns[0].amount == domain::Cents(100));
  CHECK(statement.returns[0].is_done);
  CHECK(domain::to_iso8601(statement.returns[0].at) == "2026-03-02T12:00:01.000Z");
  CHECK_FALSE(statement.returns[1].is_done);
}

TEST_CASE("pages that do not fit what they say of their window are refused") {
  const auto problem = [](const std::string& text) { return problem_of(text, StatementFormat::kPixJson); };
  const auto first = page(pix(1), {.pages = 2, .number = 0, .payments = 2});
  const auto second = page(pix(2), {.pages = 2, .number = 1, .payments = 2});
  const auto whole = page(pix(3), {.begin = "2026-03-02"});
  CHECK(problem(first + second + whole) == "none");
  // Also where it is not the first window that lacks one.
  const auto lost = problem(whole + first);
  CHECK(lost.find("has 1 of 2 pages of the window 2026-03-01T00:00:00Z to 2026-03-09T00:00:00Z") !=
        std::string::npos);
  CHECK(lost.find("paginaAtual 1 is missing") != std::string::npos);
  CHECK(problem(first + second + first).find("paginaAtual 0 of the window") != std::string::npos);
  CHECK(problem(whole + whole).find("twice") != std::string::npos);
  CHECK(problem(page(pix(1), {.payments = 2})).find("has 1 payments of the window") != std::string::npos);
  CHECK(problem(first + page(pix(2), {.pages = 3, .number = 1, .payments = 2}))
            .find("do not belong together") != std::string::npos);
  // While pages were fetched a payment moved from one to the next, and another was lost by that.
  CHECK(problem(first + page(pix(1), {.pages = 2, .number = 1, .payments = 2})).find("payment 2: is twice") !=
        std::string::npos);
  CHECK(problem(R"({"pix":[)" + pix(1) + "," + pix(1) + "]}").find("is twice") != std::string::npos);
}

TEST_CASE("an answer of the API Pix that cannot be read is refused with the payment, which is shown") {
  const auto problem = [](const std::string& text) { return problem_of(text, StatementFormat::kPixJson); };
  CHECK(problem(page(pix(1) + "," + pix(2, "1,234"), {.payments = 2})).find("'s payment 2: valor") !=
        std::string::npos);
  CHECK(problem(page(R"({"endToEndId":"E1","valor":"1.00"})", {})) ==
        "the statement's payment 1: endToEndId " + std::string(domain::EndToEndId::kRule) +
            R"(: "{"endToEndId":"E1","valor":"1.00"}")");
  CHECK(problem(page(R"({"endToEndId":")" + id(1) + R"(","valor":"1","horario":"x"})", {})).find("horario") !=
        std::string::npos);
  for (const std::string text : {"", "x", "{}", "{\"pix\":[", "{\"pix\":{}}", "[1]"})
    CHECK(problem(text) != "none");
}

TEST_CASE("the format of a statement is known by what it holds") {
  using projections::guess_statement_format;
  CHECK(guess_statement_format(ofx("")) == StatementFormat::kOfx);
  CHECK(guess_statement_format("<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\"?><OFX>") ==
        StatementFormat::kOfx);
  CHECK(guess_statement_format("\xEF\xBB\xBF {\"pix\":[]}") == StatementFormat::kPixJson);
  CHECK(guess_statement_format("[]") == StatementFormat::kPixJson);
  CHECK(guess_statement_format("endToEndId,amountCents,paidAt\n") == StatementFormat::kCsv);
  CHECK(guess_statement_format("") == StatementFormat::kCsv);
}
