// Files of several tables, the counts stated for each, and rows with other cells than the heading.
#include <catch2/catch.hpp>

#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

namespace {

const std::string kHeading = "Data;Historico;Valor\n";

std::string rows(unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i) text += "01/03/2026;Pix recebido;19,90\n";
  return text;
}
std::string states(unsigned count) {
  return "Quantidade de lan\xC3\xA7"
         "amentos: " +
         std::to_string(count) + "\n";
}
// An export with a stated count before or after its table.
std::string before(unsigned stated, unsigned there) { return states(stated) + kHeading + rows(there); }
std::string behind(unsigned stated, unsigned there) { return kHeading + rows(there) + states(stated); }

// "held", "refused", or the warning about the counts.
std::string outcome(const std::string& text) {
  try {
    const auto statement = read(text);
    if (statement.counts_held) return statement.warnings.empty() ? "held" : "held, and warned";
    if (statement.warnings.empty()) return "silent";
    return statement.warnings[0].find("it is not compared") == std::string::npos ? "fails" : "not compared";
  } catch (const stores::StatementRefused& refused) {
    return refused.problem().find("states how many") == std::string::npos ? refused.what() : "refused";
  }
}

}  // namespace

TEST_CASE("a count before a table is checked against that table only") {
  CHECK(outcome(before(12, 12) + before(5, 5)) == "held");
  CHECK(outcome(before(5, 5) + before(5, 5) + before(5, 5)) == "held");
  // One or two lines may be those of the heading and the end.
  for (const unsigned next : {12U, 11U, 1U}) {
    CAPTURE(next);
    CHECK(outcome(before(12, 11) + before(next, next)) != "held");
    CHECK(outcome(before(12, 8) + before(next, next)) == "refused");
  }
  CHECK(outcome(before(12, 12) + before(12, 8)) == "refused");
  CHECK(outcome(before(12, 12) + before(12, 8) + before(12, 12)) == "refused");
  CHECK(outcome(before(1, 1) + before(12, 11)) == "not compared");
}

TEST_CASE("a count after a table is checked against the table before it") {
  CHECK(outcome(behind(12, 12) + behind(5, 5)) == "held");
  CHECK(outcome(behind(12, 11) + behind(12, 12)) == "refused");
  CHECK(outcome(behind(12, 12) + behind(12, 11)) == "refused");
  CHECK(outcome(behind(12, 12) + behind(12, 11) + behind(12, 12)) == "refused");
}

TEST_CASE("counts before and after each table are distinguished") {
  const auto both = [](unsigned stated, unsigned there) { return before(stated, there) + states(stated); };
  CHECK(outcome(both(12, 12) + both(5, 5)) == "held");
  CHECK(outcome(both(12, 12) + both(12, 8)) == "refused");
  CHECK(outcome(both(12, 8) + both(12, 12)) == "refused");
}

TEST_CASE("a count below a heading is of the table below it") {
  const auto below = [](unsigned stated, unsigned there) { return kHeading + states(stated) + rows(there); };
  CHECK(outcome(below(12, 12) + below(5, 5)) == "held");
  CHECK(outcome(below(12, 12) + below(12, 11)) == "refused");
  CHECK(outcome(below(12, 11) + below(12, 12)) == "refused");
}

TEST_CASE("a count of an unclear table is not compared, and a warning says so") {
  CHECK(outcome(kHeading + rows(12) + before(12, 8)) == "not compared");
  CHECK(outcome(kHeading + rows(11) + before(12, 12)) == "not compared");
  CHECK(outcome(before(4, 4) + states(9) + before(9, 9) + before(2, 2)) == "not compared");
  // Whichever it belongs to.
  CHECK(outcome(kHeading + rows(12) + before(12, 12)) == "held");
  CHECK(outcome(kHeading + rows(3) + before(12, 2)) == "refused");
}

TEST_CASE("a count may be of all pages, or stand beside the counts of each") {
  const auto page = [](unsigned there) { return kHeading + rows(there); };
  CHECK(outcome(states(9) + page(5) + page(4)) == "held");
  CHECK(outcome(page(5) + page(4) + states(9)) == "held");
  CHECK(outcome(states(10) + page(3) + page(3)) == "refused");
  CHECK(outcome(before(9, 5) + page(4) + before(3, 3)) == "held");
  CHECK(outcome(behind(5, 5) + behind(4, 4) + states(9)) == "held");
  CHECK(outcome(states(9) + behind(5, 5) + behind(4, 4)) == "held");
  CHECK(outcome(before(5, 5) + before(4, 4) + states(9)) == "held");
  CHECK(outcome(before(9, 5) + before(9, 4)) == "held");
  CHECK(outcome(states(0) + page(0) + before(3, 3)) == "held");
  CHECK(outcome(states(0) + page(5)) != "held");
}

TEST_CASE("the heading of a further export is known by its words") {
  for (const std::string heading : {"\"Data\";\"Historico\";\"Valor\"\n",
                                    "\xEF\xBB\xBF"
                                    "Data;Historico;Valor\n",
                                    "DATA;HIST\xC3\x93RICO;VALOR;\n"}) {
    CAPTURE(heading);
    CHECK(outcome(before(12, 12) + states(5) + heading + rows(5)) == "held");
    CHECK(outcome(before(12, 12) + states(12) + heading + rows(8)) == "refused");
  }
}

TEST_CASE("rows that have more cells than the heading are refused, unless those are empty") {
  const auto row = [](const std::string& more) { return "01/03/2026;Pix recebido;19,90" + more + "\n"; };
  for (const std::string more : {"", ";", "; ", ";;;"}) {
    CAPTURE(more);
    const auto statement = read(kHeading + row(more) + row(more));
    CHECK(statement.lines.size() == 2);
    CHECK(statement.warnings.empty());
  }
  for (const std::string more : {";1.019,90", ";;x"}) {
    CAPTURE(more);
    const auto problem = problem_of(kHeading + row("") + row(more));
    CHECK(problem.find("the statement's line 3: has ") == 0);
    CHECK(problem.find("the heading names 3") != std::string::npos);
  }
  // The separator within a text has moved the amount to a column without a name.
  for (const std::string text : {"01/03/2026;Pix recebido; ANA;19,90", "01/03/2026;Pix recebido;1;19,90"}) {
    CAPTURE(text);
    CHECK(problem_of(kHeading + row("") + text + "\n").find("the statement's line 3: has 4 cells") == 0);
  }
  // That text stands before the day.
  for (const std::string heading : {"Historico;Data;Valor\n", "Historico;Valor;Data\n"}) {
    CAPTURE(heading);
    const bool has_day_first = heading.find("Data;Valor") != std::string::npos;
    const std::string values = has_day_first ? "01/03/2026;19,90\n" : "19,90;01/03/2026\n";
    CHECK(read(heading + "Pix recebido;" + values).lines.size() == 1);
    CHECK(problem_of(heading + "Pix recebido; ANA;" + values).find("the statement's line 2: has 4 cells") ==
          0);
  }
}

TEST_CASE("a Pix of an export of another form is told, and what is beside payments is not") {
  const auto warnings = [](const std::string& text) { return read(text).warnings; };
  const std::string commas = "Data,Historico,Valor\n01/03/2026,Pix recebido,18.90\n";
  for (const std::string& text :
       {kHeading + rows(1) + commas,
        kHeading + rows(1) + "Data,Historico,Valor\n" + "\"01/03/2026\",\"Pix recebido\",\"18,90\"\n"}) {
    CAPTURE(text);
    REQUIRE(warnings(text).size() == 1);
    CHECK(warnings(text)[0].find("the statement's line 4: ") == 0);
  }
  REQUIRE(warnings(commas + kHeading + rows(1)).size() == 1);
  CHECK(warnings(commas + kHeading + rows(1))[0].find("the statement's line 2: ") == 0);
  for (const std::string line :
       {"Extrato Pix, 01/03/2026 a 31/03/2026", "Pix recebidos;01/03/2026;19,90;x",
        "Tarifa Pix,01/03/2026,1.00", "01/03/2026 ANA PIX", ";REM: ANA PIX 01/03;"}) {
    CAPTURE(line);
    CHECK(warnings(line + "\n" + kHeading + rows(1) + line + "\n").empty());
  }
}

TEST_CASE("a count is known in the words of banks") {
  for (const std::string begin :
       {"Total: ", "Total de ", "Registros: ", "Registros encontrados;;", "Resultados;", "Foram encontrados ",
        "Exibindo ", "Exibindo 1 a ", "Nº de transações;", "Qtde;", "Quantidade total de itens;",
        "Ocorrências: ", "Operações: ", "1-"})
    for (const unsigned count : {7U, 9U}) {
      auto text = begin + std::to_string(count);
      if (begin == "Exibindo 1 a " || begin == "1-") text = begin + "7 de " + std::to_string(count);
      if (begin.starts_with("Total") || begin.starts_with("Foram") || begin == "Exibindo ")
        text += " lançamentos";
      CAPTURE(text);
      for (const auto& file : {kHeading + rows(7) + text + "\n", text + "\n" + kHeading + rows(7)})
        CHECK((outcome(file) == "held") == (count == 7));
    }
  for (const std::string held :
       {"7 resultados encontrados", "Mostrando de 1 até 7 de 7", "Showing 1 to 7 of 7 entries",
        "Foram encontradas 7 transações no período de 01/03/2026 a 31/03/2026", "Registros 1 - 7 de 7",
        "Encontrados 7 Pix"}) {
    CAPTURE(held);
    CHECK(outcome(kHeading + rows(7) + held + "\n") == "held");
  }
  CHECK(outcome(kHeading + rows(6) + "Total: 7 lançamentos\n") == "refused");
  for (const std::string other : {"Exibindo lançamentos de 01/03/2026 a 31/03/2026", "Período: 1 a 31 de 12",
                                  "Número;123456", "Nº: 12", "Lançamentos de 2026", "Conta 1-7", "Pix: 12",
                                  "1 lançamento futuro", "Página 1", "20 registros por página"}) {
    CAPTURE(other);
    CHECK(outcome(kHeading + rows(7) + other + "\n") == "silent");
  }
}

TEST_CASE("all pages of a document must be in the file") {
  const auto page = [](const std::string& name) { return kHeading + rows(2) + name + "\n"; };
  for (const std::string name : {"Página ", "Page ", "Pág. ", "Banco X;Emitido em 03/03/2026;Página: "})
    for (const std::string of : {" de ", "/", " of "}) {
      CAPTURE(name, of);
      const auto named = [&](const std::string& number) { return page(name + number + of + "3"); };
      CHECK(outcome(named("1") + named("2") + named("3")) == "silent");
      CHECK(outcome(named("1")) == "fails");
      CHECK(outcome(named("1") + named("3")) == "fails");
      CHECK(outcome(named("1") + named("2") + named("1") + named("2") + named("3")) == "fails");
      CHECK(outcome(named("1") + named("2") + named("3") + named("1") + named("2") + named("3")) == "silent");
    }
  // It says nothing of the rows.
  CHECK(outcome(page("Página 1 de 1")) == "silent");
  // At the begin and the end of each page.
  const auto twice = [&](const std::string& number) {
    return "Pagina " + number + " de 2\n" + page("Pagina " + number + " de 2");
  };
  CHECK(outcome(twice("1") + twice("2")) == "silent");
  CHECK(outcome(twice("2")) == "fails");
  CHECK(outcome(page("Exibindo 1 a 2 de 4 - Página 1 de 2") + page("Exibindo 3 a 4 de 4 - Página 2 de 2")) ==
        "held");
  for (const std::string other : {"PAG 01/03/2026", "Folha 03/2026"}) CHECK(outcome(page(other)) == "silent");
}

TEST_CASE("the count or total of an export without its rows is not held by another export") {
  CHECK(outcome(before(5, 5) + before(5, 0)) == "not compared");
  CHECK(outcome(before(5, 0) + before(5, 5)) == "not compared");
  CHECK(outcome(behind(5, 5) + behind(5, 0)) == "not compared");
  CHECK(outcome(before(5, 5) + before(5, 0) + before(5, 0)) == "not compared");
  CHECK(outcome(before(0, 0) + before(0, 0)) == "held");
  const auto summed = [](unsigned there) { return kHeading + rows(there) + "Total;;39,80\n"; };
  CHECK(outcome(summed(2) + summed(2)) == "held");
  CHECK(outcome(summed(2) + summed(0)) == "fails");
}
