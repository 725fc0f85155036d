// The counts and numbers that a bank's pages state, empty pages, and how they are used.
#include <algorithm>
#include <array>
#include <catch2/catch.hpp>

#include "tests/workers/banks/poll_fixture.h"

using namespace pixledger;
using namespace pixledger::tests;
using namespace pixledger::workers;
using domain::ChargeStatus;

TEST_CASE("payments beyond a bank's stated pages are requested, and missing ones are reported") {
  PollFixture fixture;
  const auto one = fixture.create_with_code();
  const auto other = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(one, 1), 3, 0, 1));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(other, 2), 3, 1, 1));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 3, 2, 1));
  CHECK(fixture.look());
  CHECK(fixture.charge(one).status == ChargeStatus::kPaid);
  CHECK(fixture.charge(other).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank shows fewer payments than it says to have") == 1);
  fixture.looks();
  const auto misfits = stores::bank_states(fixture.ledger.directory.path() / "workers").misfits;
  REQUIRE(misfits.size() == 1);
  CHECK(misfits.front().kind == "missing_payments");
}

TEST_CASE("a bank that counts the payments of each page alone is asked until a page is short") {
  PollFixture fixture;
  const auto first = fixture.create_with_code(), last = fixture.create_with_code();
  const auto filled = [&](int payments) {
    auto text = fixture.payment(first, 1);
    for (int i = 1; i < payments; ++i) text += "," + fixture.payment(first, 1);
    return text;
  };
  const auto end = fixture.payment(last, 2);
  SECTION("on pages of the size that it was asked for") {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(filled(100), 100));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(end, 1, 1));
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 2);
  }
  SECTION("on larger pages, the last of which is full, too") {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(filled(200), 200));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(filled(199) + "," + end, 200, 1));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 2, 0));
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 3);
  }
  SECTION("on smaller pages, whose size it says") {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(filled(50), 50, 0, 1, 50));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(end, 1, 1, 1, 50));
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 2);
  }
  SECTION("and again later where it does not show the next page") {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(filled(100), 100));
    for (int tries = 0; tries < 3; ++tries) fixture.bank.will_answer("GET /pix", 502, "");
    CHECK_FALSE(fixture.look());
    CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
    return;
  }
  CHECK(fixture.charge(first).status == ChargeStatus::kPaid);
  CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank shows fewer payments than it says to have") == 0);
}

TEST_CASE("a full page is the last where the bank has no next one") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  auto full = fixture.payment(id);
  for (int i = 1; i < 100; ++i) full += "," + fixture.payment(id);
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(full, 100));
  SECTION("and says so") { fixture.bank.will_answer("GET /pix", 404, "{}"); }
  SECTION("and refuses the question") { fixture.bank.will_answer("GET /pix", 400, "{}"); }
  SECTION("and shows the same page for it") {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(full, 100));
  }
  SECTION("and shows the same payments under its number") {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(full, 100, 1));
  }
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 2);
  CHECK(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("an account that does not count its payments is asked until a page has nothing new") {
  PollFixture fixture;
  const auto first = fixture.create_with_code(), last = fixture.create_with_code();
  const auto begin = fixture.payment(first, 1), end = fixture.payment(last, 2);
  const auto counts = GENERATE(as<std::string>(), "", R"("quantidadeDePaginas":1,)",
                               R"("parametros":{"paginacao":{"quantidadeTotalDeItens":1}},)", "[");
  const auto show = [&](const std::string& payments) {
    const auto list = "[" + payments + "]";
    fixture.bank.will_answer("GET /pix", 200, counts == "[" ? list : "{" + counts + R"("pix":)" + list + "}");
  };
  show(begin);
  SECTION("which is the third") {
    show(end);
    show("");
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 3);
    CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
  }
  SECTION("and goes on behind a page that cannot be read") {
    if (counts == "[") return;
    show(R"({"valor":"1.00"})");
    show(end);
    show(R"({"valor":"1.00"})");
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 4);
    CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
  }
  SECTION("also where it shows its first page for ever") {
    show(begin);
    show(begin);
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 3);
  }
  SECTION("also where it counts its pages from 1") {
    show(begin);
    show(end);
    show("");
    CHECK(fixture.look());
    CHECK(pages_of(fixture.bank) == 4);
    CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
  }
  SECTION("and again later where the next page is not shown") {
    for (int tries = 0; tries < 3; ++tries) fixture.bank.will_answer("GET /pix", 502, "");
    CHECK_FALSE(fixture.look());
    CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  }
  SECTION("and again later where the next page has its payments elsewhere") {
    fixture.bank.will_answer("GET /pix", 200, R"({"data":[)" + end + "]}");
    CHECK_FALSE(fixture.look());
    CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  }
  CHECK(fixture.charge(first).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank does not count the payments that it shows") == 1);
  fixture.looks();
  const auto misfits = stores::bank_states(fixture.ledger.directory.path() / "workers").misfits;
  CHECK(std::any_of(misfits.begin(), misfits.end(),
                    [](const auto& misfit) { return misfit.kind == "uncounted_pages"; }));
}

TEST_CASE("an account that does not count its payments is not taken for read after an odd answer") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, R"({"pix":[)" + fixture.payment(id) + "]}");
  const auto odd = GENERATE(as<std::string>(), "<html>manutencao</html>",
                            R"({"message":"Service temporarily unavailable"})", R"({"maintenance":true})");
  CAPTURE(odd);
  fixture.bank.will_answer("GET /pix", 200, odd);
  CHECK_FALSE(fixture.look());
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
}

TEST_CASE("pages are read though each has the same number, or the first one does not count") {
  PollFixture fixture;
  const auto first = fixture.create_with_code(), last = fixture.create_with_code();
  const auto begin = fixture.payment(first, 1), end = fixture.payment(last, 2);
  SECTION("the same number") {
    for (const auto& payment : {begin, end, std::string()})
      fixture.bank.will_answer("GET /pix", 200, R"({"paginaAtual":0,"pix":[)" + payment + "]}");
  }
  SECTION("counts that come later") {
    fixture.bank.will_answer("GET /pix", 200, R"({"pix":[)" + begin + "]}");
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(first, 3), 3, 1, 3));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(end, 3, 2, 3));
  }
  CHECK(fixture.look());
  CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
}

TEST_CASE("a window is halved where the bank cuts off its deep pages") {
  PollFixture fixture;
  const auto first = fixture.create_with_code(), last = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(first, 1), 2, 0, 2));
  fixture.bank.will_answer("GET /pix", 200, R"({"pix":[]})");
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(first, 1), 1));
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(last, 2), 1));
  CHECK(fixture.look());
  CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
}

TEST_CASE("an account that does not count its payments, and has no end, is not asked for ever") {
  PollFixture fixture;
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  for (int i = 0; i < 1'000; ++i)
    fixture.bank.will_answer("GET /pix", 200, R"({"pix":[{"valor":")" + std::to_string(i + 1) + R"(.00"}]})");
  CHECK_FALSE(fixture.look());
  // Of the window and of three halves of it.
  CHECK(pages_of(fixture.bank) == 800);
  CHECK(fixture.looks().back().fault == "it shows its payments on over 200 pages, more than there can be");
}

TEST_CASE("payments that a bank counts but does not show are reported, by any of its counts") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200,
                           R"({"quantidadeTotalDeItens":3,"pix":[)" + fixture.payment(id) + "]}");
  fixture.bank.will_answer("GET /pix", 200, R"({"pix":[]})");
  CHECK(fixture.look());
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank shows fewer payments than it says to have") == 1);
}

TEST_CASE("payments that a bank does not show are reported again each day") {
  PollFixture fixture;
  const PaymentIntake intake{{.log = fixture.ledger.log,
                              .clock = fixture.agents_clock,
                              .logger = fixture.agents_log.logger,
                              .database = fixture.database,
                              .report = fixture.report,
                              .meters = fixture.meters}};
  constexpr std::int64_t kDayMs = 86'400'000;
  const auto began_at = fixture.ledger.clock.now();
  const auto lines_after = [&](std::int64_t ms, std::int64_t end_ms) {
    fixture.agents_clock.set_wall_clock(began_at.plus_millis(ms));
    intake.report_missing(fixture.at_hand(),
                          {.begin = began_at.plus_millis(-kDayMs), .end = began_at.plus_millis(end_ms)}, 1);
    return fixture.agents_log.lines_with("a bank shows fewer payments than it says to have");
  };
  CHECK(lines_after(0, 0) == 1);
  CHECK(lines_after(1, 1) == 1);
  CHECK(lines_after(kDayMs, kDayMs) == 2);
  // Also for the same window.
  CHECK(lines_after(2 * kDayMs, 0) == 3);
}

TEST_CASE("payments beside a bank's list are reported, and hold up none of the list") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  const auto page = BankFixture::page(fixture.payment(id), 1);
  for (int looks = 0; looks < 2; ++looks) {
    fixture.bank.will_answer("GET /pix", 200,
                             R"({"pixEstornados":[)" + fixture.payment(id, 2) + "]," + page.substr(1));
    CHECK(fixture.look());
  }
  CHECK(pages_of(fixture.bank) == 2);
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank shows payments beside its list, which are not read") == 1);
}

TEST_CASE("a page without counts does not void an earlier page's counts") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id, 1), 3, 0, 3));
  fixture.bank.will_answer("GET /pix", 200, R"({"pix":[)" + fixture.payment(id, 2) + "]}");
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id, 3), 3, 2, 3));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 3);
}

TEST_CASE("an answer that may hold payments by another name is no empty account") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  const auto payment = fixture.payment(id);
  const std::array bodies{R"({"data":[)" + payment + "]}", R"({"pix":[],"items":[)" + payment + "]}",
                          std::string(R"({"erro":"periodo maximo excedido"})")};
  const auto& body = bodies.at(GENERATE(0U, 1U, 2U));
  fixture.bank.will_answer("GET /pix", 200, body);
  CHECK_FALSE(fixture.look());
  CHECK_THAT(fixture.looks().back().fault, Catch::Contains("has content, and pix has none"));
}

TEST_CASE("an empty page that states that there are payments is no empty account") {
  PollFixture fixture;
  fixture.database.note_looked(fixture.connection, fixture.ledger.clock.now());
  const auto body = GENERATE(as<std::string>(), R"({"pix":[],"total":5})", R"({"pix":[],"hasNextPage":true})",
                             BankFixture::page("", 5, 0, 0));
  CAPTURE(body);
  fixture.bank.will_answer("GET /pix", 200, body);
  CHECK_FALSE(fixture.look());
  CHECK_THAT(fixture.looks().back().fault, Catch::Contains("states that there are payments"));
  CHECK(fixture.agents_log.lines_with("a bank did not show its payments") == 1);
}

TEST_CASE("the total of an empty page behind the last is held against the payments of all pages") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  const auto [total, lines] = GENERATE(table<int, std::size_t>({{1, 0}, {3, 1}}));
  fixture.bank.will_answer("GET /pix", 200, R"({"pix":[)" + fixture.payment(id) + "]}");
  fixture.bank.will_answer("GET /pix", 200, R"({"pix":[],"total":)" + std::to_string(total) + "}");
  CHECK(fixture.look());
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
  CHECK(fixture.agents_log.lines_with("a bank shows fewer payments than it says to have") == lines);
}

TEST_CASE("a bank that calls its first page 1 is read to the last page") {
  PollFixture fixture;
  const auto first = fixture.create_with_code(), last = fixture.create_with_code();
  const auto begin = fixture.payment(first, 1), end = fixture.payment(last, 2);
  const auto show = [&](const std::string& payments, int number, int items = 2) {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(payments, items, number, items));
  };
  const auto is_last_asked_for = [&](int number) {
    return fixture.bank.last().path.find("paginaAtual=" + std::to_string(number)) != std::string::npos;
  };
  SECTION("which it is asked for by its own number") {
    show(begin, 1);
    show(end, 2);
    CHECK(fixture.look());
    CHECK(is_last_asked_for(2));
  }
  SECTION("which it is asked for by the document's number") {
    show(begin, 1);
    show("", 3);
    show(end, 2);
    CHECK(fixture.look());
    CHECK(is_last_asked_for(1));
  }
  SECTION("which it calls 1, too") {
    show(begin, 1);
    show("", 3);
    show(end, 1);
    CHECK(fixture.look());
    CHECK(is_last_asked_for(1));
  }
  SECTION("which it is asked for by the document's number, and refuses the other one") {
    const auto third = fixture.payment(first, 3);
    show(begin, 1, 3);
    fixture.bank.will_answer("GET /pix", 400, "{}");
    show(third, 2, 3);
    show(end, 3, 3);
    CHECK(fixture.look());
    CHECK(is_last_asked_for(2));
  }
  CHECK(fixture.charge(first).status == ChargeStatus::kPaid);
  CHECK(fixture.charge(last).status == ChargeStatus::kPaid);
  CHECK(fixture.database.looked_up_to(fixture.connection));
}

TEST_CASE("a bank that calls its first page 1 costs one request where there is no other page") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page("", 0, 1, 1));
  CHECK(fixture.look());
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id), 1, 1, 1));
  CHECK(fixture.look());
  CHECK(pages_of(fixture.bank) == 2);
  CHECK(fixture.charge(id).status == ChargeStatus::kPaid);
}

TEST_CASE("an account whose first page is number 1 is unread if its payments do not match the counts") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  const auto show = [&](const std::string& payments, int number) {
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(payments, 2, number, 2));
  };
  SECTION("since a page was left out") {
    show(fixture.payment(id), 1);
    show("", 2);
  }
  SECTION("since a further page shows one more") {
    auto full = fixture.payment(id, 1);
    for (int i = 1; i < 100; ++i) full += "," + fixture.payment(id, 1);
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(full, 100, 1, 1));
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id, 2), 1, 2, 1));
  }
  SECTION("since the second page is called 1, too, and each page counts its own payments") {
    auto full = fixture.payment(id, 1);
    for (int i = 1; i < 100; ++i) full += "," + fixture.payment(id, 1);
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(full, 100, 1, 1));
    fixture.bank.will_answer("GET /pix", 404, "{}");
    fixture.bank.will_answer("GET /pix", 200, BankFixture::page(fixture.payment(id, 2), 1, 1, 1));
  }
  CHECK_FALSE(fixture.look());
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
  CHECK_THAT(fixture.looks().back().fault, Catch::Contains("it counts its pages from 1"));
}

TEST_CASE("an account whose first page is called 1 is unread where its second page is not shown in time") {
  PollFixture fixture;
  const auto id = fixture.create_with_code();
  auto full = fixture.payment(id);
  for (int i = 1; i < 100; ++i) full += "," + fixture.payment(id);
  fixture.bank.will_answer("GET /pix", 200, BankFixture::page(full, 100, 1, 1));
  for (int tries = 0; tries < 3; ++tries) {
    fixture.bank.will_answer("GET /pix", 400, "{}");
    fixture.bank.will_answer("GET /pix", 502, "");
  }
  CHECK_FALSE(fixture.look());
  CHECK_FALSE(fixture.database.looked_up_to(fixture.connection));
}
