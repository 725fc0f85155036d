// Parts of a statement that are refused, that cause a warning, and that do neither.
#include <catch2/catch.hpp>

#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

constexpr auto kOfx = StatementFormat::kOfx;

// Whether it is read with a warning.
bool warns(const std::string& text, StatementFormat format = StatementFormat::kCsv) {
  const auto statement = read(text, format);
  return !statement.warnings.empty();
}
bool refuses(const std::string& text, const std::string& problem,
             StatementFormat format = StatementFormat::kCsv) {
  return problem_of(text, format).find(problem) != std::string::npos;
}

}  // namespace

TEST_CASE("a clear count or total of a table is checked against its lines") {
  const auto table = "Data;Descricao;Valor;endToEndId\n01/03/2026;Recebimento;19,90;" + id(1) +
                     "\n01/03/2026;Recebimento;19,90;" + id(2) + "\n";
  for (const std::string held :
       {"Exibindo 2 de 2 registros", "Mostrando 1 a 2 de 2", "Total de Pix recebidos: 2", "Total: 2",
        "Quantidade de pagamentos: 2", "2 registros encontrados", "Qtd. de registros: 2", "Qtde;2;;",
        "Total geral: R$ 39,80", "Total;;39,80;", ";Soma;39,80;",
        "Quantidade de lan\xC3\xA7"
        "amentos;2"}) {
    CAPTURE(held);
    for (const auto& text : {table + held + "\n", held + "\n" + table}) {
      const auto statement = read(text);
      CHECK(statement.counts_held);
      CHECK(statement.lines.size() == 2);
      CHECK(statement.warnings.empty());
    }
  }
  for (const std::string clear : {"Total de registros: 37", "Quantidade de pagamentos: 9", "Total;;9.999,00;",
                                  "Total de registros: 1.002", "Qtd. de registros;9;;", "TOTAL GERAL;;37;"}) {
    CAPTURE(clear);
    CHECK(refuses(table + clear + "\n", "the statement's line 4: states"));
  }
  CHECK(refuses("Total de registros: 37\n" + table, "the statement's line 1: states"));
  for (const std::string guessed :
       {"Exibindo 2 de 37 registros", "Mostrando 1 a 2 de 37", "Total de Pix recebidos: 37", "Total: 37",
        "37 registros encontrados", "Qtde;9;;", "Total geral: R$ 9.999,00", ";Soma;9.999,00;"}) {
    CAPTURE(guessed);
    CHECK(warns(table + guessed + "\n"));
    CHECK_FALSE(read(table + guessed + "\n").counts_held);
  }
}

TEST_CASE("a total may leave out fees, or be of a part of the entries") {
  const std::string table = "Data;Historico;Valor\n01/03/2026;Pix ANA;5,00\n01/03/2026;Tarifa;0,50\n";
  for (const std::string total : {"4,50", "5,00", "5,50"})
    CHECK(read(table + "Total;;" + total + "\n").counts_held);
  CHECK(warns(table + "Total;;70,00\n"));
  CHECK(refuses(table + "02/03/2026;Pix BIA;-1,00\nTotal;;70,00\n", "line 5: states a total"));
  for (const std::string label : {"Total Pix recebidos", "Total de pagamentos", "Total recebidos"})
    CHECK(warns(table + "02/03/2026;Pix BIA;-1,00\n" + label + ";;70,00\n"));
  CHECK(warns(table + "Total;TED;70,00\n"));
}

TEST_CASE("other numbers beside a table are no sizes of it") {
  const auto table = "Data;Descricao;Valor\n01/03/2026;Pix " + id(1) + ";19,90\n";
  for (const std::string line :
       {"Movimenta\xC3\xA7\xC3\xB5"
        "es no ano de 2026",
        "Lan\xC3\xA7"
        "amentos no m\xC3\xAAs: 11",
        "N\xC3\xBAmero da opera\xC3\xA7\xC3\xA3o: 123456", "Consulta limitada a 1000 registros",
        "20 registros por p\xC3\xA1gina",
        "Ag\xC3\xAAncia 1234 Conta 5678 Lan\xC3\xA7"
        "amentos",
        "\xC3\x9Altimos 90 lan\xC3\xA7"
        "amentos",
        "Saldo total: 1.000,00", "Total: 922337203685477580", "Total: 99999999999999999999999",
        ";Capital social;100,00", "Total dispon\xC3\xADvel;;5.000,00", "SALDO;;922337203685477580,00",
        "01/03/2026;SALDO DO DIA;99999999999,00", "Limite;;5.000,00", "Total de tarifas: 12",
        "Total de lan\xC3\xA7"
        "amentos futuros: 3"}) {
    CAPTURE(line);
    for (const auto& text : {table + line + "\n", line + "\n" + table}) {
      const auto statement = read(text);
      CHECK(statement.lines.size() == 1);
      CHECK_FALSE(statement.counts_held);
      CHECK(statement.warnings.empty());
    }
  }
}

TEST_CASE("tables that follow each other may each say their own size, or that of all") {
  const auto part = [](unsigned payment, const std::string& count, bool is_before) {
    const auto size = "Total de registros: " + count + "\n";
    return (is_before ? size : "") + "Data;Valor;endToEndId\n01/03/2026;19,90;" + id(payment) +
           "\n02/03/2026;5,00;" + id(payment + 1) + "\n" + (is_before ? "" : size);
  };
  for (const bool is_before : {false, true})
    for (const std::string count : {"2", "4"}) {
      CAPTURE(is_before, count);
      CHECK(read(part(1, count, is_before) + part(3, count, is_before)).counts_held);
    }
  CHECK(read(part(1, "2", true) + part(3, "2", true) + part(5, "2", true)).counts_held);
  CHECK(refuses(part(1, "2", false) + part(3, "3", false), "line 8: states how many"));
  CHECK(refuses(part(1, "2", true) + part(3, "9", true) + part(5, "2", true), "line 5: states how many"));
  // With the heading, and a line at the end.
  for (const std::string count : {"3", "4"}) CHECK(warns(part(1, count, true)));
  CHECK(refuses(part(1, "5", true), "line 1: states how many"));
}

TEST_CASE("a size of a table may count rows that are not read") {
  const std::string table =
      "Data;Historico;Valor\n01/03/2026;Pix ANA;5,00\n01/03/2026;Pix recebido;Pendente\n02/03/2026;Pix "
      "BIA;-1,00\n";
  for (const std::string count : {"2", "3"})
    CHECK(read(table + "Total de registros: " + count + "\n").counts_held);
  CHECK(refuses(table + "Total de registros: 4\n", "line 5: states how many"));
  CHECK(warns(table + "Total;;70,00\n"));
  CHECK(problem_of(table + "Total;;70,00\n") == "none");
}

TEST_CASE("labels of sums and limits below a table are none of its entries") {
  const auto table = "Data;Historico;Valor\n01/03/2026;Pix ANA;19,90\n02/03/2026;Pix BIA;19,90\n";
  for (const std::string label : {"Limite Pix noturno (20h as 6h);;1.000,00", "Pix recebidos (2);;39,80",
                                  "2 Pix recebidos;;19,90", "Pix recebidos em 03/2026;;19,90",
                                  "Quantidade de Pix recebidos: 2;;39,80", "Resumo Pix 03/2026;;19,90"}) {
    CAPTURE(label);
    CHECK(read(table + (label + "\n")).lines.size() == 2);
  }
  CHECK(warns(table + std::string("02/03/2026;Total Pix recebidos;50,00\n")));
}

TEST_CASE("a balance beside the entries refuses no table") {
  const auto rows = [](const std::vector<std::string>& entries) {
    std::string table;
    for (const auto& entry : entries) table += entry + "\n";
    return read(table).lines.size();
  };
  const std::string heading = "Data;Historico;Valor;Saldo";
  const auto one = "01/03/2026;Pix " + id(1) + ";19,90;", two = "01/03/2026;Pix " + id(2) + ";19,90;";
  CHECK(rows({heading, "01/03/2026;SALDO ANTERIOR;;100,00", one + "119,90", two + "639,80"}) == 2);
  CHECK(rows({heading, one + "119,90", heading, two + "9,80"}) == 2);
  CHECK(rows({heading, two + "139,80", "28/02/2026;Tarifa;-1,00;119,90", one + "120,90"}) == 2);
}

TEST_CASE("a row that says Pix and cannot be read refuses the table, and another is told") {
  const std::string heading =
      "Data;Lan\xC3\xA7"
      "amento;Valor;Documento\n";
  const auto whole = heading + "01/03/2026;Pix recebido " + id(1) + ";19,90;\n";
  for (const std::string row :
       {"01/03/2026;Pix recebido;500,OO;", "01/03/2026;Pix recebido;US$ 500,00;",
        "11/27/2026;Pix recebido;500,00;", "27/11;Pix recebido;500,00;", "46353;Pix recebido;500,00;",
        "01/03/2026;Pix recebido;;", "01/03/2026;Pix recebido;quinhentos;",
        "01/03/2026;Recebimento Pix ativado;;"}) {
    CAPTURE(row);
    CHECK(refuses(whole + row + "\n", "the statement's line 3: column"));
  }
  for (const std::string row : {"01/03/2026;Recebimento;500,00*;", "46353;Recebimento;500,00;",
                                "01/03/2026;Compra no exterior;US$ 10.00;", "01/03/2026;PIX ENVIADO;x;",
                                "01/03/2026;Pix recebido;Pendente;", "01/03/2026;Chave Pix cadastrada;;"})
    CHECK(warns(whole + row + "\n"));
  // Sent money by the amount's sign, but not by the words.
  for (const std::string amount : {"(R$ 500,00)",
                                   "\xE2\x80\x93"
                                   "500,00"})
    CHECK(warns(whole + "01/03/2026;Pix recebido;" + amount + ";\n"));
  for (const std::string row :
       {"01/03/2026;Compra no exterior;;", "02/03/2026;Sem movimento;;",
        "01/03/2026;Cancelamento Pix enviado;;", "01/03/2026;PIX REJEITADO;-;",
        "01/03/2026;TARIFA PIX RECEBIDO;;", "Extrato Pix emitido em 03/03/2026;;;", "Pix recebidos;;19,90;",
        "Saldo em 03/03/2026;;1.000,00;", "Limite Pix;;5.000,00;", "Sem Pix;;;"}) {
    CAPTURE(row);
    const auto statement = read(whole + row + "\n");
    CHECK(statement.lines.size() == 1);
    CHECK(statement.warnings.empty());
  }
  // A table with payments only does not mark them as Pix.
  CHECK(refuses("endToEndId,valor,data\n,1x,2026-03-01\n", "line 2: column"));
  CHECK(refuses("endToEndId,valor,data\n,x,2026-03-01\n", "line 2: column 2"));
  CHECK(refuses("endToEndId,valor,data\n,100,yesterday\n", "line 2: column 3"));
  CHECK(
      read("endToEndId,valor,data\n" + id(1) + ",1.00,2026-03-01\nEmitido em 03/03/2026,,\n").lines.size() ==
      1);
}

TEST_CASE("a day written once for several rows is the day of each") {
  const std::string heading = "Data;Historico;Valor\n";
  const auto grouped = read(heading + "01/03/2026;Pix recebido ANA;1,00\n;Pix recebido BIA;2,00\n;Pix " +
                            id(3) + ";3,00\n;Total;6,00\n");
  REQUIRE(grouped.lines.size() == 3);
  for (const auto& line : grouped.lines) CHECK(to_iso8601(line.paid_at) == "2026-03-01T03:00:00.000Z");
  CHECK(grouped.warnings.size() == 1);
  CHECK(grouped.counts_held);
  CHECK(warns(heading + ";Pix agendados;500,00\n01/03/2026;Pix recebido ANA;1,00\n"));
  CHECK(refuses(heading + ";Pix recebido BIA;2,00\n", "line 2: column 1, Data, must"));
  CHECK(refuses(heading + ";Pix " + id(1) + ";2,00\n", "line 2: column 1, Data, must"));
  const auto summed = read(heading + "01/03/2026;Pix ANA;19,90\nResumo;;\n;Pix;19,90\n;Boleto;10,00\n");
  CHECK(summed.lines.size() == 1);
}

TEST_CASE("money that an account sent is not counted as received, whichever column says so") {
  const auto row = [](const std::string& name, const std::string& text, const std::string& way) {
    return "Conta;Data_Mov;Nr_Doc;Historico;Valor;" + name +
           "\n1;20260301;9;CRED PIX;19.90;C\n1;20260301;9;" + text + ";19.90;" + way + "\n";
  };
  for (const std::string name :
       {"Deb_Cred", "Deb/Cred", "D/C", "Sinal", "Sentido", "Natureza", "Opera\xC3\xA7\xC3\xA3o",
        "Tipo de opera\xC3\xA7\xC3\xA3o", "Movimenta\xC3\xA7\xC3\xA3o", "Tipo"}) {
    for (const std::string way : {"D", "DB",
                                  "D\xC3\xA9"
                                  "b.",
                                  "S", "-",
                                  "D - D\xC3\xA9"
                                  "bito",
                                  "Sa\xC3\xAD"
                                  "da",
                                  "Envio", "Pix enviado"}) {
      CAPTURE(name, way);
      // Also with an id, and whatever its text is.
      for (const auto& text : {std::string("PIX 77"), "PIX " + id(2), std::string("Pix recebido")}) {
        const auto statement = read(row(name, text, way));
        CHECK(statement.lines.size() == 1);
        REQUIRE(statement.returns.size() == 1);
        CHECK_FALSE(statement.returns[0].names_return);
      }
    }
    for (const std::string way : {"C", "CR", "+", "E",
                                  "C - Cr\xC3\xA9"
                                  "dito",
                                  "Entrada", "Pix recebido"}) {
      CAPTURE(name, way);
      CHECK(read(row(name, "PIX 77", way)).lines.size() == 2);
      CHECK(read(row(name, "Parcela 2 enviada", way)).lines.size() == 2);
    }
    CAPTURE(name);
    CHECK(warns(row(name, "ENVIO PIX", "C")));
  }
  for (const std::string name : {"Deb_Cred", "D/C", "Sinal", "Sentido"}) {
    CHECK(refuses(row(name, "PIX 77", "X"), "line 3: column 6, " + name + ", must say whether"));
    for (const auto& text : {"PIX " + id(2), std::string("TED 1"), std::string("Pix recebido")})
      CHECK(read(row(name, text, "X")).lines.size() == 2 - (text == "TED 1" ? 1 : 0));
    CHECK(read(row(name, "PIX 77", "")).lines.size() == 2);
  }
  // A word for the kind of an entry has no direction.
  for (const std::string name : {"Natureza", "Tipo", "Opera\xC3\xA7\xC3\xA3o"})
    for (const std::string kind : {"Pix", "QR", "Transfer\xC3\xAAncia", "X"}) {
      const auto statement = read(row(name, "PIX 77", kind));
      CHECK(statement.lines.size() == 2);
      CHECK(statement.warnings.empty());
    }
  CHECK(read(row("D/C", "TARIFA", "")).lines.size() == 1);
  // A sent payment that was returned is neither.
  for (const std::string text : {"ESTORNO PIX ENVIADO", "Cancelamento Pix enviado", "PIX REJEITADO"}) {
    const auto back = read(row("D/C", text, "C"));
    CHECK(back.lines.size() == 1);
    CHECK(back.returns.empty());
    CHECK(back.warnings.empty());
  }
}

TEST_CASE("only the bank's words mark sent money, and no payer's") {
  const auto of = [](const std::string& text) {
    const auto statement = read("Data;Historico;Valor\n01/03/2026;" + text + ";19,90\n");
    CHECK(statement.lines.size() + statement.returns.size() + statement.ignored == 1);
    return statement.lines.size();
  };
  for (const std::string text : {"ENVIO PIX", "Pix enviado ANA", "Transfer\xC3\xAAncia enviada Pix",
                                 "Transfer\xC3\xAAncia enviada pelo Pix - ANA", "PIX QRCODE ENVIADO",
                                 "Pix - Enviado", "Envio de Pix", "Pagamento Pix enviado"}) {
    CAPTURE(text);
    CHECK(of(text) == 0);
  }
  for (const std::string& text :
       {std::string("Pix enviado por ANA"), std::string("Parcela 2 enviada"),
        std::string("PIX Parcela 2 enviada"), std::string("Pix recebido: Pix enviado hoje"),
        std::string("Nota enviada por e-mail Pix"), "Pix enviado " + id(1), "Parcela 2 enviada " + id(1),
        std::string("Transf ANA enviada"), std::string("Pix recebido CANCELADO LTDA"),
        std::string("Pix recebido cancelamento de assinatura")}) {
    CAPTURE(text);
    CHECK(of(text) == 1);
  }
}

namespace {

// Whether a table is read without a warning, and its sum of received money.
struct Sums {
  std::int64_t came = 0, went = 0;
  bool warns = false;
  bool operator==(const Sums&) const = default;
};
Sums sums_of(const std::string& text, StatementFormat format = StatementFormat::kCsv) {
  const auto statement = read(text, format);
  Sums sums{.warns = !statement.warnings.empty()};
  for (const auto& line : statement.lines) sums.came += line.amount.value();
  for (const auto& back : statement.returns) sums.went += back.amount.value();
  return sums;
}

}  // namespace

TEST_CASE("in a table with signs no word changes an amount's direction, and otherwise a warning says so") {
  const std::string pair = "Data;Historico;Credito;Debito\n01/03/2026;Pix enviado ANA LIMA;9,00;\n";
  CHECK(sums_of(pair) == Sums{900, 0, true});
  CHECK(sums_of(pair + "02/03/2026;Pix enviado BIA;;5,00\n") == Sums{900, 500, true});
  const std::string table = "Data;Historico;Valor\n";
  for (const std::string amount : {"+9,00", "9,00C", "9,00 (+)"})
    CHECK(sums_of(table + "01/03/2026;Pix enviado ANA;" + amount + "\n") == Sums{900, 0, true});
  const std::string sent = "01/03/2026;Pix - Transferencia enviada de ANA;19,90\n";
  for (const std::string amount : {"-9,00", "9,00-", "(9,00)", "9,00 D", "9,00 (-)", "(-9,00)"}) {
    CAPTURE(amount);
    CHECK(sums_of(table + sent + "02/03/2026;Pix BIA;" + amount + "\n") == Sums{1990, 900, true});
    CHECK(sums_of(table + "02/03/2026;Pix BIA;" + amount + "\n") == Sums{0, 900, false});
  }
  CHECK(sums_of(table + sent) == Sums{0, 1990, true});
  CHECK(sums_of(table + "01/03/2026;SALDO ANTERIOR;-50,00\n" + sent) == Sums{0, 1990, true});
  CHECK(sums_of(table + "01/03/2026;Pix ANA;19,90\n") == Sums{1990, 0, false});
  CHECK(sums_of(table + "01/03/2026;Pix enviado " + id(1) + ";19,90\n") == Sums{1990, 0, true});
  const std::string letters = "Data;Historico;Valor;D/C\n";
  CHECK(sums_of(letters + "01/03/2026;Pix ANA;-5,00;C\n") == Sums{0, 500, true});
  CHECK(sums_of(letters + "01/03/2026;Pix ANA;5,00;D\n01/03/2026;Pix BIA;6,00;C\n") == Sums{600, 500, false});
}

TEST_CASE("a column for the kind of entry changes an amount's direction only by its first word") {
  for (const std::string name : {"Movimentacao", "Movimento", "Operacao"}) {
    const auto of = [&name](const std::string& kind, const std::string& more = "") {
      return sums_of("Data;Historico;Valor;" + name + "\n01/03/2026;Pix;5,00;" + kind + "\n" + more);
    };
    for (const std::string kind : {"PIX ANA LIMA mensalidade debito", "Venda no debito", "OUT FIT LTDA PIX",
                                   "PIX TRANSF OUT FIT LTDA", "S SILVA LTDA", "Transferencia recebida"}) {
      CAPTURE(name, kind);
      CHECK(of(kind) == Sums{500, 0, false});
    }
    for (const std::string kind :
         {"D - D\xC3\xA9"
          "bito",
          "Debito em conta", "Despesa", "Despesas", "Saida", "Pix enviado", "Devolucao Pix enviada"}) {
      CAPTURE(name, kind);
      CHECK(of(kind) == Sums{0, 500, true});
      CHECK(of(kind, "02/03/2026;Pix;-1,00;\n").went == 100);
    }
  }
  const auto back = read("Data;Historico;Valor;Tipo\n01/03/2026;Pix;5,00;Devolucao Pix enviada\n");
  REQUIRE(back.returns.size() == 1);
  CHECK(back.returns[0].names_return);
  const auto named = [](const std::string& kind) {
    return read("Data;Valor;Tipo\n01/03/2026;5,00;" + kind + "\n").lines.at(0).names_pix;
  };
  CHECK_FALSE(named("Transferencia recebida"));
  for (const std::string kind : {"C", "Entrada", "C - Credito", "Pix recebido"}) CHECK(named(kind));
}

TEST_CASE("in an OFX with signs neither words nor kinds change an amount's direction") {
  const auto of = [](const std::string& kind, const std::string& memo, const std::string& amount) {
    return "<STMTTRN><TRNTYPE>" + kind + "<DTPOSTED>20260301<TRNAMT>" + amount + "<MEMO>" + memo +
           "</STMTTRN>\n";
  };
  const auto sums = [](const std::string& entries) { return sums_of(ofx(entries), kOfx); };
  const auto debit = of("OTHER", "PIX BIA", "-9.00");
  CHECK(sums(of("OTHER", "PIX ENVIADO ANA", "9.00") + debit) == Sums{900, 900, true});
  CHECK(sums(of("OTHER", "PIX ENVIADO ANA", "9.00")) == Sums{0, 900, true});
  for (const std::string kind : {"PAYMENT", "CASH", "POS", "ATM", "FEE", "REPEATPMT"}) {
    CAPTURE(kind);
    CHECK(sums(of(kind, "PIX ANA", "5.00") + debit) == Sums{500, 900, false});
    CHECK(sums(of(kind, "PIX ANA", "5.00")) == Sums{0, 500, true});
  }
  CHECK(sums(of("DEBIT", "PIX ANA", "5.00")) == Sums{0, 500, true});
  CHECK(sums(of("CREDIT", "PIX ANA", "-5.00")) == Sums{0, 500, false});
}

TEST_CASE("a table that is cut off is refused, unless its last row is a note") {
  const auto whole = "Data;Descricao;Valor;endToEndId\n01/03/2026;Pix;19,90;" + id(1) + "\n";
  CHECK(refuses(whole + "02/03/2026;Rec", "line 3: is cut off"));
  CHECK(problem_of(whole + "02/03/2026;Rec\n") == "none");
  for (const std::string row : {"02/03/2026;Recebimento;500,00", "02/03/20"}) CHECK(warns(whole + row));
  for (const auto& row : {std::string("Emitido em 03/03/2026"), "02/03/2026;Pix;19,90;" + id(2),
                          std::string("02/03/2026;Recebimento;500,00;"), std::string("Total;;19,90"),
                          std::string("0800 725 7474, SAC"), std::string("0800 725 7474; SAC"),
                          std::string("02/03/2026;SALDO DO DIA;100,00")}) {
    CAPTURE(row);
    CHECK_FALSE(warns(whole + row));
  }
  CHECK(problem_of(whole + "03/03/2026 10:05:33") == "none");
  // Where all rows leave out their last cells.
  const std::string heading = "Data;Historico;Credito;Debito\n";
  CHECK(problem_of(heading + "01/03/2026;Pix " + id(1) + ";19,90\n02/03/2026;Pix " + id(2) + ";5,00") ==
        "none");
  CHECK(problem_of(heading + "01/03/2026;Pix " + id(1) + ";19,90") == "none");
}

TEST_CASE("an OFX with any part missing is refused") {
  const auto list = [](unsigned payment) {
    return "<STMTTRNRS><STMTRS>\n<BANKTRANLIST>\n" + credit("PIX " + id(payment)) +
           "</BANKTRANLIST></STMTRS></STMTTRNRS>\n";
  };
  const auto problem = [](const std::string& text) { return problem_of(text, kOfx); };
  CHECK(problem("<OFX>\n" + list(1) + list(2) + "</OFX>") == "none");
  CHECK(problem("<OFX>\n" + list(1) + list(2)) == "none");
  CHECK(problem("<OFX>\n<BANKTRANLIST/></OFX>") == "none");
  const std::string cut = "<STMTTRNRS><STMTRS>\n<BANKTRANLIST>\n" + credit("PIX " + id(9));
  CHECK(refuses("<OFX>\n" + list(1) + cut, "line 13: has no </BANKTRANLIST>: a part of it is missing", kOfx));
  for (const std::string end : {"", "</OFX>"}) {
    CAPTURE(end);
    CHECK(refuses("<OFX>\n" + cut + list(1) + end, "line 3: has no </BANKTRANLIST>", kOfx));
    CHECK(refuses("<OFX>\n" + cut + "<OFX>" + list(1) + end, "line 3: has no </BANKTRANLIST>", kOfx));
    CHECK(problem("<OFX>\n" + list(1) + cut + "<STMTTRN><TRNTYPE>CREDIT<DTPO" + end) != "none");
  }
  CHECK(refuses("<OFX>\n" + list(1) + "<STMTTRNRS><STMTRS>\n", "has no </STMTRS>", kOfx));
  CHECK(refuses("<OFX>" + list(1) + "</OFX>\n<OFX>", "has no </OFX>", kOfx));
  // The last entry, whose end is missing, has lost its amount.
  const std::string begun = "<STMTTRN>\n<TRNTYPE>CREDIT\n<DTPOSTED>2026\n";
  CHECK(refuses(ofx(credit("PIX " + id(1)) + begun), "line 13: TRNAMT", kOfx));
  CHECK(refuses(ofx(begun + "<MEMO>PIX\n</STMTTRN>\n"), "TRNAMT", kOfx));
  for (const auto& entry : {begun, begun + "</STMTTRN>\n", std::string("<STMTTRN></STMTTRN>\n")}) {
    CAPTURE(entry);
    CHECK(warns(ofx(entry + credit("PIX " + id(1))), kOfx));
  }
  CHECK(warns(ofx(credit("PIX " + id(1)) + "<STMTTRN></STMTTRN>"), kOfx));
  // Some banks leave out ends of lists that are whole.
  for (const std::string end :
       {"</STMTRS></OFX>", "<LEDGERBAL><BALAMT>1.00</LEDGERBAL></STMTRS></OFX>", "</OFX>"})
    CHECK(warns("<OFX>\n" + cut + end, kOfx));
}

TEST_CASE("an OFX with only an error of the bank is refused") {
  const auto of = [](const std::string& status) {
    return "<OFX><STMTTRNRS>\n<STATUS>" + status +
           "</STATUS><STMTRS><BANKTRANLIST>"
           "</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>";
  };
  CHECK(problem_of(of("<CODE>0<SEVERITY>INFO"), kOfx) == "none");
  CHECK(problem_of(of("<CODE>1<SEVERITY>WARN"), kOfx) == "none");
  for (const std::string status : {"<CODE>2000<SEVERITY>ERROR<MESSAGE>Extrato indisponivel",
                                   "<CODE>2000</CODE><SEVERITY>error</SEVERITY>"}) {
    CHECK(refuses("<OFX><STMTTRNRS>\n<STATUS>" + status + "</STATUS></STMTTRNRS><LEDGERBAL></OFX>",
                  "the bank answers with an error", kOfx));
    CHECK(refuses(of(status), "line 2: the bank answers with an error (CODE 2000)", kOfx));
  }
}

TEST_CASE("an OFX without entries and with a code of an error is refused with code and message") {
  const auto of = [](const std::string& status) {
    return "<OFX><STMTTRNRS><STATUS>" + status +
           "</STATUS><STMTRS><CURDEF>BRL<BANKTRANLIST>"
           "</BANKTRANLIST></STMTRS></STMTTRNRS></OFX>";
  };
  for (const std::string status :
       {"<CODE>2000<MESSAGE>Indisponivel", "<CODE>2000<SEVERITY>WARN<MESSAGE>Indisponivel"}) {
    CAPTURE(status);
    CHECK(refuses(of(status), "(CODE 2000), so that", kOfx));
    CHECK(refuses(of(status), "\"Indisponivel\"", kOfx));
  }
  for (const std::string status : {"<CODE>0", "<CODE>000<SEVERITY>INFO", "<CODE>1<SEVERITY>INFO", "<CODE>"})
    CHECK(problem_of(of(status), kOfx) == "none");
}

TEST_CASE("a statement in another currency is refused") {
  const auto of = [](const std::string& currency, const std::string& more = "") {
    return "<OFX><STMTRS>\n<CURDEF>" + currency + "\n<BANKTRANLIST>" + more +
           "</BANKTRANLIST></STMTRS></OFX>";
  };
  for (const std::string currency : {"BRL", "brl", "R$", "986", ""})
    CHECK(problem_of(of(currency), kOfx) == "none");
  for (const std::string currency : {"USD", "EUR"})
    CHECK(refuses(of(currency), "line 2: CURDEF must be BRL", kOfx));
  const auto with = [&](const std::string& more) {
    return of("BRL", "<STMTTRN><DTPOSTED>20260301<TRNAMT>7.00<MEMO>PIX" + more + "</STMTTRN>");
  };
  CHECK(refuses(with("<CURRENCY><CURRATE>5.1<CURSYM>USD</CURRENCY>"), "CURSYM must be BRL", kOfx));
  CHECK(problem_of(with("<ORIGCURRENCY><CURSYM>USD</ORIGCURRENCY>"), kOfx) == "none");
  const std::string table = "Data;Historico;Valor;Moeda\n01/03/2026;Pix ANA;19,90;";
  for (const std::string currency : {"BRL", "R$", "Real", "", "Real (R$)", "BRL - Real", "790 REAL BRASIL"}) {
    CAPTURE(currency);
    CHECK(problem_of(table + currency + "\n") == "none");
    CHECK_FALSE(warns(table + currency + "\n"));
  }
  CHECK(refuses(table + "USD\n", "line 2: column 4, Moeda, must be BRL"));
  // Of the amount, and of the balance.
  const std::string both = "Data;Historico;Moeda;Valor;Moeda;Saldo\n01/03/2026;Pix ANA;";
  CHECK(problem_of(both + "R$;19,90;R$;19,90\n") == "none");
  CHECK(refuses(both + "R$;19,90;US$;3,90\n", "line 2: column 5, Moeda, must be BRL"));
}

TEST_CASE("an entry whose OFX kind says sent is not counted as received, whatever its sign") {
  const auto of = [](const std::string& kind, const std::string& memo) {
    return "<STMTTRN><TRNTYPE>" + kind + "<DTPOSTED>20260301<TRNAMT>7.00<MEMO>" + memo + "</STMTTRN>\n";
  };
  for (const std::string kind : {"DEBIT", "DEBITO", "D", "PAYMENT", "DIRECTDEBIT", "OTHER", "XFER"}) {
    CAPTURE(kind);
    CHECK(read_ofx(of(kind, "Pix enviado")).lines.empty());
  }
  for (const std::string kind : {"PAYMENT", "DIRECTDEBIT", "POS"})
    CHECK(read_ofx(of(kind, "PIX 77")).lines.empty());
  CHECK(read_ofx(of("PAYMENT", "Pix enviado " + id(1))).lines.empty());
  for (const std::string kind : {"PAYMENT", "POS", "CASH", "CREDIT", "DEP", "OTHER"})
    for (const std::string& memo :
         {std::string("Pix recebido"), std::string("CRED PIX"), std::string("PIX RECEB."), "PIX " + id(1),
          "PIX Parcela 2 enviada " + id(1)}) {
      CAPTURE(kind, memo);
      CHECK(read_ofx(of(kind, memo)).lines.size() == 1);
    }
  CHECK(warns(ofx(of("CREDIT", "Pix enviado")), kOfx));
  // An entry without an amount matters where it is a Pix.
  CHECK(read_ofx(credit("Compra", "") + credit("PIX " + id(1))).lines.size() == 1);
  CHECK(refuses(ofx(credit("PIX 77", "")), "TRNAMT", kOfx));
}
