#include "stores/accounting/statement_values.h"

#include <catch2/catch.hpp>

#include "stores/accounting/statement_text.h"
#include "tests/support/domain/sample_values.h"

using namespace pixledger;
using namespace pixledger::tests;
using stores::BadAmount;

namespace {

std::string moment_of(const std::string& text, const std::string& zone = "America/Sao_Paulo") {
  const auto time = stores::parse_statement_time(text, parsed<TimeZone>(zone));
  return time ? to_iso8601(time->moment) : "none";
}

std::int64_t cents_of(const std::string& text) {
  const auto amount = stores::parse_amount(text);
  INFO(text);
  REQUIRE(std::holds_alternative<std::int64_t>(amount));
  return std::get<std::int64_t>(amount);
}

}  // namespace

TEST_CASE("amounts are read in every unambiguous form") {
  for (const std::string text :
       {"1234.56", "1234,56", "1.234,56", "1,234.56", "R$ 1.234,56", "R$1.234,56", "1 234,56",
        "1\xC2\xA0"
        "234,56",
        "r$\xC2\xA0"
        "1.234,56",
        "+1.234,56", "1.234,56 C", "BRL 1234.56", "1'234.56", " 1234.56 ", "1234.5600", "1.234,56 CR",
        "1.234,56CR", "C 1.234,56", "CR 1.234,56", "1234.56 reais", "=\"1.234,56\"", "=1.234,56", "'1.234,56",
        // Full-width digits and signs.
        "\xEF\xBC\x91\xEF\xBC\x92\xEF\xBC\x93\xEF\xBC\x94\xEF\xBC\x8C\xEF\xBC\x95\xEF\xBC\x96"})
    CHECK(cents_of(text) == 123'456);
  for (const std::string text :
       {"-1.234,56", "1.234,56-", "(1.234,56)", "R$ -1.234,56", "-R$ 1.234,56", "1.234,56 D",
        "\xE2\x88\x92"
        "1234,56",
        "(R$ 1.234,56)", "1.234,56 DB", "DB 1.234,56", "D 1.234,56", "-1.234,56 D", "(1.234,56) DB",
        "1.234,56 (-)", "(-) 1.234,56", "(-1.234,56)", "(-R$ 1.234,56)",
        "\xE2\x80\x93"
        "1.234,56",
        "1.234,56 \xE2\x80\x94"})
    CHECK(cents_of(text) == -123'456);
  for (const std::string text :
       {"1,00", "+1,00", "1,00C", "CR 1,00", "1,00 (+)", "-1,00", "1,00 D", "(1,00)"}) {
    CAPTURE(text);
    bool says_came = false;
    const auto cents = std::get<std::int64_t>(stores::parse_amount(text, &says_came));
    CHECK(says_came == (cents > 0 && text != "1,00"));
  }
  CHECK(cents_of("1.234.567") == 123'456'700);
  CHECK(cents_of("1,234,567.8") == 123'456'780);
  CHECK(cents_of("19,9") == 1'990);
  CHECK(cents_of("19") == 1'900);
  CHECK(cents_of(",50") == 50);
  CHECK(cents_of("1 000") == 100'000);
  CHECK(cents_of("0,00") == 0);
}

TEST_CASE("ambiguous and invalid amounts are refused") {
  for (const std::string text : {"1.234", "12,345", "R$ 1.234", "-1,234"})
    CHECK(std::get<BadAmount>(stores::parse_amount(text)) == BadAmount::kAmbiguous);
  for (const std::string text :
       {"", "-", "R$", "x", "1.", "1.2.3", "1.23,45", "12 34", "--1", "((1))", "1234.567", "1.5x", "1e5",
        "99999999999999999999", "SALDO", "US$ 19.90", "19,9O", "1,00 x"})
    CHECK(std::get<BadAmount>(stores::parse_amount(text)) == BadAmount::kNone);
}

TEST_CASE("times are read as banks and programs write them") {
  for (const std::string text : {"2026-03-01T12:00:00-03:00",
                                 "2026-03-01T15:00:00Z",
                                 "2026-03-01T15:00:00.000Z",
                                 "2026-03-01T12:00:00",
                                 "2026-03-01 12:00:00",
                                 "2026-03-01 12:00",
                                 "01/03/2026 12:00:00",
                                 "01/03/2026 12:00",
                                 "1/3/2026 12:00",
                                 "01/03/26 12:00",
                                 "01-03-2026 12h00",
                                 "01.03.2026, 12:00",
                                 "01/03/2026 \xC3\xA0s 12:00",
                                 "01/03/2026 - 12:00",
                                 "2026/03/01 12:00",
                                 "20260301120000",
                                 "202603011200",
                                 "20260301120000[-3:BRT]",
                                 "20260301120000.000[-03:EST]",
                                 "20260301120000[-0300]",
                                 "20260301120000[-3]",
                                 "20260301120000[-3.0:GMT]",
                                 "20260301120000[-03:00]",
                                 "20260301120000 [-3:BRT]",
                                 "20260301150000[0:GMT]",
                                 "20260301150000[GMT]",
                                 "2026-03-01T12:00:00-0300",
                                 "1-mar-2026 12:00",
                                 "01/mar/2026 12:00",
                                 "01 mar. 2026, 12:00",
                                 "1 de mar\xC3\xA7o de 2026 12:00",
                                 "01-Mar-26 12:00",
                                 "2026030112",
                                 "20260301120000[-3:America/Sao_Paulo]",
                                 "20260301120000[-3:Hor\xC3\xA1rio de Bras\xC3\xADlia]",
                                 "20260301120000[-3 BRT]",
                                 "20260301120000[ -3:BRT ]",
                                 "20260301120000[GMT-3]",
                                 "20260301120000[UTC-03:00]",
                                 "20260301110000[AMT]",
                                 "20260301100000[ACT]"}) {
    INFO(text);
    CHECK(moment_of(text) == "2026-03-01T15:00:00.000Z");
  }
  // A day, whichever zone a bank puts behind a midnight that it does not mean.
  for (const std::string text :
       {"2026-03-01", "01/03/2026", "20260301", "20260301000000[-3:BRT]", "20260301000000[0:GMT]",
        "20260301[-3:BRT]", "20260228240000", "28/02/2026 24:00", "1 mar 2026", "01032026", "dom, 01/03/2026",
        "domingo 01/03/2026", "01/03/2026 (dom)", "Dom., 01/03/2026"}) {
    INFO(text);
    CHECK(moment_of(text) == "2026-03-01T03:00:00.000Z");
  }
  for (const std::string text : {"",
                                 "x",
                                 "2026030",
                                 "20260230",
                                 "20260301250000",
                                 "20260301120000[x]",
                                 "20260301120000[99]",
                                 "20260301120000[-3.3]",
                                 "03/25/2026",
                                 "31/02/2026",
                                 "2026-03-01T12:00:00+",
                                 "yesterday",
                                 "46082",
                                 "01/03/026",
                                 "20260301240001",
                                 "2026030199",
                                 "27/11",
                                 "27/nov",
                                 "11/27/2026",
                                 "27 de nada de 2026",
                                 "2026 nov 27",
                                 "20260301120000[GMTx]",
                                 "20260301120000[GMTGMT-3]",
                                 "20260301120000[-3"}) {
    INFO(text);
    CHECK(moment_of(text) == "none");
  }
}

TEST_CASE("a day begins at its first moment, also where clocks skip midnight") {
  // In São Paulo 2018-11-04 began at 01:00.
  CHECK(moment_of("2018-11-04") == "2018-11-04T03:00:00.000Z");
  CHECK(moment_of("04/11/2018 00:30") == "2018-11-04T03:00:00.000Z");
  CHECK(moment_of("2018-11-05") == "2018-11-05T02:00:00.000Z");
  CHECK(moment_of("20181104", "UTC") == "2018-11-04T00:00:00.000Z");
  // The midnight that clocks showed twice began a day once.
  CHECK(moment_of("2019-02-16 23:30") == "2019-02-17T01:30:00.000Z");
}

TEST_CASE("an end-to-end id is found in any surrounding text") {
  const auto found = [](const std::string& text) {
    const auto found_id = stores::end_to_end_id_in(text);
    return found_id ? found_id->text() : "none";
  };
  const std::string id = "E18236120202603011200s1a2b3c4d5e";
  for (const auto& text : std::vector<std::string>{
           id, "PIX RECEBIDO " + id, "PIX-" + id + "/ANA", "Pix:" + id + ".", "PIXREC" + id,
           "E18236120 202603011200 s1a2b3c4d5e", "E18236120-202603011200-s1a2b3c4d5e",
           "E18236120.20260301\n1200s1a2b3c4d5e", "e18236120202603011200s1a2b3c4d5e", "E2E " + id + " ANA"}) {
    INFO(text);
    CHECK(found(text) == id);
  }
  CHECK(found("E18236120202603011200S1A2B3C4D5E") == "E18236120202603011200S1A2B3C4D5E");
  for (const std::string text : {"", "PIX RECEBIDO", "E18236120202613011200s1a2b3c4d5e",
                                 "E18236120202603011200s1a2b3c4d5", "D18236120202603011200s1a2b3c4d5e"})
    CHECK(found(text) == "none");
  CHECK(stores::return_id_in("DEV d18236120202603011200s1a2b3c4d5e") == "D18236120202603011200S1A2B3C4D5E");
}

TEST_CASE("a quoted part of a file is short, on one line, and has no control characters") {
  CHECK(stores::shown(" a\tb\nc ") == "\"a b c\"");
  CHECK(stores::shown("a\x1b[31m") == "\"a\\x1b[31m\"");
  CHECK(stores::shown("a\xE2\x80\xAE"
                      "b") == "\"a\\xe2\\x80\\xaeb\"");
  CHECK(stores::shown("S\xC3\xA3o \xE3") == "\"S\xC3\xA3o \\xe3\"");
  CHECK(stores::shown(std::string(300, 'x')) == "\"" + std::string(100, 'x') + "…\"");
}
