#include <catch2/catch.hpp>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <unistd.h>
#include <vector>

#include "eventstore/keys/tokens.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/checkout_calls.h"
#include "tests/support/temporary_directory.h"

// Data of payers and stores is leaked neither by answers to payers nor by the log.
namespace pixledger::tests {
namespace {

const std::string kPlanted =
    R"({"name":"Plantada Silva","document":"52998224725","email":"plantada@example.com","phone":"11987654321"})";

// Captures this process's standard error, to which a server logs.
class CapturedLog {
 public:
  CapturedLog() {
    const auto file = ::open(path_.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    REQUIRE(file >= 0);
    ::dup2(file, STDERR_FILENO);
    ::close(file);
  }
  ~CapturedLog() {
    ::dup2(before_, STDERR_FILENO);
    ::close(before_);
  }
  CapturedLog(const CapturedLog&) = delete;
  CapturedLog& operator=(const CapturedLog&) = delete;

  std::string text() const {
    std::ifstream file(path_);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

 private:
  TemporaryDirectory directory_;
  std::string path_ = (directory_.path() / "log").string();
  int before_ = ::fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 0);
};

// All answers that the server gives to pixledger-web for a session.
std::string asked_for(const TestService& service, const std::string& token) {
  std::string answers;
  const auto ask = [&](const std::string& method, const std::string& operation,
                       const std::string& body = "") {
    const auto answer = service.send(method, kPayersPath + token + operation, kWebKey, body);
    for (const auto& [name, value] : answer.headers) answers += name + ": " + value + "\n";
    answers += answer.body + "\n";
  };
  ask("GET", "");
  ask("POST", "/customer",
      R"({"name":"Plantada Silva","document":"529982247250","email":"plantada@","phone":"x11987654321"})");
  ask("POST", "/customer", kPlanted.substr(0, kPlanted.size() - 1));
  ask("POST", "/customer", kPlanted);
  ask("POST", "/customer", kPlanted);
  ask("GET", "");
  ask("POST", "/charges", R"({"customerIp":"plantada@example.com"})");
  ask("POST", "/simulate-payment");
  ask("POST", "/charges");
  ask("GET", "");
  ask("GET", "/proof");
  ask("GET", "/logo");
  ask("GET", "/plantada@example.com");
  return answers;
}

}  // namespace

TEST_CASE("a payer's data and a store's secrets are in no answer to payers and in no line of the log") {
  const CapturedLog log;
  std::string answers, token;
  std::vector<std::string> planted{"Plantada", "52998224725", "plantada@", "11987654321", kWebKey};
  {
    auto options = with_pages();
    options.front.logged_requests = http::LoggedRequests::kAll;
    TestService service(options);
    const auto project = service.create_project();
    domain::StoreSettingsChange change;
    change.payer_proofs = true;
    service.execute(domain::ChangeStoreSettings{project.id, change});
    const auto session = service.send("POST", kCheckoutPath, project.test_key,
                                      checkout_body(R"("webhookUrl":"http://127.0.0.1:9/plantada-hook")"));
    REQUIRE(session.status == 201);
    token = token_of(session);
    for (const auto& secret : {project.live_key, project.test_key, session.at("/data/webhookSecret"),
                               std::string("plantada-hook")})
      planted.push_back(secret);
    answers = asked_for(service, token);
    // For a named payer, who is then blocked: each answer is an error or a view.
    const auto named =
        service.send("POST", kCheckoutPath, project.test_key, checkout_body(R"("customer":)" + kPlanted));
    REQUIRE(named.status == 201);
    service.send("POST", "/api/v1/blocklist", project.test_key,
                 R"({"type":"document","value":"52998224725","reason":"fraud"})");
    answers +=
        asked_for(service, token_of(service.send("POST", kCheckoutPath, project.test_key, checkout_body())));
    answers += asked_for(service, token_of(named));
  }
  CHECK(answers.find(R"("state":"paid")") != std::string::npos);
  CHECK(answers.find("ERR_FRAUD_001") != std::string::npos);
  const auto logged = log.text();
  CHECK(logged.find("/api/v1/payer/sessions/:token/customer") != std::string::npos);
  for (const auto& secret : planted) {
    INFO(secret);
    CHECK(answers.find(secret) == std::string::npos);
    CHECK(logged.find(secret) == std::string::npos);
  }
  CHECK(logged.find(token.substr(token.find('.') + 1)) == std::string::npos);
}

namespace {

// Checks that each guess gets the answer for a missing session, to the byte.
void check_guesses(int guesses) {
  auto options = with_pages();
  options.front.logged_requests = http::LoggedRequests::kNone;
  TestService service(options);
  const auto project = service.create_project();
  const auto id = service.send("POST", kCheckoutPath, project.test_key, checkout_body()).at("/data/id");
  const auto another = service.send("POST", kCheckoutPath, project.test_key, checkout_body()).at("/data/id");
  const auto token = eventstore::checkout_token(service.keyring(), parsed<domain::CheckoutSessionId>(id));
  const auto code = token.substr(id.size() + 1);
  const auto ask = [&](const std::string& text) {
    auto answer = service.send("GET", kPayersPath + text, kWebKey, "", {{"X-Request-Id", "same"}});
    return std::to_string(answer.status) + answer.body;
  };
  REQUIRE(ask(token).starts_with("200"));
  const auto none = ask("cmwq34r920001m67gf6bqqw7w." + code);
  REQUIRE(none.starts_with("404"));
  std::mt19937_64 random(11);
  constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::uniform_int_distribution<std::size_t> letter(0, kLetters.size() - 1);
  int found = 0;
  for (int i = 0; i < guesses; ++i) {
    auto guess = code;
    switch (i % 4) {
      case 0:  // another code
        for (auto& each : guess) each = kLetters[letter(random)];
        break;
      case 1:  // cut short
        guess.resize(letter(random) % code.size());
        break;
      case 2:  // a letter of it in another way
        guess[letter(random) % code.size()] = '~';
        break;
      default:  // longer
        guess += kLetters[letter(random)];
    }
    found += ask(id + "." + guess) != none;
    // Another session's token.
    if (i % 100 == 0) found += ask(another + "." + code) != none;
  }
  CHECK(found == 0);
}

}  // namespace

TEST_CASE("guesses at a session are all answered alike") { check_guesses(2'000); }

TEST_CASE("100,000 guesses at a session are all answered alike", "[.long]") { check_guesses(100'000); }

}  // namespace pixledger::tests
