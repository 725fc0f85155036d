// Columns that state whether an entry's money moved, words of unsigned entries, and rows that are cut off.
#include <catch2/catch.hpp>

#include "stores/accounting/statement_state.h"
#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::MoneyState;

namespace {

std::string stated(const std::string& state, const std::string& text = "Pix ANA") {
  return "Data;Historico;Valor;Status\n01/03/2026;" + text + ";19,90;" + state + "\n";
}
std::size_t payments(const std::string& text) { return read(text).lines.size(); }
std::size_t warnings(const std::string& text) { return read(text).warnings.size(); }
bool warns_of(const std::string& text, const std::string& doubt) {
  const auto statement = read(text);
  return statement.warnings.size() == 1 && statement.warnings[0].find(doubt) != std::string::npos;
}

}  // namespace

TEST_CASE("the words for a state of money are those of banks and acquirers") {
  for (const std::string text :
       {"Concluído", "CONFIRMADA", "Efetivado", "Liquidada", "Pago", "Recebido", "Pix recebido", "approved",
        "Aprovada", "Disponível", "Transação concluída", "paid", "Processado", "Processamento concluído",
        "Análise aprovada", "Cobrança paga", "Venda aprovada"}) {
    CAPTURE(text);
    CHECK(stores::money_state_of(text) == MoneyState::kMoved);
  }
  for (const std::string text : {"Agendado",
                                 "Pendente",
                                 "Cancelado",
                                 "Recusada",
                                 "Não realizado",
                                 "NAO_REALIZADO",
                                 "Em processamento",
                                 "Em análise de risco",
                                 "Processamento não concluído",
                                 "Cobrança pendente",
                                 "Expirado",
                                 "Pagamento pendente",
                                 "A receber",
                                 "A vencer",
                                 "Aguardando pagamento",
                                 "Em análise",
                                 "in_process",
                                 "rejected",
                                 "Transação não concluída",
                                 "Em aberto",
                                 "Negada",
                                 "Pix agendado",
                                 "Não pago",
                                 "OVERDUE",
                                 "Sem sucesso"}) {
    CAPTURE(text);
    CHECK(stores::money_state_of(text) == MoneyState::kNotMoved);
  }
  for (const std::string text :
       {"Devolvido", "Estornada", "Parcialmente devolvido", "refunded", "charged_back", "Pix devolvido"}) {
    CAPTURE(text);
    CHECK(stores::money_state_of(text) == MoneyState::kReturned);
  }
  // They may be of something else than the payer's money.
  for (const std::string text : {"Em disputa", "Não conciliado", "Pendente de repasse", "Lido"})
    CHECK(stores::money_state_of(text) == MoneyState::kUnknown);
  for (const std::string text : {"", "-", "SP", "0"})
    CHECK(stores::money_state_of(text) == MoneyState::kUnsaid);
}

TEST_CASE("an entry whose state says that no money moved is no payment") {
  for (const std::string name : {"Situação", "STATUS", "Estado"}) {
    const auto of = [&name](const std::string& row) { return "Data;Historico;Valor;" + name + "\n" + row; };
    CAPTURE(name);
    const auto both = of("01/03/2026;Pix ANA;19,90;Confirmado\n02/03/2026;Pix BIA;5,00;Agendado\n");
    CHECK(payments(both) == 1);
    CHECK(warnings(both) == 0);
    // Without a day, which it does not have yet.
    CHECK(warnings(of("01/03/2026;Pix ANA;19,90;Confirmado\n;Pix BIA;5,00;Pendente\n")) == 0);
    CHECK(payments(of("01/03/2026;Pix " + id(1) + ";19,90;Cancelado\n")) == 0);
  }
  CHECK(warns_of(
      stated("Cancelado", "Pix recebido") + "01/03/2026;Pix recebido;1,00;Cancelado\n",
      "line 2: says received or has an end-to-end id, and its state that no money moved: it is ignored, "
      "as is 1 more line"));
  CHECK(warns_of(stated("Em processamento", "Pix " + id(1)), "has an end-to-end id"));
  CHECK(warnings(stated("Agendado", "Pix enviado " + id(1))) == 0);
  // It is no return, either.
  CHECK(read("Data;Historico;Valor;Status\n01/03/2026;Devolucao Pix;-5,00;Nao realizado\n").returns.empty());
  // Counts and totals are with them or without them.
  const auto table =
      stated("Pago") + "01/03/2026;Pix BIA;5,00;Cancelado\n01/03/2026;Pix CIA;7,00;Cancelado\n";
  for (const std::string size :
       {"Total de registros: 1", "Total de registros: 3", "Total;;19,90", "Total;;31,90"}) {
    CAPTURE(size);
    CHECK(read(table + size + "\n").counts_held);
  }
  CHECK(problem_of(table + "Total de registros: 2\n").find("states how many") != std::string::npos);
}

TEST_CASE("a payment that was returned by its state has come, and a warning names its line") {
  CHECK(payments(stated("Devolvido")) == 1);
  CHECK(warns_of(stated("Devolvido") + "01/03/2026;Pix BIA;1,00;Pago\n01/03/2026;Pix BIA;1,00;Estornado\n",
                 "line 2: is returned by its state: it is compared as received, and its return is not, as is "
                 "line 4"));
  // What the account sent came back.
  CHECK(read("Data;Historico;Valor;Status\n01/03/2026;Pix enviado;-5,00;Devolvido\n")
            .returns.at(0)
            .names_return == false);
}

TEST_CASE("an unknown state is taken as received, with one warning for all") {
  const auto text = stated("Xyz") + "01/03/2026;Pix BIA;1,00;Abc\n01/03/2026;Pix CIA;1,00;\n";
  CHECK(payments(text) == 3);
  CHECK(warns_of(text, "line 2: has an unknown state: it is taken as received, as is 1 more line"));
  const auto contrary = "Data;Historico;Valor;Status;Situacao\n01/03/2026;Pix;1,00;Pago;Cancelado\n";
  CHECK(payments(contrary) == 1);
  CHECK(warns_of(contrary, "unknown state"));
  for (const std::string name : {"Estado", "State"})
    CHECK(warnings("Data;Historico;Valor;" + name +
                   "\n01/03/2026;Pix;1,00;Sao Paulo\n01/03/2026;Pix;1,00;SP\n") == 0);
  CHECK(warnings(stated("Confirmado") + stated("")) == 0);
}

TEST_CASE("a state that describes a Pix is among the row's words") {
  const std::string heading = "Data;Nome;Valor;Status;Ref\n";
  const auto row = [](const std::string& state, const std::string& ref = "") {
    return "01/03/2026;ANA;19,90;" + state + ";" + ref + "\n";
  };
  // In a table with ids, rows that are no Pix are left out.
  CHECK(payments(heading + row("Pix recebido") + row("Pago", id(1))) == 2);
  CHECK(payments(heading + row("Pix enviado")) == 0);
  CHECK(payments(heading + row("Pix devolvido")) == 1);
}

TEST_CASE("unsigned words for sent money and fees are no payments") {
  const auto of = [](const std::string& text, const std::string& more = "") {
    return payments("Data;Descricao;Valor;Ref\n01/03/2026;" + text + ";19,90;" + more + "\n");
  };
  for (const std::string text : {"PIX_OUT", "PIX OUT 123", "PIX_DEB", "Cash-out", "PIX EMIT.OUTRA IF",
                                 "PIX SAIDA", "PIX_FEE", "MDR Pix", "Tx Pix", "TARIFA", "MDR", "PIXFEE",
                                 "PIXOUT", "Pix agendado enviado", "PIX ENV", "Pagamento Pix enviado"}) {
    CAPTURE(text);
    CHECK(of(text) == 0);
  }
  // Also with the payment's id.
  for (const std::string text : {"PIX_OUT", "PIX_FEE", "MDR Pix", "Tarifa Pix"}) {
    CAPTURE(text);
    CHECK(of(text, id(1)) == 0);
    CHECK(warnings("Data;Descricao;Valor;Ref\n01/03/2026;" + text + ";19,90;" + id(1) + "\n") == 1);
  }
  for (const std::string text : {"PIX OUT FIT LTDA", "PIX_IN", "PIX TX CONDOMINIO", "PIX MDR SERVICOS LTDA",
                                 "Pix recebido MDR LTDA", "PIX SAIDA recebido", "PIX DEB ANA LIMA"}) {
    CAPTURE(text);
    CHECK(of(text) == 1);
  }
  // A payer's text is no code of the bank.
  const std::string details = "Data;Tipo;Descricao;Valor\n01/03/2026;";
  for (const std::string row :
       {"Pix recebido;Taxa Pix;19,90", "Recebimento Pix;PIX_OUT;19,90", "Pix;Taxa Pix;19,90"})
    CHECK(payments(details + row + "\n") == 1);
  CHECK(warnings("Data;Historico;Valor\n01/03/2026;TX matricula Pix;19,90\n") == 1);
  for (const std::string name : {"TX TECNOLOGIA LTDA", "Mdr Comércio", "Crédito MDR COMERCIO"})
    CHECK(payments("Data;Historico;Valor\n01/03/2026;" + name + ";19,90\n") == 1);
  // With a sign it came.
  CHECK(payments("Data;Historico;Valor\n01/03/2026;PIX_OUT;+19,90\n") == 1);
}

TEST_CASE("a last row that may be cut off is told") {
  const std::string table = "Data;Historico;Valor\n01/03/2026;Pix ANA;1.019,90\n02/03/2026;Pix BIA;5,00\n";
  for (const std::string amount : {"19,9", "19", "1"})
    CHECK(warns_of(table + "03/03/2026;Pix CIA;" + amount, "line 4: has no end of line and a number"));
  for (const std::string amount : {"19,90", "19,90\n", "19,9\n"})
    CHECK(warnings(table + "03/03/2026;Pix CIA;" + amount) == 0);
  const std::string mixed = "Data;Historico;Valor\n01/03/2026;Pix ANA;19.9\n02/03/2026;Pix BIA;5\n";
  CHECK(warnings(mixed + "03/03/2026;Pix CIA;7.25") == 0);
  // The mark of a debit, and the balance, are cut off.
  CHECK(warnings("Data;Historico;Valor\n01/03/2026;Pix ANA;19,90 C\n02/03/2026;Pix BIA;5,00") == 1);
  CHECK(warnings("Data;Historico;Valor;Saldo\n01/03/2026;Pix ANA;19,90;19,90\n02/03/2026;Pix BIA;5,00;24") ==
        1);
  // A line end may be added later.
  const std::string wide = "Data;Historico;Valor;Saldo\n01/03/2026;Pix ANA;19,90;19,90\n";
  CHECK(warns_of(wide + "02/03/2026;Pix BIA;5\n\n", "line 3: is the last one and has fewer cells"));
  CHECK(warnings(wide + "02/03/2026;Pix BIA;5,00\n03/03/2026;Pix CIA;6,00;30,90\n") == 0);
  CHECK(warnings(wide + "02/03/2026;SALDO DO DIA;24,90\n03/03/2026 10:00\n") == 0);
}

TEST_CASE("fees and balances whose amount cannot be read are told once") {
  const std::string table = "Data;Historico;Valor\n01/03/2026;Pix ANA;19,90\n";
  const std::string fees = "01/03/2026;Tarifa Pix;0,9O\n01/03/2026;SALDO DO DIA;1O,00\n";
  CHECK(
      warns_of(table + fees,
               "line 3: is a fee or balance whose amount cannot be read: it is ignored, as is 1 more line"));
  CHECK(warnings(table + "01/03/2026;Tarifa Pix;isento\n01/03/2026;Tarifa;\n01/03/2026;SALDO;-\n") == 0);
  CHECK(read_ofx(credit("TARIFA PIX", "0.9O")).warnings.size() == 1);
}

TEST_CASE("a refusal names a column as the file does") {
  const auto names = [](const std::string& text, const std::string& column) {
    return problem_of(text).find(column) != std::string::npos;
  };
  const std::string heading = "Data do lançamento;Histórico;Valor (R$)\n";
  CHECK(names(heading + "46353;Pix;1,00\n", "column 1, Data do lançamento, must be a time"));
  CHECK(names(heading + "01/03/2026;Pix;1.000\n", "column 3, Valor (R$), can be read in two ways"));
  CHECK(names("Data;Historico;Credito;Debito\n01/03/2026;Pix;;1.000\n", "column 4, Debito, can be read"));
  CHECK(names("E2E ID,amountCents,paidAt\nE1,1,2026-03-01\n", "column 1, E2E ID, must"));
  CHECK(names("Valor (R$);Valor R$;Data\n", "two columns are called Valor (R$)"));
}

TEST_CASE("a column for the time of day may have any of its names beside that of the day") {
  for (const std::string name : {"Hora", "Horário", "Time"}) {
    const auto line = read("Data;" + name + ";Historico;Valor\n01/03/2026;10:30;Pix ANA;19,90\n").lines.at(0);
    CHECK(line.has_time);
    CHECK(to_iso8601(line.paid_at) == "2026-03-01T13:30:00.000Z");
  }
  CHECK(read("Horario;Valor\n2026-03-01T10:30:00Z;19,90\n").lines.at(0).has_time);
}
