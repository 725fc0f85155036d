// Descriptions of entries: which are a Pix, and which are the bank's fee for one.
#include <catch2/catch.hpp>

#include "stores/accounting/statement_entry.h"
#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

// The reading of one entry: a payment, a return, or ignored; and "!" for a warning that names its line.
std::string read_as(const std::string& text, const std::string& amount, const std::string& more = "") {
  const auto statement = read("Data;Historico;Valor\n01/03/2026;" + text + ";" + amount + "\n" + more);
  std::string kind = "ignored";
  for (const auto& line : statement.lines)
    if (line.line == 2) kind = line.names_pix ? "payment" : "maybe";
  for (const auto& back : statement.returns)
    if (back.line == 2) kind = back.names_return ? "return" : "sent";
  for (const auto& warning : statement.warnings)
    if (warning.find("line 2: ") != std::string::npos) return kind + "!";
  return kind;
}
// The same in a table whose amounts have signs.
std::string read_signed(const std::string& text, const std::string& amount) {
  return read_as(text, amount, "02/03/2026;Compra;-1,00\n");
}

}  // namespace

TEST_CASE("a Pix is known in one word of the forms that banks write, and no other word is one") {
  for (const std::string text :
       {"PIXRECEBIDO", "PIX-RECEBIDO", "Pix_Recebido", "pixrecebido", "PixRecebido ANA", "BolePix",
        "BOLEPIX ANA LIMA", "RECEBIMENTOPIX", "PIXTRANSF ANA", "PIXQRCODE", "Recebimento BolePix"}) {
    CAPTURE(text);
    CHECK(read_as(text, "19,90") == "payment");
  }
  for (const std::string text : {"PIXENVIADO", "ENVIOPIX BIA"}) {
    CAPTURE(text);
    CHECK(read_as(text, "-19,90") == "sent");
    CHECK(read_as(text, "19,90") == "sent!");
  }
  CHECK(read_as("PIXDEVOLVIDO ANA", "-19,90") == "return");
  for (const std::string text : {"TARIFAPIX", "TARPIX", "Tarifa BolePix", "TAR BOLEPIX", "TARIFAPIXRECEBIDO"})
    CHECK(read_as(text, "-1,00") == "ignored");
  for (const std::string text : {"Pixinguinha", "TRANSF PIXBET", "PIXELART LTDA", "APIX", "MEGAPIX"}) {
    CAPTURE(text);
    CHECK(read_as(text, "19,90") == "maybe");
  }
  CHECK(stores::entry_words_of("Pix-Recebido, PIXRECEBIDO Pixinguinha") ==
        "pix recebido pix recebido pixinguinha");
  const auto banks = read_ofx(credit("PIXRECEBIDO ANA") + credit("PIXENVIADO", "-1.00"));
  REQUIRE(banks.lines.size() == 1);
  CHECK(banks.lines[0].names_pix);
  CHECK(banks.returns.size() == 1);
}

TEST_CASE("the bank's fee for a Pix that was received is no payment") {
  for (const std::string text :
       {"Tarifa Pix recebido", "TARIFA PIX RECEBIDO QR CHECKOUT", "Tarifa sobre Pix recebido",
        "Tar. Pix recebido", "TAR RECEBIMENTO PIX", "Tarifa de recebimento Pix ANA",
        "TARIFA AVULSA PIX RECEBIDO", "Taxa Pix recebido", "Pagamento tarifa Pix recebido",
        "Tarifa por Pix QR Code recebido", "Taxa de intermediacao Pix recebido"}) {
    CAPTURE(text);
    CHECK(read_signed(text, "-0,99") == "ignored");
    CHECK(read_as(text, "0,99 D") == "ignored");
    // It has no sign, or one for money that came: a warning says that it is ignored.
    CHECK(read_as(text, "0,99") == "ignored!");
    CHECK(read_signed(text, "0,99") == "ignored!");
  }
  for (const std::string text :
       {"Tar. Pix", "TARIFA PIX", "TARIFA AVULSA ENVIO PIX", "Tarifa Pix enviado ANA"}) {
    CAPTURE(text);
    for (const std::string amount : {"-0,99", "0,99"}) CHECK(read_signed(text, amount) == "ignored");
    CHECK(read_as(text, "0,99") == "ignored");
  }
  CHECK(read_signed("Estorno de tarifa Pix recebido", "0,99") == "ignored");
  // One warning is enough for all of a table without signs.
  const auto fees = read(
      "Data;Historico;Valor\n01/03/2026;Tarifa Pix recebido;0,99\n"
      "01/03/2026;Tarifa Pix recebido;0,99\n01/03/2026;Pix recebido;9,00\n");
  CHECK(fees.warnings.size() == 1);
  CHECK(fees.lines.size() == 1);
}

TEST_CASE("a fee that a payer has paid by Pix is a payment") {
  for (const std::string text : {"Taxa de matr\xC3\xAD"
                                 "cula - Pix recebido",
                                 "Tarifa escolar Pix recebido Ana", "TAXA CONDOMINIO PIX QR CODE RECEBIDO",
                                 "Taxa de entrega PIXRECEBIDO"}) {
    CAPTURE(text);
    CHECK(read_signed(text, "150,00") == "payment");
    CHECK(read_as(text, "+150,00") == "payment");
    CHECK(read_as(text, "150,00") == "payment!");
    CHECK(read_signed(text, "-150,00") == "ignored");
  }
  CHECK(read_signed("Taxa de matricula devolvida - Pix recebido", "150,00") == "ignored!");
  // With a sign for received money, the word Pix is enough.
  CHECK(read_signed("Taxa de matricula Pix ANA", "150,00") == "payment");
  CHECK(read_as("Taxa de matricula Pix ANA", "150,00") == "ignored!");
  const auto with_kind = [](const std::string& kind) {
    return read("Data;Historico;Valor;Tipo\n01/03/2026;Taxa de matricula Pix ANA;150,00;" + kind + "\n")
        .lines.size();
  };
  CHECK(with_kind("Credito") == 1);
  CHECK(with_kind("Debito") == 0);
  // In columns of their own.
  const auto of = [](const std::string& kind, const std::string& text) {
    return read("Data;Historico;Detalhe;Valor\n01/03/2026;" + kind + ";" + text +
                ";150,00\n02/03/2026;x;y;-1,00\n")
        .lines.size();
  };
  CHECK(of("Taxa de matricula", "Pix recebido") == 1);
  CHECK(of("Recebimento", "Taxa de matricula Pix") == 1);
  CHECK(of("Pix recebido", "Taxa de matricula") == 1);
  CHECK(of("Tarifa", "Pix recebido") == 0);
  CHECK(read_ofx(credit("TAXA DE MATRICULA PIX RECEBIDO", "150.00") + credit("TARIFA PIX RECEBIDO", "-1.00"))
            .lines.size() == 1);
  CHECK(problem_of("Data;Historico;Valor\n01/03/2026;Taxa de matricula Pix recebido;5OO,00\n")
            .find("line 2: column 3") != std::string::npos);
}

TEST_CASE("a Pix that was received is a payment, whatever the payer's words are") {
  for (const std::string text : {"SALDO MARIA - Pix recebido", "Estorno Ltda - Pix recebido",
                                 "Cancelado - Pix recebido", "Pix recebido Devolucao Ltda"}) {
    CAPTURE(text);
    CHECK(read_as(text, "+77,00") == "payment!");
    CHECK(read_signed(text, "77,00") == "payment!");
    CHECK(read_as(text, "77,00") == "ignored!");
    const auto column = read("Data;Historico;Credito;Debito\n01/03/2026;" + text + ";77,00;\n");
    CHECK(column.lines.size() == 1);
    CHECK(column.warnings.size() == 1);
    const auto banks = read_ofx(credit(text, "77.00"));
    CHECK(banks.lines.size() == 1);
    CHECK(banks.warnings.size() == 1);
  }
  const auto kinds = read("Data;Descricao;Tipo;Valor\n01/03/2026;SALDO MARIA ME;Pix recebido;+77,00\n");
  CHECK(kinds.lines.size() == 1);
  CHECK(kinds.warnings.size() == 1);
}

TEST_CASE("a Pix is never ignored in silence if its money came in or may have") {
  for (const std::string text :
       {"Taxa Pix de matricula", "Credito Pix - Estorno Moveis Ltda", "SALDO MARIA Pix", "Pix devolvido",
        "Devolucao Pix recebida", "Devolucao recebida Pix", "SALDO Pix recebidos"}) {
    CAPTURE(text);
    for (const std::string amount : {"+77,00", "77,00"}) CHECK(read_as(text, amount) == "ignored!");
    const auto banks = read_ofx(credit(text, "77.00"));
    CHECK(banks.lines.empty());
    CHECK(banks.warnings.size() == 1);
  }
  CHECK(read("Data;Historico;Valor\n;Taxa Pix de matricula;+77,00\n").warnings.size() == 1);
  CHECK(read_ofx(credit("Taxa Pix de matricula", "77.00", "soon")).warnings.size() == 1);
  const auto of_three = [](const std::string& amount) {
    std::string table = "Data;Historico;Valor\n";
    for (int i = 0; i < 3; ++i) table += "01/03/2026;SALDO MARIA Pix;" + amount + "\n";
    return read(table).warnings.size();
  };
  CHECK(of_three("+77,00") == 3);
  CHECK(of_three("77,00") == 1);
  // A total that equals the payments before it may be one of them.
  const auto total =
      read("Data;Historico;Valor\n01/03/2026;Pix ANA;+7,00\n01/03/2026;Total Pix recebido;+7,00\n");
  CHECK(total.lines.size() == 1);
  CHECK(total.warnings.size() == 1);
  for (const std::string text : {"SALDO DO DIA", "Devolucao Pix enviada", "Estorno Pix",
                                 "Estorno de tarifa Pix", "Pix enviado devolvido", "Tarifa Pix"}) {
    CAPTURE(text);
    CHECK(read_as(text, "-77,00").find('!') == std::string::npos);
  }
  for (const std::string text :
       {"SALDO DO DIA", "Estorno Pix enviado", "Estorno de tarifa Pix", "Tarifa Pix"})
    CHECK(read_signed(text, "77,00") == "ignored");
}
