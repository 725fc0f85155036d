#include <array>
#include <atomic>
#include <catch2/catch.hpp>
#include <future>
#include <set>
#include <vector>

#include "http/services/payer_pages.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/checkout_calls.h"

// Payers who act at the same time, too late, or again and again.
namespace pixledger::tests {
namespace {

struct Fixture {
  TestService service{with_pages()};
  TestService::Project project = service.create_project();

  HttpAnswer create(const std::string& more = "", bool is_live = false) const {
    const auto& key = is_live ? project.live_key : project.test_key;
    auto created = service.send("POST", kCheckoutPath, key, checkout_body(more));
    REQUIRE(created.status == 201);
    return created;
  }
  HttpAnswer payer(const std::string& method, const HttpAnswer& session, const std::string& operation = "",
                   const std::string& body = "") const {
    return ask_as_payer(service, method, session, operation, body);
  }
  std::string total(const std::string& query) const {
    return service.send("GET", "/api/v1/transactions?limit=1" + query, project.live_key).at("/meta/total");
  }
  HttpAnswer shown(const HttpAnswer& session) const {
    return service.send("GET", kCheckoutPath + "/" + session.at("/data/id"), project.live_key);
  }
};

// Sends `requests` requests for a new code, eight at a time. Returns the transactions or the error codes.
std::multiset<std::string> ask_for_codes(const Fixture& fixture, const HttpAnswer& session, int requests) {
  std::atomic<int> left = requests;
  std::array<std::future<std::vector<HttpAnswer>>, 8> askers;
  for (auto& asker : askers)
    asker = std::async(std::launch::async, [&] {
      std::vector<HttpAnswer> answers;
      while (left-- > 0) answers.push_back(fixture.payer("POST", session, "/charges"));
      return answers;
    });
  std::multiset<std::string> outcomes;
  for (auto& asker : askers)
    for (const auto& answer : asker.get())
      outcomes.insert(answer.status == 200 ? answer.at("/data/charge/id") : outcome_of(answer));
  return outcomes;
}

}  // namespace

TEST_CASE("a thousand requests for a new code make one at a time, and five in all") {
  Fixture fixture;
  const auto session = fixture.create(R"("customer":)" + kPayer);
  std::set<std::string> charges{session.at("/data/transactionId")};
  constexpr std::size_t kRequests = 200;
  for (std::size_t made = 2; made <= domain::kChargesPerCheckoutMax; ++made) {
    fixture.service.clock().advance_millis(31 * kMinuteMs);
    const auto outcomes = ask_for_codes(fixture, session, kRequests);
    CHECK(outcomes.size() == kRequests);
    CHECK(outcomes.count(*outcomes.begin()) == kRequests);
    CHECK(charges.insert(*outcomes.begin()).second);
    CHECK(fixture.total("") == std::to_string(made));
  }
  fixture.service.clock().advance_millis(31 * kMinuteMs);
  const auto refused = ask_for_codes(fixture, session, kRequests);
  CHECK(refused.count("400 ERR_CHECKOUT_002") == kRequests);
  CHECK(fixture.total("") == "5");
}

TEST_CASE("a session that is cancelled while its form is sent leaves no waiting transaction") {
  const Fixture fixture;
  std::size_t created = 0;
  for (int round = 0; round < 20; ++round) {
    const auto session = fixture.create();
    auto sent =
        std::async(std::launch::async, [&] { return fixture.payer("POST", session, "/customer", kPayer); });
    auto ended = std::async(std::launch::async, [&] {
      const auto path = kCheckoutPath + "/" + session.at("/data/id") + "/cancel";
      return fixture.service.send("POST", path, fixture.project.test_key);
    });
    const auto answer = sent.get();
    const auto cancelled = ended.get();
    INFO(answer.body << cancelled.body);
    CHECK(outcome_of(cancelled) == "200");
    const auto charge = fixture.shown(session).at("/data/transactionId");
    CHECK(outcome_of(answer) == (charge == "null" ? "400 ERR_CHECKOUT_002" : "200"));
    CHECK(fixture.payer("GET", session).at("/data/state") == "cancelled");
    if (charge == "null") continue;
    ++created;
    CHECK(status_of(fixture.service, fixture.project.test_key, charge) == "cancelled");
  }
  CHECK(fixture.total("&status=waiting_payment") == "0");
  CHECK(fixture.total("") == std::to_string(created));
}

TEST_CASE("a code ends with its session, and there is no other afterwards") {
  Fixture fixture;
  const auto session = fixture.create(R"("expiresInMinutes":5,"customer":)" + kPayer);
  const auto waiting = fixture.payer("GET", session);
  CHECK(waiting.at("/data/charge/expiresAt") == session.at("/data/expiresAt"));
  fixture.service.clock().advance_millis(5 * kMinuteMs);
  const auto over = fixture.payer("GET", session);
  CHECK(over.at("/data/state") == "expired");
  CHECK(over.at("/data/canRenew") == "false");
  CHECK(over.at("/data/charge/pixCode") == "null");
  for (const std::string operation : {"/charges", "/customer"})
    CHECK(outcome_of(fixture.payer("POST", session, operation, operation == "/customer" ? kPayer : "")) ==
          "400 ERR_CHECKOUT_002");
  CHECK(fixture.shown(session).at("/data/status") == "expired");
  CHECK(fixture.total("") == "1");
}

TEST_CASE("payments are simulated in the sandbox only") {
  const Fixture fixture;
  const auto live = fixture.create(R"("customer":)" + kPayer, true);
  CHECK(outcome_of(fixture.payer("POST", live, "/simulate-payment")) == "400 ERR_SANDBOX_002");
  CHECK(fixture.payer("GET", live).at("/data/state") == "waiting");
}

TEST_CASE("a session's secret is shown by its creation and by nothing else") {
  TestService service(with_pages());
  const auto project = service.create_project();
  const auto& key = project.test_key;
  const auto created =
      service.send("POST", kCheckoutPath, key,
                   checkout_body(R"("webhookUrl":"http://127.0.0.1:9/hooks","customer":)" + kPayer));
  const auto secret = created.at("/data/webhookSecret");
  REQUIRE(secret.starts_with("whsec_"));
  const auto own = kCheckoutPath + "/" + created.at("/data/id");
  const auto of_payer = kPayersPath + token_of(created);
  for (const auto& path : {own, kCheckoutPath, own + "/deliveries", std::string("/api/v1/events"),
                           "/api/v1/transactions/" + created.at("/data/transactionId")}) {
    INFO(path);
    const auto answer = service.send("GET", path, key);
    CHECK(answer.status == 200);
    CHECK(answer.body.find(secret) == std::string::npos);
  }
  CHECK(service.send("GET", of_payer, kWebKey).body.find(secret) == std::string::npos);
  CHECK(service.send("POST", own + "/cancel", key).body.find(secret) == std::string::npos);
}

TEST_CASE("the number of remembered sessions with refused payers is limited") {
  http::PayerRefusals refusals;
  const auto session = [](std::size_t number) {
    auto digits = std::to_string(number);
    return parsed<domain::CheckoutSessionId>("c" + std::string(24 - digits.size(), '0') + digits);
  };
  for (std::size_t i = 0; i < http::PayerRefusals::kMax; ++i) refusals.note(session(0));
  CHECK(refusals.too_many(session(0)));
  for (std::size_t i = 1; i <= http::PayerRefusals::kSessionsMax; ++i) refusals.note(session(i));
  CHECK_FALSE(refusals.too_many(session(0)));
  CHECK(refusals.sessions_known() == http::PayerRefusals::kSessionsMax);
}

}  // namespace pixledger::tests
