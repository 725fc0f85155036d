// Statements that are answers of the API Pix to GET /pix.
#include <catch2/catch.hpp>

#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

TEST_CASE("answers of the API Pix are a statement, with all pages and windows") {
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
  CHECK(to_iso8601(lines[0].paid_at) == "2026-03-01T12:00:00.000Z");
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

TEST_CASE("returns in answers of the API Pix count if they were made or are under way") {
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
  CHECK(to_iso8601(statement.returns[0].at) == "2026-03-02T12:00:01.000Z");
  CHECK_FALSE(statement.returns[1].is_done);
}

TEST_CASE("a return of a payment in two windows counts once, with its state in the later one") {
  const auto window = [](const std::string& returns, const std::string& begin) {
    return page(pix(1, "9.00", R"(,"devolucoes":[)" + returns + "]"), {.begin = begin});
  };
  const std::string under_way = R"({"id":"d1","valor":"1.00","status":"EM_PROCESSAMENTO"})";
  const std::string done =
      R"({"id":"d1","rtrId":"D18236120202603011200s1a2b3c4d5e","valor":"1.00","status":"DEVOLVIDO"})";
  const std::string without_id =
      R"({"rtrId":"D18236120202603011200s1a2b3c4d5e","valor":"1.00","status":"DEVOLVIDO"})";
  for (const auto& [one, other] : std::vector<std::pair<std::string, std::string>>{
           {under_way, done}, {done, under_way}, {under_way, without_id}, {without_id, done}}) {
    CAPTURE(one, other);
    const auto statement = read_json(window(one, "2026-03-01") + window(other, "2026-03-02"));
    REQUIRE(statement.returns.size() == 1);
    CHECK(statement.returns[0].id == "d1");
    CHECK(statement.returns[0].return_id == "D18236120202603011200s1a2b3c4d5e");
    CHECK(statement.returns[0].is_done);
  }
  // Two of one amount are two, and one that failed later does not count.
  const std::string nameless = R"({"valor":"1.00","status":"DEVOLVIDO"})";
  const auto two = nameless + "," + nameless;
  CHECK(read_json(window(two, "2026-03-01") + window(two, "2026-03-02")).returns.size() == 2);
  const std::string not_done = R"({"id":"d1","valor":"1.00","status":"NAO_REALIZADO"})";
  CHECK(read_json(window(under_way, "2026-03-01") + window(not_done, "2026-03-02")).returns.empty());
}

TEST_CASE("statuses of returns are read in whatever case, with blanks and accents") {
  const auto returns_with = [](const std::string& status) {
    return read_json(
               page(pix(1, "9.00", R"(,"devolucoes":[{"valor":"1.00","status":")" + status + R"("}])"), {}))
        .returns;
  };
  for (const auto* status :
       {"NAO_REALIZADO", "nao_realizado", " NAO_REALIZADO ", "Não realizado", "NÃO REALIZADA"})
    CHECK(returns_with(status).empty());
  for (const auto* status : {"DEVOLVIDO", "devolvido ", "Devolvida", ""})
    CHECK(returns_with(status).at(0).is_done);
  CHECK_FALSE(returns_with("EM_PROCESSAMENTO").at(0).is_done);
}

TEST_CASE("pages that contradict their window's counts are refused") {
  const auto problem = [](const std::string& text) { return problem_of(text, StatementFormat::kPixJson); };
  const auto first = page(pix(1), {.pages = 2, .number = 0, .payments = 2});
  const auto second = page(pix(2), {.pages = 2, .number = 1, .payments = 2});
  const auto whole = page(pix(3), {.begin = "2026-03-02"});
  CHECK(problem(first + second + whole) == "none");
  // Also where it is not the first window that lacks one.
  const auto lost = problem(whole + first);
  CHECK(lost.find("has 1 of 2 pages of the window 2026-03-01T00:00:00Z to 2026-03-09T00:00:00Z") !=
        std::string::npos);
  CHECK(lost.find("(paginaAtual 1 is missing)") != std::string::npos);
  // Without a page 0, these are pages 1 and 2 of 0 to 2, or of 1 to 3.
  const auto middle = page(pix(2), {.pages = 3, .number = 1, .payments = 3});
  const auto third = page(pix(3), {.pages = 3, .number = 2, .payments = 3});
  CHECK(problem(middle + third).find("(paginaAtual 0 or 3 is missing)") != std::string::npos);
  const auto last = page(pix(4), {.pages = 3, .number = 3, .payments = 3});
  CHECK(problem(third + last).find("(paginaAtual 1 is missing)") != std::string::npos);
  CHECK(problem(first + second + first).find("paginaAtual 0 of the window") != std::string::npos);
  CHECK(problem(whole + whole).find("twice") != std::string::npos);
  CHECK(problem(page(pix(1), {.payments = 2})).find("has 1 payments of the window") != std::string::npos);
  CHECK(problem(first + page(pix(2), {.pages = 3, .number = 1, .payments = 2}))
            .find("do not belong together") != std::string::npos);
  // A payment moved to the next page while they were fetched, so another was lost.
  CHECK(problem(first + page(pix(1), {.pages = 2, .number = 1, .payments = 2})).find("payment 2: is twice") !=
        std::string::npos);
  CHECK(problem(R"({"pix":[)" + pix(1) + "," + pix(1) + "]}").find("is twice") != std::string::npos);
}

TEST_CASE("an answer of the API Pix is checked against its counts, in any form of numbers and names") {
  const auto with = [](const std::string& paging, const std::string& payments) {
    return R"({"parametros":{"inicio":"2026-03-01T00:00:00Z","fim":"2026-03-09T00:00:00Z","paginacao":{)" +
           paging + R"(}},"pix":[)" + payments + "]}";
  };
  const auto two = pix(1) + "," + pix(2);
  const auto problem = [&](const std::string& paging) {
    return problem_of(with(paging, two), StatementFormat::kPixJson);
  };
  for (const std::string held :
       {R"("quantidadeTotalDeItens":2.0)", R"("quantidadeTotalDeItens":"2.0")",
        R"("QuantidadeTotalDeItens":" 2 ")",
        R"("quantidade_total_de_itens":2,"quantidade_de_paginas":1,"pagina_atual":1)"}) {
    CAPTURE(held);
    CHECK(problem(held) == "none");
    CHECK(read_json(with(held, two)).counts_held);
  }
  CHECK_FALSE(
      read_json(with(R"("paginaAtual":0,"quantidadeDePaginas":null,"quantidadeTotalDeItens":"")", two))
          .counts_held);
  for (const std::string count : {"37.0", "\"37.0\"", "37"}) {
    CHECK(problem(R"("quantidadeTotalDeItens":)" + count).find("there are 37") != std::string::npos);
    CHECK(problem(R"("quantidade_total_de_itens":)" + count).find("there are 37") != std::string::npos);
  }
  // An unreadable count is ignored.
  for (const std::string count : {"2.5", "-1", "\"7 itens\"", "[2]", "true", "1e300"}) {
    CAPTURE(count);
    CHECK_FALSE(read_json(with(R"("quantidadeTotalDeItens":)" + count, two)).counts_held);
  }
  // Banks number pages from 0 or from 1; others may be missing.
  CHECK(read_json(with(R"("paginaAtual":1,"quantidadeDePaginas":1,"quantidadeTotalDeItens":2)", two))
            .counts_held);
  for (const std::string paging :
       {R"("paginaAtual":2,"quantidadeDePaginas":1,"quantidadeTotalDeItens":2)", R"("paginaAtual":1)"}) {
    const auto statement = read_json(with(paging, two));
    CHECK_FALSE(statement.counts_held);
    REQUIRE(statement.warnings.size() == 1);
    CHECK(
        statement.warnings[0] ==
        "the statement has pages of the window 2026-03-01T00:00:00Z to 2026-03-09T00:00:00Z that may not be "
        "all of them: none has paginaAtual 0");
  }
  CHECK(read_json(with(R"("paginaAtual":0)", two) + with(R"("paginaAtual":3)", pix(3)))
            .warnings.at(0)
            .ends_with("none has paginaAtual 1"));
  CHECK(problem(R"("quantidadeDePaginas":999999999)").find("has 1 of 999999999 pages") != std::string::npos);
}

TEST_CASE("a payment with very many returns is refused") {
  std::string returns;
  for (int i = 0; i <= 200; ++i)
    returns += (returns.empty() ? "" : ",") + (R"({"id":"d)" + std::to_string(i) + R"(","valor":"0.01"})");
  CHECK(problem_of(page(pix(1, "19.90", R"(,"devolucoes":[)" + returns + "]"), {}), StatementFormat::kPixJson)
            .find("more than 200 returns") != std::string::npos);
}

TEST_CASE("answers that the worker can read are read as statements, too") {
  const auto paging = [](const std::string& more) {
    return R"({"parametros":{"inicio":"2026-03-02T00:00:00Z","fim":"2026-03-03T00:00:00Z",)"
           R"("paginacao":{"paginaAtual":0,"quantidadeDePaginas":1,"quantidadeTotalDeItens":0}})" +
           more + "}\n";
  };
  const auto whole = page(pix(1), {});
  for (const std::string& nothing :
       {paging(""), paging(R"(,"pix":null)"), std::string("{}\n"), "\xEF\xBB\xBF" + paging("")}) {
    CAPTURE(nothing);
    CHECK(read_json(whole + nothing).lines.size() == 1);
  }
  CHECK(read_json(paging("")).lines.empty());
  CHECK(read_json("[" + whole + ",\xEF\xBB\xBF{}]").lines.size() == 1);
  // JSON without a window, and a list under another name, are no answers.
  for (const std::string other : {"{}", "{}\n{}", R"({"pix":null})"})
    CHECK(problem_of(other, StatementFormat::kPixJson).find("no list pix") != std::string::npos);
  CHECK(problem_of(whole + paging(R"(,"pixRecebidos":[])"), StatementFormat::kPixJson)
            .find("page 2 has no list") != std::string::npos);
  // A payment without its list, and without its time, which is then that of its id.
  for (const std::string name : {"endToEndId", "e2eId", "e2eid", "end_to_end_id"}) {
    CAPTURE(name);
    const auto payment = R"({")" + name + R"(":")" + id(1) + R"(","valor":"1.00"})";
    for (const auto& text : {payment, R"({"pix":)" + payment + "}", R"({"pix":[)" + payment + "]}"}) {
      const auto statement = read_json(text);
      REQUIRE(statement.lines.size() == 1);
      CHECK(statement.lines[0].paid_at == domain::minute_of(sample_end_to_end_id(1)));
    }
  }
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
