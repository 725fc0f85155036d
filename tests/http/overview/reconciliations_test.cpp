#include <catch2/catch.hpp>

#include "base/http/message/request.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

const std::string kPath = "/api/v1/reconciliations";
const std::string kHeading = "endToEndId,amountCents,paidAt\n";

// A shop with a paid live charge, and one of the sandbox.
struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  SignedIn oto = sign_in(service, project.id, Role::kOperator, "oto");
  std::string live = create_charge(service, project.live_key);
  std::string tried = create_charge(service, project.test_key);

  Shop() {
    service.execute(domain::ReportPayment{project.id, parsed<domain::ChargeId>(live), sample_end_to_end_id(1),
                                          domain::Cents(1990), std::nullopt});
    REQUIRE(service.send("POST", "/api/sandbox/transactions/" + tried + "/pay", project.test_key).status ==
            200);
  }
  HttpAnswer compare(const std::string& statement, const std::string& query = "",
                     std::map<std::string, std::string> headers = {}) const {
    headers.emplace("Content-Type", std::string(http::kFileType));
    return send_as(service, oto, "POST", kPath + query, statement, std::move(headers));
  }
  std::string line(unsigned payment, const std::string& cents = "1990") {
    return sample_end_to_end_id(payment).text() + "," + cents + "," + to_iso8601(service.clock().now()) +
           "\n";
  }
};

}  // namespace

TEST_CASE("a statement that is sent to the API is compared with the payments of the project") {
  Shop shop;
  const auto agreed = shop.compare(kHeading + shop.line(1));
  INFO(agreed.body);
  REQUIRE(agreed.status == 200);
  CHECK(agreed.at("/success") == "true");
  CHECK(agreed.at("/data/outcome") == "agrees");
  CHECK(agreed.at("/data/environment") == "live");
  CHECK(agreed.at("/data/counts/matched") == "1");
  CHECK_FALSE(agreed.has("/data/matched/0"));
  CHECK(agreed.at("/data/returns/compared") == "false");
  CHECK(agreed.at("/meta/timezone") == "America/Sao_Paulo");
  const auto open = shop.compare(kHeading + shop.line(2));
  CHECK(open.at("/data/outcome") == "differs");
  CHECK(open.at("/data/missingInLedger/0/line") == "2");
  CHECK(open.at("/data/missingInStatement/0/transactionId") == shop.live);
  CHECK(shop.compare("<OFX><STMTTRN><DTPOSTED>20260301<TRNAMT>7<MEMO>PIX</STMTTRN></OFX>")
            .at("/data/outcome") == "cannotCompare");
}

TEST_CASE("payments outside of a statement's days are not missing, unless other days are named") {
  Shop shop;
  shop.service.clock().advance_millis(3 * kDayMs);
  shop.oto = sign_in(shop.service, shop.project.id, Role::kOperator, "olga");
  const auto of_its_days = shop.compare(kHeading + shop.line(2));
  CHECK(of_its_days.at("/data/counts/missingInStatement") == "0");
  const auto of_more = shop.compare(kHeading + shop.line(2), "?from=2026-02-01");
  CHECK(of_more.at("/data/counts/missingInStatement") == "1");
  CHECK(shop.compare(kHeading + shop.line(1)).at("/data/counts/matched") == "1");
}

TEST_CASE("the compared days are returned, and whether the statement or the caller named them") {
  Shop shop;
  const auto ofx = [](const std::string& from, const std::string& to) {
    return "<OFX><BANKTRANLIST><DTSTART>" + from + "<DTEND>" + to + "</BANKTRANLIST></OFX>";
  };
  // A payment on a day of the file, which has no line for it.
  const auto of_file = shop.compare(ofx("20260201", "20991231"));
  CHECK(of_file.at("/data/outcome") == "differs");
  CHECK(of_file.at("/data/period/from") == "2026-02-01T03:00:00.000Z");
  CHECK(of_file.at("/data/period/to") == "2100-01-01T02:59:59.999Z");
  CHECK(of_file.at("/data/period/by") == "statement");
  CHECK(shop.compare(ofx("20260201", "20991231"), "?to=2026-02-02").at("/data/period/by") == "given");
  CHECK(shop.compare(kHeading + shop.line(1)).at("/data/period/by") == "lines");
  const auto outside = shop.compare(kHeading + shop.line(1), "?from=2099-01-01");
  CHECK(outside.at("/data/outcome") == "cannotCompare");
  CHECK(outside.at("/data/cause") == "outOfPeriod");
}

TEST_CASE("in the sandbox a statement is compared with what was paid there") {
  Shop shop;
  const auto answer = shop.compare(kHeading + shop.line(1), "", {{"Pixledger-Environment", "sandbox"}});
  CHECK(answer.at("/data/environment") == "sandbox");
  CHECK(answer.at("/data/counts/matched") == "0");
  CHECK(answer.at("/data/missingInStatement/0/transactionId") == shop.tried);
}

TEST_CASE("an invalid statement is refused with its line, and no part of it is kept") {
  Shop shop;
  const auto refused = shop.compare(kHeading + "E1,1990,2026-03-01T12:00:00Z\n");
  CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
  CHECK(refused.at("/details/0/field") == "statement");
  CHECK(refused.at("/details/0/reason").find("line 2") != std::string::npos);
  // The persons on that line are not shown.
  const auto personal = shop.compare("Data;Nome;Valor\n01/03/2026;ANA LIMA 52998224725;1.234\n");
  CHECK(personal.at("/details/0/reason").find("line 2: column 3, Valor,") != std::string::npos);
  CHECK(personal.body.find("ANA LIMA") == std::string::npos);
  CHECK(personal.body.find("52998224725") == std::string::npos);
  CHECK(refused.body.find("E1,1990") == std::string::npos);
  const auto log = send_as(shop.service, shop.oto, "GET", "/api/v1/requests");
  CHECK(log.body.find("statement") != std::string::npos);
  CHECK(log.body.find("E1,1990") == std::string::npos);
  for (const std::string query :
       {"?format=mt940", "?from=yesterday", "?from=2026-03-02&to=2026-03-01", "?timezone=Mars", "?unknown=1"})
    CHECK(shop.compare(kHeading, query).status == 400);
  CHECK(shop.compare("").at("/details/0/field") == "statement");
  CHECK(shop.compare(kHeading, "", {{"Content-Type", "application/json"}}).status == 415);
}

TEST_CASE("a statement may be far larger than other bodies, and not without bound") {
  Shop shop;
  std::string statement = kHeading + shop.line(1);
  while (statement.size() < 4U << 20U) statement += "Saldo do dia " + std::string(10'000, 'x') + ",,\n";
  CHECK(shop.compare(statement).at("/data/counts/matched") == "1");
  statement.resize(http::kFileBytesMax + 1, '\n');
  CHECK(shop.compare(statement).status == 413);
  // No other operation takes as much.
  CHECK(send_as(shop.service, shop.oto, "POST", "/api/v1/transactions", std::string(100'000, ' ')).status ==
        413);
}

TEST_CASE("a key reconciles nothing, and neither does a viewer") {
  Shop shop;
  const std::map<std::string, std::string> type{{"Content-Type", std::string(http::kFileType)}};
  CHECK(shop.service.send("POST", kPath, shop.project.live_key, kHeading, type).status == 403);
  const auto vera = sign_in(shop.service, shop.project.id, Role::kViewer, "vera");
  CHECK(send_as(shop.service, vera, "POST", kPath, kHeading, type).status == 403);
}
