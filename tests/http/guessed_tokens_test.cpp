#include <catch2/catch.hpp>
#include <random>
#include <string>
#include <vector>

#include "eventstore/keys/tokens.h"
#include "http/services/payer_pages.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/servers/api_calls.h"
#include "tests/support/servers/checkout_calls.h"

// Without its link a session is not found, by any number of guesses in any spelling.
namespace pixledger::tests {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

struct Fixture {
  TestService service{with_pages()};
  TestService::Project project = service.create_project();

  std::string create_session() const {
    const auto created = service.send("POST", kCheckoutPath, project.test_key, checkout_body());
    return created.at("/data/id");
  }
  std::string token_of(const std::string& session) const {
    return eventstore::checkout_token(service.keyring(), parsed<domain::CheckoutSessionId>(session));
  }
};

}  // namespace

TEST_CASE("a hundred thousand guesses at a session's token find nothing, its nearest neighbours included") {
  const Fixture fixture;
  const auto session = fixture.create_session();
  const auto token = fixture.token_of(session);
  const auto start = token.find('.') + 1;
  const http::CheckoutLinks links(fixture.service.keyring(), "https://pay.example.com", std::nullopt);
  REQUIRE(links.session_of(token));
  std::size_t found = 0;
  const auto guess = [&](const std::string& text) {
    if (text != token && links.session_of(text)) ++found;
  };
  for (std::size_t i = start; i < token.size(); ++i)
    for (const char letter : kAlphabet) {
      auto neighbour = token;
      neighbour[i] = letter;
      guess(neighbour);
    }
  for (std::size_t size = 0; size < token.size(); ++size) guess(token.substr(0, size));
  guess(session + fixture.token_of(fixture.create_session()).substr(start - 1));
  std::mt19937_64 random(7);
  std::uniform_int_distribution<std::size_t> letter(0, kAlphabet.size() - 1);
  for (int i = 0; i < 100'000; ++i) {
    auto text = token;
    for (std::size_t at = start; at < text.size(); ++at) text[at] = kAlphabet[letter(random)];
    guess(text);
  }
  CHECK(found == 0);
}

TEST_CASE("a token in another spelling, or with additions, opens nothing") {
  const Fixture fixture;
  const auto session = fixture.create_session();
  const auto token = fixture.token_of(session);
  const auto code = token.substr(token.find('.') + 1);
  auto shouted = token;
  shouted[0] = 'C';
  const auto ask = [&](const std::string& text, const std::string& operation) {
    return fixture.service.send(operation.empty() ? "GET" : "POST",
                                "/api/v1/payer/sessions/" + text + operation, kWebKey);
  };
  REQUIRE(ask(token, "").status == 200);
  const std::vector<std::string> written{session,
                                         session + ".",
                                         code,
                                         code + "." + session,
                                         token + "==",
                                         token + "%3D%3D",
                                         token + ".",
                                         token + token,
                                         token + "%00",
                                         token + "%0d%0a",
                                         token + "%20",
                                         "%20" + token,
                                         token + "%2e" + code,
                                         token + "%C3%A9",
                                         token + "%",
                                         token + "%zz",
                                         "..",
                                         "%2e%2e",
                                         "%2F" + token,
                                         token + "%2F..",
                                         shouted,
                                         session + "%252E" + code,
                                         std::string(4'000, 'c'),
                                         std::string(4'000, '.'),
                                         session + "." + session};
  for (const auto& wrong : written)
    for (const std::string operation : {"", "/charges", "/simulate-payment"}) {
      INFO(wrong.substr(0, 80) << operation);
      const auto answer = ask(wrong, operation);
      CHECK(answer.status >= 400);
      CHECK(answer.status < 500);
      CHECK(answer.body.find(code) == std::string::npos);
    }
}

}  // namespace pixledger::tests
