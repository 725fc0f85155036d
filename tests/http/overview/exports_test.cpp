#include <catch2/catch.hpp>
#include <set>

#include "base/platform/sha256.h"
#include "eventstore/keys/tokens.h"
#include "http/front/caller.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/channel_service.h"
#include "tests/support/servers/signed_in.h"

using namespace pixledger;
using namespace pixledger::tests;
using domain::Role;

namespace {

const std::string kExports = "/api/v1/exports/";

// A live charge, and one of the sandbox that was paid and refunded in part.
struct Shop {
  TestService service;
  TestService::Project project = service.create_project();
  std::string live = create_charge(service, project.live_key);
  std::string tried = create_charge(service, project.test_key);

  Shop() {
    const auto& key = project.test_key;
    REQUIRE(service.send("POST", "/api/sandbox/transactions/" + tried + "/pay", key).status == 200);
    REQUIRE(service
                .send("POST", "/api/v1/transactions/" + tried + "/refund", key,
                      R"({"amountCents":990,"reason":"troca de Maria"})")
                .status == 200);
  }
  HttpAnswer get(const std::string& what) const { return get(what, project.live_key); }
  HttpAnswer get(const std::string& what, const std::string& key) const {
    auto answer = service.send("GET", kExports + what, key);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
    return answer;
  }
};

std::vector<std::string> lines_of(const HttpAnswer& answer, const std::string& end) {
  std::vector<std::string> lines;
  std::string_view left = answer.body;
  while (!left.empty()) {
    const auto at = left.find(end);
    REQUIRE(at != std::string_view::npos);
    lines.emplace_back(left.substr(0, at));
    left.remove_prefix(at + end.size());
  }
  return lines;
}
std::vector<std::string> csv_of(const HttpAnswer& answer) { return lines_of(answer, "\r\n"); }
std::vector<HttpAnswer> json_of(const HttpAnswer& answer) {
  std::vector<HttpAnswer> rows;
  for (const auto& line : lines_of(answer, "\n"))
    rows.push_back({.status = 200, .headers = {}, .body = line});
  return rows;
}

// An export of many charges of one customer, read piece by piece.
class UnderWay {
 public:
  explicit UnderWay(const std::string& format) {
    for (int i = 0; i < kCharges; ++i) charge_ = create_charge(service_, project_.test_key);
    request_.path = kExports + "charges";
    request_.query = "format=" + format;
    request_.path_parameters = {{"what", "charges"}};
    request_.caller = std::make_shared<const http::Caller>(
        http::Caller{.key = parsed<domain::ApiKeyId>(eventstore::api_key_id(sha256(project_.live_key))),
                     .project = project_.id,
                     .environment = domain::Environment::kLive,
                     .arrival = service_.log().head()});
    for (const auto& route : service_.routes())
      if (route.pattern == "/api/v1/exports/:what")
        pieces_ = std::get<std::shared_ptr<http::Pieces>>(route.handler(request_));
  }

  // Returns false at the end.
  bool ask(std::string& text) {
    std::string piece;
    const auto then = pieces_->append_to(piece);
    text += piece;
    was_cut_ = then == http::Pieces::Then::kCut;
    return then == http::Pieces::Then::kMore;
  }
  bool was_cut() const { return was_cut_; }
  void erase() {
    const auto customer = customer_of(service_, project_.test_key, charge_);
    const auto id = parsed<domain::CustomerId>(customer);
    service_.execute(domain::EraseCustomer{service_.log().claim_holder(domain::customer_claim(id)).value(),
                                           id, domain::Label::parse("asked for it")});
    // The customer is shown before the erasure.
    REQUIRE(service_.send("GET", "/api/v1/customers/" + customer, project_.live_key).at("/data/name") ==
            "erased");
  }
  void revoke_key() { service_.execute(domain::RevokeApiKey{request_.caller->key.value()}); }
  std::string made_anew() const {
    return service_.send("GET", kExports + "charges?" + request_.query, project_.live_key).body;
  }

 private:
  static constexpr int kCharges = 400;

  TestService service_;
  TestService::Project project_ = service_.create_project();
  std::string charge_;
  http::Request request_;
  std::shared_ptr<http::Pieces> pieces_;
  bool was_cut_ = false;
};

}  // namespace

TEST_CASE("a customer who is erased while a table is exported is not in its further pieces") {
  for (const std::string format : {"csv", "csv-br", "jsonl"}) {
    INFO(format);
    UnderWay exported(format);
    std::string before, after;
    REQUIRE(exported.ask(before));
    CHECK(before.find("Maria Silva") != std::string::npos);
    exported.erase();
    while (exported.ask(after)) continue;
    CHECK_FALSE(exported.was_cut());
    CHECK(after.find(format == "csv-br" ? "(apagado)" : "erased") != std::string::npos);
    for (const std::string personal : {"Maria", "52998224725", "maria@", "11987654321"})
      CHECK(after.find(personal) == std::string::npos);
  }
}

TEST_CASE("an export under way is cut once its key is revoked, whatever its form") {
  for (const std::string format : {"csv", "xlsx"}) {
    INFO(format);
    UnderWay exported(format);
    std::string before, after;
    REQUIRE(exported.ask(before));
    exported.revoke_key();
    CHECK_FALSE(exported.ask(after));
    CHECK(exported.was_cut());
    CHECK(after.empty());
  }
}

TEST_CASE(
    "a workbook is made again if a customer is erased before it is complete, and cut off if afterwards") {
  UnderWay exported("xlsx");
  const auto with_name = exported.made_anew();
  std::string text;
  REQUIRE(exported.ask(text));
  REQUIRE(text.empty());
  exported.erase();
  while (exported.ask(text)) continue;
  CHECK_FALSE(exported.was_cut());
  CHECK(text == exported.made_anew());
  CHECK(text != with_name);

  UnderWay sent("xlsx");
  std::string part;
  while (part.empty()) REQUIRE(sent.ask(part));
  sent.erase();
  CHECK_FALSE(sent.ask(part));
  CHECK(sent.was_cut());
}

TEST_CASE("charges are exported as a file of CSV, in the order of their creation") {
  const Shop shop;
  const auto answer = shop.get("charges");
  CHECK(answer.headers.at("Content-Type") == "text/csv; charset=utf-8");
  CHECK(answer.headers.at("Content-Disposition") == R"(attachment; filename="charges.csv")");
  const auto lines = csv_of(answer);
  REQUIRE(lines.size() == 3);
  CHECK(lines[0].starts_with("transactionId,projectId,environment,status,externalId,amountCents,product,"));
  CHECK(lines[1].starts_with(shop.live + "," + shop.project.id.text() + ",live,waiting_payment,"));
  CHECK(lines[2].starts_with(shop.tried + "," + shop.project.id.text() + ",sandbox,paid,"));
  CHECK(lines[2].find("Maria Silva,52998224725,maria@example.com,11987654321") != std::string::npos);
}

TEST_CASE("tables are exported as lines of JSON, with the charges' sums") {
  const Shop shop;
  const auto answer = shop.get("charges?format=jsonl");
  CHECK(answer.headers.at("Content-Type") == "application/x-ndjson");
  CHECK(answer.headers.at("Content-Disposition") == R"(attachment; filename="charges.jsonl")");
  const auto charges = json_of(answer);
  REQUIRE(charges.size() == 2);
  CHECK(charges[0].at("/transactionId") == shop.live);
  CHECK(charges[0].at("/paidCents") == "null");
  CHECK(charges[1].at("/transactionId") == shop.tried);
  CHECK(charges[1].at("/paidCents") == "1990");
  CHECK(charges[1].at("/refundedCents") == "990");

  const auto payments = json_of(shop.get("payments?format=jsonl"));
  REQUIRE(payments.size() == 1);
  CHECK(payments[0].at("/transactionId") == shop.tried);
  CHECK(payments[0].at("/amountCents") == "1990");
  CHECK(payments[0].at("/outcome") == "applied");
  CHECK(payments[0].at("/flag") == "null");

  const auto refunds = json_of(shop.get("refunds?format=jsonl"));
  REQUIRE(refunds.size() == 1);
  CHECK(refunds[0].at("/transactionId") == shop.tried);
  CHECK(refunds[0].at("/amountCents") == "990");
  CHECK(refunds[0].at("/reason") == "troca de Maria");
}

TEST_CASE("unapplied money is among the payments, with the reason") {
  Shop shop;
  shop.service.execute(domain::ReportPayment{.project = shop.project.id,
                                             .charge = parsed<domain::ChargeId>(shop.live),
                                             .end_to_end_id = sample_end_to_end_id(),
                                             .amount = domain::Cents(1),
                                             .paid_at = std::nullopt});
  const auto payments = json_of(shop.get("payments?format=jsonl"));
  REQUIRE(payments.size() == 2);
  CHECK(payments[1].at("/endToEndId") == sample_end_to_end_id().text());
  CHECK(payments[1].at("/flag") == "AMOUNT_MISMATCH");
  CHECK(payments[1].at("/outcome") == "unapplied");
}

TEST_CASE("charges and payments are exported by day of payment, too, whenever it was recorded") {
  Shop shop;
  const auto paid_at = shop.service.clock().now().plus_millis(60'000);
  shop.service.clock().advance_millis(kDayMs);
  shop.service.execute(domain::ReportPayment{.project = shop.project.id,
                                             .charge = parsed<domain::ChargeId>(shop.live),
                                             .end_to_end_id = sample_end_to_end_id(),
                                             .amount = domain::Cents(1990),
                                             .paid_at = paid_at});
  const auto found = [&](const std::string& query) {
    return json_of(shop.get(query + "&format=jsonl&environment=live")).size();
  };
  CHECK(found("payments?from=2026-09-21&to=2026-09-21") == 0);
  CHECK(found("payments?from=2026-09-22&to=2026-09-22") == 1);
  CHECK(found("payments?by=paid&from=2026-09-21&to=2026-09-21") == 1);
  CHECK(found("payments?by=paid&from=2026-09-22&to=2026-09-22") == 0);
  CHECK(found("charges?by=paid&from=2026-09-21&to=2026-09-21") == 1);
  CHECK(found("charges?by=paid&from=2026-09-22&to=2026-09-22") == 0);
}

TEST_CASE("an export has only the requested environment") {
  Shop shop;
  const auto ids = [&](const std::string& query, const std::string& key) {
    std::string text;
    for (const auto& row : json_of(shop.get("charges?format=jsonl" + query, key)))
      text += row.at("/transactionId") + " ";
    return text;
  };
  CHECK(ids("&environment=live", shop.project.live_key) == shop.live + " ");
  CHECK(ids("&environment=sandbox", shop.project.live_key) == shop.tried + " ");
  CHECK(ids("", shop.project.live_key) == shop.live + " " + shop.tried + " ");
  CHECK(ids("&environment=live", shop.project.test_key).empty());
}

TEST_CASE("unmatched payments at a bank are among the payments") {
  Shop shop;
  auto bank = sample_bank_connection("banco", domain::Environment::kLive);
  bank.project = shop.project.id;
  shop.service.execute(bank);
  shop.service.execute(domain::RecordUnmatchedPayment{.project = shop.project.id,
                                                      .connection = sample_bank_id(),
                                                      .end_to_end_id = sample_end_to_end_id(7),
                                                      .amount = domain::Cents(70),
                                                      .paid_at = shop.service.clock().now(),
                                                      .txid = std::nullopt,
                                                      .reason = domain::UnmatchedReason::kNoTxid});
  for (const std::string query : {"", "&by=paid", "&environment=live"}) {
    const auto payments = json_of(shop.get("payments?format=jsonl" + query));
    REQUIRE(payments.size() == (query == "&environment=live" ? 1 : 2));
    CHECK(payments.back().at("/endToEndId") == sample_end_to_end_id(7).text());
    CHECK(payments.back().at("/outcome") == "unmatched");
  }
  CHECK(json_of(shop.get("payments?format=jsonl", shop.project.test_key)).size() == 1);
  CHECK(json_of(shop.get("payments?format=jsonl&to=2026-09-20")).empty());
}

TEST_CASE("deliveries are exported with their current status") {
  ChannelService fixture;
  const auto channel = fixture.add_one();
  const auto of_live = create_charge(fixture.service, fixture.project.live_key);
  const auto tried = create_charge(fixture.service, fixture.project.test_key);
  const auto first = fixture.deliver(channel, of_live);
  const auto second = fixture.deliver(channel, tried);
  fixture.attempt(first, 200, stores::DeliveryStatus::kDelivered);
  const auto export_with = [&](const std::string& key, const std::string& query = "") {
    return json_of(fixture.service.send("GET", kExports + "deliveries?format=jsonl" + query, key));
  };
  const auto all = export_with(fixture.project.live_key);
  REQUIRE(all.size() == 2);
  CHECK(all[0].at("/deliveryId") == first);
  CHECK(all[0].at("/status") == "delivered");
  CHECK(all[0].at("/transactionId") == of_live);
  CHECK(all[0].at("/attempts") == "1");
  CHECK(all[1].at("/deliveryId") == second);
  const auto of_sandbox = export_with(fixture.project.test_key);
  REQUIRE(of_sandbox.size() == 1);
  CHECK(of_sandbox[0].at("/deliveryId") == second);
  CHECK(export_with(fixture.project.live_key, "&to=2026-09-20").empty());
  CHECK(export_with(fixture.service.create_project().live_key).empty());
}

TEST_CASE("there are no deliveries to export before a worker has made some") {
  const Shop shop;
  const auto lines = csv_of(shop.get("deliveries"));
  REQUIRE(lines.size() == 1);
  CHECK(lines[0].starts_with("deliveryId,channelId,"));
}

TEST_CASE("an export has the requested days, in the requested zone") {
  Shop shop;
  shop.service.clock().advance_millis(kDayMs);
  const auto next = create_charge(shop.service, shop.project.live_key);
  const auto ids = [&](const std::string& query) {
    std::string text;
    for (const auto& row : json_of(shop.get("charges?format=jsonl" + query)))
      text += row.at("/transactionId") + " ";
    return text;
  };
  const auto first_day = shop.live + " " + shop.tried + " ", second_day = next + " ";
  CHECK(ids("") == first_day + second_day);
  CHECK(ids("&to=2026-09-21") == first_day);
  CHECK(ids("&from=2026-09-22") == second_day);
  CHECK(ids("&from=2026-09-21&to=2026-09-22") == first_day + second_day);
  CHECK(ids("&from=2026-09-23&to=2026-09-23") == "");
  // 14:13 UTC is the day after in Kiritimati.
  CHECK(ids("&from=2026-09-22&to=2026-09-22&timezone=Pacific/Kiritimati") == first_day);
}

TEST_CASE("each row of a table is exported once, for any number of rows") {
  TestService service;
  const auto project = service.create_project();
  std::set<std::string> created;
  for (int i = 0; i < 120; ++i) created.insert(create_charge(service, project.test_key));
  std::multiset<std::string> exported;
  for (const auto& row : json_of(service.send("GET", kExports + "charges?format=jsonl", project.live_key)))
    exported.insert(row.at("/transactionId"));
  CHECK(exported == std::multiset<std::string>(created.begin(), created.end()));
}

TEST_CASE("nothing of another project is exported, nor of live to a test key") {
  Shop shop;
  const auto other = shop.service.create_project();
  for (const std::string what : {"charges", "payments", "refunds"}) {
    CHECK(csv_of(shop.get(what, other.live_key)).size() == 1);
    CHECK(csv_of(shop.get(what, shop.project.test_key)).size() == 2);
  }
  CHECK(shop.get("charges", shop.project.test_key).body.find(shop.live) == std::string::npos);
}

TEST_CASE("a viewer's export has personal data masked") {
  Shop shop;
  const auto vera = sign_in(shop.service, shop.project.id, Role::kViewer, "vera");
  for (const std::string what :
       {"charges", "payments", "refunds", "charges?format=jsonl", "refunds?format=jsonl"}) {
    INFO(what);
    const auto answer = send_as(shop.service, vera, "GET", kExports + what);
    CHECK(answer.status == 200);
    CHECK(answer.body.find(shop.tried) != std::string::npos);
    for (const std::string personal : {"Maria", "52998224725", "maria@", "11987654321"})
      CHECK(answer.body.find(personal) == std::string::npos);
  }
  CHECK(send_as(shop.service, vera, "GET", kExports + "charges").body.find("M**** S****") !=
        std::string::npos);
}

TEST_CASE("an invalid export is refused") {
  const Shop shop;
  const std::pair<std::string, std::string> cases[] = {
      {"nothing", "what"},
      {"charges?format=xml", "format"},
      {"charges?from=2026-02-30", "from"},
      {"charges?from=2026-09-22&to=2026-09-21", "from"},
      {"charges?timezone=Mars", "timezone"},
      {"charges?language=fr", "language"},
      {"charges?by=created", "by"},
      {"refunds?by=paid", "by"},
      {"charges?environment=all", "environment"},
      {"charges?status=paid", "status"},
  };
  for (const auto& [what, field] : cases) {
    INFO(what);
    const auto refused = shop.service.send("GET", kExports + what, shop.project.live_key);
    CHECK(outcome_of(refused) == "400 ERR_VALIDATION_001");
    CHECK(refused.at("/details/0/field") == field);
  }
}

TEST_CASE("one scope is not enough to export") {
  Shop shop;
  for (const char* scopes : {"transactions:read", "channels:read"}) {
    const auto key = shop.service.issue_key(shop.project.id, domain::Environment::kLive,
                                            domain::ScopeSet::parse(scopes).value());
    CHECK(outcome_of(shop.service.send("GET", kExports + "charges", key)) == "403 ERR_AUTH_010");
  }
}
