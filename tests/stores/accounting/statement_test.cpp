#include "stores/accounting/statement.h"

#include <catch2/catch.hpp>

#include "stores/accounting/statement_text.h"
#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

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
    CHECK(to_iso8601(statement.lines[0].paid_at) == "2026-03-01T15:00:00.000Z");
  }
  CHECK(read(tables[1]).lines[0].txid == "cabc");
  CHECK(read(tables[1]).lines[0].line == 2);
  for (const std::string mark : {"\xFF\xFE", ""}) {
    auto wide = mark;
    for (const char c : tables[0]) wide += {c, '\0'};
    CHECK(read(wide).lines.size() == 1);
  }
  for (const std::string mark : {"\xFE\xFF", ""}) {
    auto wide = mark;
    for (const char c : tables[0]) wide += {'\0', c};
    CHECK(read(wide).lines.size() == 1);
  }
  CHECK(read("endToEndId,amountCents,paidAt\n").lines.empty());
}

TEST_CASE("irrelevant lines do not make a table invalid") {
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

TEST_CASE("a total of a table is checked against its lines") {
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
    CHECK(problem.find(stores::shown(line)) != std::string::npos);
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
  CHECK(to_iso8601(lines[0].paid_at) == "2026-03-01T15:00:00.000Z");
  CHECK(to_iso8601(lines[1].paid_at) == "2026-03-01T03:00:00.000Z");
  CHECK(to_iso8601(lines[2].paid_at) == "2026-03-01T15:00:00.000Z");
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
  // If none has an id, any credit may be a Pix.
  const auto nameless = read_ofx(credit("PIX RECEBIDO") + credit("TRANSF RECEBIDA") + credit("TED RECEBIDA"));
  REQUIRE(nameless.lines.size() == 2);
  CHECK_FALSE(nameless.lines[1].names_pix);
}

TEST_CASE("the returns of an OFX are its debits that are marked as returns") {
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
  // It is of an account, so it has the debits, even if there are none.
  CHECK(read_ofx(credit("PIX " + id(1))).has_returns == Statement::Returns::kOfDays);
}

TEST_CASE("a table has the account's debits if it has a column for them") {
  const std::string line = "01/03/2026;PIX " + id(1);
  CHECK(read("Data;Histórico;Valor\n" + line + ";1,00\n").has_returns == Statement::Returns::kNone);
  CHECK(read("Data;Histórico;Crédito;Débito\n" + line + ";1,00;\n").has_returns ==
        Statement::Returns::kOfDays);
}

TEST_CASE("a debit is a return only by the ledger's own id, whatever text is around it") {
  const std::string name = "rcmwsxcd9r0001hppvt952lp09";
  const auto statement = read_ofx(credit("TRANSF " + name + "/1", "-40.00") + credit("TED 1", "-1.00") +
                                  credit("RECEBIMENTOSEREPRESENTACOES", "-2.00"));
  REQUIRE(statement.returns.size() == 1);
  CHECK(statement.returns[0].names == std::vector{name});
  CHECK_FALSE(statement.returns[0].names_return);
  CHECK(statement.returns[0].by_names_alone);
  const auto table = read("returnId,valor,data\n" + name + ",-40.00,2026-03-01\n-,-1.00,2026-03-01\n");
  REQUIRE(table.returns.size() == 1);
  CHECK(table.returns[0].return_id == name);
}

TEST_CASE("an OFX and an answer of the API Pix state their days") {
  const auto of = [](const std::string& from, const std::string& to) {
    const auto text = "<OFX><BANKTRANLIST><DTSTART>" + from + "\n<DTEND>" + to + "\n</BANKTRANLIST></OFX>";
    std::vector<std::string> days;
    for (const auto& window : read(text, StatementFormat::kOfx).windows) {
      days.push_back(to_iso8601(window.from));
      days.push_back(to_iso8601(window.until));
    }
    return days;
  };
  const std::vector<std::string> of_november{"2026-11-01T03:00:00.000Z", "2026-12-01T03:00:00.000Z"};
  CHECK(of("20261101", "20261130") == of_november);
  CHECK(of("20261101000000[0:GMT]", "20261130100000[-03:EST]") == of_november);
  for (const std::string other : {"", "00000000", "2026", "20261032"}) CHECK(of(other, "20261130").empty());
  CHECK(of("20261130", "20261101").empty());
  const auto answer = read_json(page(pix(1), {}) + page(pix(2), {.begin = "2026-03-02"}));
  REQUIRE(answer.windows.size() == 2);
  CHECK(to_iso8601(answer.windows[1].from) == "2026-03-02T00:00:00.000Z");
  CHECK(to_iso8601(answer.windows[1].until) == "2026-03-09T00:00:00.001Z");
  CHECK(read_json(R"({"pix":[]})").windows.empty());
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
  // A fee without an amount is ignored.
  CHECK(read_ofx(credit("TARIFA", "") + credit("PIX " + id(1))).lines.size() == 1);
}

TEST_CASE("tags of an OFX may have blanks and attributes") {
  for (const std::string tag : {"<STMTTRN >", "<STMTTRN id=\"1\">", "< stmttrn\n>"}) {
    CAPTURE(tag);
    const auto statement = read_ofx(
        tag + "<TRNTYPE>CREDIT<DTPOSTED >20260301<TRNAMT cur=\"BRL\">7.00<MEMO>PIX " + id(1) + "</STMTTRN >");
    REQUIRE(statement.lines.size() == 1);
    CHECK(statement.lines[0].amount == domain::Cents(700));
  }
}

TEST_CASE("a return is seen however its word is written") {
  for (const std::string word :
       {"Devolu\xC3\xA7\xC3\xA3o", "Devolu&#231;&#227;o", "Devolu&#xE7;&#xE3;o", "Devolu&ccedil;&atilde;o",
        "Devolu&amp;ccedil;&amp;atilde;o",
        // Windows-1252, code page 850, UTF-8 that was taken for Windows-1252, and lost.
        "Devolu\xE7\xE3o", "Devolu\x87\xC6o", "Devolu\xC3\x83\xC2\xA7\xC3\x83\xC2\xA3o", "Devolu??o"}) {
    CAPTURE(word);
    const auto statement = read_ofx(credit(word + " Pix", "-5.00"));
    REQUIRE(statement.returns.size() == 1);
    CHECK(statement.returns[0].names_return);
  }
  CHECK(stores::text_of_file("Cr\x82"
                             "dito: n\xC6o") ==
        "Cr\xC3\xA9"
        "dito: n\xC3\xA3o");
  CHECK(stores::text_of_file("cr\xE9"
                             "dito\xA0Pix") ==
        "cr\xC3\xA9"
        "dito\xC2\xA0Pix");
}

TEST_CASE("a payer's name makes no fee, total or return of a payment") {
  const auto of = [](const std::string& heading, const std::string& lines) {
    return read(heading + "\n" + lines);
  };
  const auto named = of("Data;Nome;Historico;Valor",
                        "01/03/2026;TOTAL ATACADO LTDA;Pix recebido;100,00\n"
                        "01/03/2026;TAXA SILVA;Transferencia;50,00\n"
                        "01/03/2026;DEV SISTEMAS;Pix recebido;20,00\n");
  REQUIRE(named.lines.size() == 3);
  CHECK(named.lines[0].names_pix);
  CHECK_FALSE(named.lines[1].names_pix);
  const auto described = of("Data;Historico;Valor",
                            "01/03/2026;Pix recebido TAXA SILVA;50,00\n"
                            "01/03/2026;PIX QR TOTAL ATACADO LTDA;70,00\n"
                            "01/03/2026;TOTAL ATACADO LTDA PIX;80,00\n"
                            "01/03/2026;PIX RECEBIDO XYZ DEV LTDA;5,00\n");
  CHECK(described.lines.size() == 4);
  CHECK(described.ignored == 0);
  // Fees and balances begin with their kind, and a total sums the lines before it.
  const auto others = of("Data;Historico;Valor",
                         "01/03/2026;Pix recebido;50,00\n"
                         "01/03/2026;Tarifa Pix recebido;0,99\n"
                         "01/03/2026;123 ESTORNO DE TARIFA PIX;0,99\n"
                         "01/03/2026;SALDO DO DIA;1.050,00\n"
                         "01/03/2026;Total Pix recebido;50,00\n");
  CHECK(others.lines.size() == 1);
  CHECK(others.ignored == 4);
  const auto debits = of("Data;Historico;Valor",
                         "01/03/2026;DEVOLUCAO PIX TAXA SILVA;-50,00\n"
                         "01/03/2026;TARIFA DEVOLUCAO PIX;-1,00\n");
  REQUIRE(debits.returns.size() == 1);
  CHECK(debits.returns[0].names_return);
  const auto banks = read_ofx(
      "<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260301<TRNAMT>7.00<NAME>TAXA SILVA<MEMO>Pix recebido</STMTTRN>" +
      credit("PIX RECEBIDO TOTAL ATACADO") + credit("TARIFA PIX", "1.00"));
  CHECK(banks.lines.size() == 2);
  // An invalid id in the column of ids is reported, whatever the payer's name.
  CHECK(problem_of("EndToEndId;Nome;Valor;Data\nE123;TAXA SILVA;1,00;01/03/2026\n")
            .find("column 1, EndToEndId,") != std::string::npos);
}

TEST_CASE("a statement's problem can be reported without its content") {
  const std::vector<std::pair<std::string, StatementFormat>> wrong{
      {"Data;Nome;Valor\n01/03/2026;ANA LIMA 52998224725;1.234\n", StatementFormat::kCsv},
      {"endToEndId,amountCents,paidAt\nANA LIMA 52998224725,1,2026-03-01T12:00:00Z\n", StatementFormat::kCsv},
      {"endToEndId,amountCents,paidAt\n\"ANA LIMA 52998224725", StatementFormat::kCsv},
      {"ANA LIMA;52998224725\n", StatementFormat::kCsv},
      {ofx(credit("PIX ANA LIMA 52998224725", "1.234")), StatementFormat::kOfx},
      {R"({"pix":[{"endToEndId":"E1","valor":"1","pagador":{"nome":"ANA LIMA","cpf":"52998224725"}}]})",
       StatementFormat::kPixJson},
      {R"({"pagador":{"nome":"ANA LIMA","cpf":"52998224725"}})", StatementFormat::kPixJson},
      {R"({"parametros":{"inicio":"ANA LIMA","fim":"52998224725","paginacao":{"quantidadeDePaginas":2}},"pix":[]})",
       StatementFormat::kPixJson}};
  for (const auto& [text, format] : wrong) {
    CAPTURE(text);
    try {
      read(text, format);
      FAIL("it was read");
    } catch (const stores::StatementRefused& refused) {
      CHECK(refused.problem().find("the statement") == 0);
      CHECK(refused.problem().find("ANA LIMA") == std::string::npos);
      CHECK(refused.problem().find("52998224725") == std::string::npos);
    }
  }
}

TEST_CASE("the format of a statement is detected from its content") {
  using stores::guess_statement_format;
  CHECK(guess_statement_format(ofx("")) == StatementFormat::kOfx);
  CHECK(guess_statement_format("<?xml version=\"1.0\"?><?OFX OFXHEADER=\"200\"?><OFX>") ==
        StatementFormat::kOfx);
  CHECK(guess_statement_format("\xEF\xBB\xBF {\"pix\":[]}") == StatementFormat::kPixJson);
  CHECK(guess_statement_format("[]") == StatementFormat::kPixJson);
  CHECK(guess_statement_format("endToEndId,amountCents,paidAt\n") == StatementFormat::kCsv);
  CHECK(guess_statement_format("") == StatementFormat::kCsv);
}
