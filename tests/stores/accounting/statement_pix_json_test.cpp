// Statements that are what the API Pix answers to GET /pix.
#include <catch2/catch.hpp>

#include "tests/stores/accounting/statement_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;

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
  CHECK(to_iso8601(statement.returns[0].at) == "2026-03-02T12:00:01.000Z");
  CHECK_FALSE(statement.returns[1].is_done);
}

TEST_CASE("a return of a payment in two windows counts once, with what the later one knows of it") {
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
