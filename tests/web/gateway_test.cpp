#include <catch2/catch.hpp>

#include "web/gateway/gateway_rules.h"
#include "web/gateway/sign_in.h"
#include "web/upstream/api_relay.h"

namespace pixledger::tests {
namespace {

using http::Method;
using web::GatewayPlace;
using web::SignInStep;
using Fields = std::initializer_list<std::pair<std::string_view, std::string_view>>;

const std::string kToken = "us_" + std::string(43, 'a');

http::Headers headers(Fields fields) {
  http::Headers made;
  for (const auto& [name, value] : fields) made.add(name, value);
  return made;
}

http::Request request(Method method, std::string path, Fields fields = {}) {
  http::Request made;
  made.method = method;
  made.path = std::move(path);
  made.headers = headers(fields);
  made.request_id = "req_1";
  made.caller_address = "192.0.2.1";
  return made;
}

web::BrowserOrigin origin_at(std::string_view url) { return web::BrowserOrigin(HttpUrl::parse(url).value()); }

int refusal_of(const http::Request& asked) {
  const auto refusal = web::refusal_to_pass(asked);
  return refusal ? refusal->status : 0;
}

}  // namespace

TEST_CASE("addresses of the dashboard are documents, files, or the API's") {
  const auto place = [](std::string_view path) { return web::gateway_route(path).place; };
  CHECK(place("/") == GatewayPlace::kDocument);
  CHECK(place("/cobrancas/nova") == GatewayPlace::kDocument);
  CHECK(place("/apiary") == GatewayPlace::kDocument);
  CHECK(place("/docs") == GatewayPlace::kDocument);
  CHECK(place("/docs/guide") == GatewayPlace::kGuide);
  CHECK(place("/docs/guide/pt/refunds") == GatewayPlace::kGuide);
  CHECK(place("/docs/guides") == GatewayPlace::kDocument);
  CHECK(place("/docs/guide/../x") == GatewayPlace::kNowhere);
  CHECK(place("/assets/x.js") == GatewayPlace::kAsset);
  CHECK(place("/api") == GatewayPlace::kApi);
  CHECK(place("/api/v1/me/passkeys") == GatewayPlace::kApi);
  CHECK(place("/openapi.json") == GatewayPlace::kApi);
  CHECK(place("/readyz") == GatewayPlace::kReady);
  CHECK(place("//api/v1/members") == GatewayPlace::kNowhere);
  CHECK(place("/a/../api/v1/members") == GatewayPlace::kNowhere);
  CHECK(place("/pay/x") == GatewayPlace::kDocument);  // of payers' pages there is nothing here
}

TEST_CASE("a path that two readers could understand differently is rejected") {
  for (const auto* good : {"/", "/api/", "/api/v1/store/", "/api/v1/customers/a%40b.c", "/a/x%20y",
                           "/a/%C3%A9", "/a/...", "/a/b;c=1"})
    CHECK(web::is_plain_path(good));
  for (const auto* bad : {"",
                          "api",
                          "//api",
                          "/api//v1",
                          "/api/../x",
                          "/api/./x",
                          "/api/..",
                          "/api/%2e%2e/x",
                          "/api/%2E/x",
                          "/api/v1%2fpayer",
                          "/api/v1/%70ayer/changes",
                          "/api\\v1",
                          "/api/%5Cv1",
                          "/api/%00",
                          "/api/%0d%0aX: y",
                          "/api/%",
                          "/api/%4",
                          "/api/%zz",
                          "/api/%252e",
                          "/api/\x80",
                          "/api/a b",
                          "/api/<x>",
                          "/api/a#b"})
    CHECK_FALSE(web::is_plain_path(bad));
}

TEST_CASE("what begins, confirms and ends a sign-in is known by method and path") {
  CHECK(web::sign_in_step(Method::kPost, "/api/v1/sign-ins") == SignInStep::kBegins);
  CHECK(web::sign_in_step(Method::kPost, "/api/v1/sign-ins/") == SignInStep::kBegins);
  CHECK(web::sign_in_step(Method::kGet, "/api/v1/sign-ins") == SignInStep::kOther);
  CHECK(web::sign_in_step(Method::kPost, "/api/v1/sign-ins/current/confirm") == SignInStep::kConfirms);
  CHECK(web::sign_in_step(Method::kDelete, "/api/v1/sign-ins/current") == SignInStep::kEnds);
  CHECK(web::sign_in_step(Method::kDelete, "/api/v1/sign-ins/abc") == SignInStep::kOther);
  CHECK(web::sign_in_step(Method::kPost, "/api/v1/sign-insane") == SignInStep::kNone);
}

TEST_CASE("a request comes from a page of the dashboard where its browser says so, by its own name") {
  const auto origin = origin_at("https://painel.example.com");
  CHECK(origin.has_sent(headers({{"Host", "painel.example.com"}, {"Sec-Fetch-Site", "same-origin"}})));
  CHECK(origin.has_sent(headers({{"Host", "Painel.Example.com"}, {"Origin", "https://painel.example.com"}})));
  const Fields bad[] = {
      {{"Host", "painel.example.com"}},
      {{"Sec-Fetch-Site", "same-origin"}},
      {{"Host", "painel.example.com"}, {"Sec-Fetch-Site", "same-site"}},
      {{"Host", "painel.example.com"},
       {"Sec-Fetch-Site", "cross-site"},
       {"Origin", "https://painel.example.com"}},
      {{"Host", "painel.example.com"}, {"Sec-Fetch-Site", "none"}},
      {{"Host", "painel.example.com"}, {"Sec-Fetch-Site", "same-origin"}, {"Origin", "https://evil.example"}},
      {{"Host", "painel.example.com"}, {"Sec-Fetch-Site", "same-origin"}, {"Sec-Fetch-Site", "cross-site"}},
      {{"Host", "painel.example.com"},
       {"Origin", "https://painel.example.com"},
       {"Origin", "https://painel.example.com"}},
      {{"Host", "painel.example.com"}, {"Origin", "null"}},
      {{"Host", "painel.example.com"}, {"Origin", "http://painel.example.com"}},
      {{"Host", "painel.example.com"}, {"Origin", "https://painel.example.com.evil.example"}},
      // Another owner's name that resolves to this server.
      {{"Host", "evil.example"}, {"Sec-Fetch-Site", "same-origin"}},
  };
  for (const auto& fields : bad) CHECK_FALSE(origin.has_sent(headers(fields)));
  const auto local = origin_at("http://localhost:8090");
  CHECK(local.has_sent(headers({{"Host", "localhost:8090"}, {"Sec-Fetch-Site", "same-origin"}})));
  CHECK(local.is_named_by_address(headers({{"Host", "127.0.0.1:8090"}})));
  CHECK_FALSE(local.is_named_by_address(headers({{"Host", "127.0.0.1:8091"}})));
  CHECK_FALSE(origin.is_named_by_address(headers({{"Host", "127.0.0.1"}})));
}

TEST_CASE("the cookie is one of this host alone, and one of several is nobody's") {
  const web::SignInCookie secure(true), local(false);
  CHECK(secure.with(kToken) == "__Host-pixledger=" + kToken + "; Path=/; HttpOnly; SameSite=Strict; Secure");
  CHECK(local.with(kToken) == "pixledger=" + kToken + "; Path=/; HttpOnly; SameSite=Strict");
  CHECK(secure.cleared() == "__Host-pixledger=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0; Secure");
  const auto mine = "pixledger=" + kToken;
  CHECK(local.token_in(headers({{"Cookie", "a=b; " + mine + ";c=d"}})) == kToken);
  CHECK_FALSE(local.token_in(headers({})));
  CHECK_FALSE(local.token_in(headers({{"Cookie", mine + "; " + mine}})));
  CHECK_FALSE(local.token_in(headers({{"Cookie", mine}, {"Cookie", "a=b"}})));
  CHECK_FALSE(local.token_in(headers({{"Cookie", mine + "x"}})));
  CHECK_FALSE(local.token_in(headers({{"Cookie", "pixledger=sk_live_1"}})));
  CHECK_FALSE(local.token_in(headers({{"Cookie", "__Host-" + mine}})));
  CHECK_FALSE(secure.token_in(headers({{"Cookie", mine}})));
  CHECK(secure.token_in(headers({{"Cookie", "__Host-" + mine}})) == kToken);
}

TEST_CASE("a device's cookie outlives the sign-in, and has nothing but marks") {
  const web::SignInCookie secure(true), local(false);
  CHECK(secure.with_device("a-_.B") ==
        "__Host-pixledger-device=a-_.B; Path=/; HttpOnly; SameSite=Strict; Max-Age=34560000; Secure");
  const auto both = "pixledger=" + kToken + "; pixledger-device=a.b";
  CHECK(local.device_in(headers({{"Cookie", both}})) == "a.b");
  CHECK(local.token_in(headers({{"Cookie", both}})) == kToken);
  CHECK(local.device_in(headers({{"Cookie", "pixledger-device=a b"}})).empty());
  CHECK(local.device_in(headers({{"Cookie", "pixledger-device=" + std::string(1025, 'a')}})).empty());
  CHECK(secure.device_in(headers({{"Cookie", both}})).empty());
}

TEST_CASE("a sign-in's token is taken out of its answer, and the rest stays") {
  const auto taken =
      web::take_token(R"({"success":true,"data":{"token":")" + kToken +
                      R"(","user":{"email":"a\"<b>@c.d","n":[1,null,true]},"mustSetCredential":false}})");
  REQUIRE(taken);
  CHECK(taken->token == kToken);
  CHECK(
      taken->body ==
      R"({"success":true,"data":{"user":{"email":"a\"<b>@c.d","n":[1,null,true]},"mustSetCredential":false}})");
  const auto none = web::take_token(R"({"success":true,"data":[{"id":"x"}]})");
  REQUIRE(none);
  CHECK_FALSE(none->token);
  CHECK(none->body == R"({"success":true,"data":[{"id":"x"}]})");
  CHECK_FALSE(web::take_token("no JSON"));
  CHECK_FALSE(web::take_token(R"({"data":{"token":"short"}})"));
  CHECK_FALSE(web::take_token(R"({"data":{"token":7}})"));
  CHECK_FALSE(web::take_token(R"({"data":{"token":")" + kToken + R"(","again":")" + kToken + R"("}})"));
  CHECK_FALSE(web::take_token(R"({"data":{"token":")" + kToken + R"(","token":")" + kToken + R"("}})"));
}

TEST_CASE("of a request the API is told what is named, and nothing else") {
  auto asked = request(Method::kPost, "/api/v1/transactions",
                       {{"Accept", "application/json"},
                        {"Pixledger-Project", "p"},
                        {"Pixledger-Web-Key", "wk_forged"},
                        {"Pixledger-Caller-Address", "10.0.0.1"},
                        {"X-Forwarded-For", "10.0.0.1"},
                        {"Cookie", "pixledger=" + kToken},
                        {"Referer", "https://painel.example.com/"},
                        {"Accept-Encoding", "gzip"},
                        {"Idempotency-Key", "k"}});
  CHECK(web::passed_headers(asked, kToken, "") ==
        "Accept: application/json\r\nIdempotency-Key: k\r\nPixledger-Project: p\r\nX-Request-Id: req_1\r\n"
        "Pixledger-Caller-Address: 192.0.2.1\r\nAuthorization: Bearer " +
            kToken + "\r\n");
  CHECK(web::passed_headers(asked, "", "mark.mark").find("Pixledger-Device: mark.mark\r\n") !=
        std::string::npos);
  asked.path = "/openapi.json";
  CHECK(web::passed_headers(asked, "", "").find("Accept-Encoding: gzip\r\n") != std::string::npos);
  CHECK(web::passed_headers(asked, "", "").find("Authorization") == std::string::npos);
}

TEST_CASE("what is no plain call with JSON is not passed on") {
  const auto json =
      std::pair<std::string_view, std::string_view>{"Content-Type", "application/json; charset=utf-8"};
  CHECK(refusal_of(request(Method::kGet, "/api/v1/transactions")) == 0);
  CHECK(refusal_of(request(Method::kPost, "/api/v1/transactions", {json, {"Content-Length", "2"}})) == 0);
  CHECK(refusal_of(request(Method::kPost, "/api/v1/transactions/x/cancel", {{"Content-Length", "0"}})) == 0);
  CHECK(refusal_of(request(Method::kPost, "/api/v1/x", {{"Content-Length", "2"}})) == 415);
  const auto file = std::pair<std::string_view, std::string_view>{"Content-Type", "application/octet-stream"};
  CHECK(refusal_of(request(Method::kPost, "/api/v1/reconciliations", {file, {"Content-Length", "2"}})) == 0);
  CHECK(refusal_of(request(Method::kPost, "/api/v1/x", {file, {"Content-Length", "2"}})) == 415);
  CHECK(refusal_of(request(Method::kPost, "/api/v1/x",
                           {{"Transfer-Encoding", "chunked"}, {"Content-Type", "text/plain"}})) == 415);
  CHECK(refusal_of(request(Method::kPost, "/api/v1/x", {json, json, {"Content-Length", "2"}})) == 415);
  CHECK(refusal_of(request(Method::kGet, "/api/v1/x", {json, {"Content-Length", "2"}})) == 400);
  CHECK(refusal_of(request(Method::kGet, "/api/v1/x", {{"Authorization", "Bearer sk_live_1"}})) == 400);
  CHECK(refusal_of(request(Method::kGet, "/api/v1/x",
                           {{"Pixledger-Project", "a"}, {"Pixledger-Project", "b"}})) == 400);
  CHECK(refusal_of(request(Method::kGet, "/api/v1/x", {{"Prefer", "\xC3\xA9"}})) == 400);
  CHECK(refusal_of(request(Method::kOptions, "/api/v1/x")) == 405);
  CHECK(refusal_of(request(Method::kHead, "/api/v1/x")) == 405);
  CHECK(refusal_of(request(Method::kGet, "/api/v1/payer/changes")) == 404);
  CHECK(refusal_of(request(Method::kGet, "/api/v1/x/../payer/changes")) == 400);
  auto query = request(Method::kGet, "/api/v1/search");
  query.query = "q=%20a&b=%5B";
  CHECK(refusal_of(query) == 0);
  query.query = "q=\xC3\xA9";
  CHECK(refusal_of(query) == 400);
}

TEST_CASE("an answer is of a known type, and of its headers those that are named pass") {
  const auto reply = web::passed_reply(
      {.status = 201, .content_type = "Application/JSON", .body = "{}", .headers = {{"Retry-After", "3"}}});
  CHECK(reply.status == 201);
  CHECK(reply.content_type == "application/json");
  CHECK(std::any_of(reply.headers.begin(), reply.headers.end(),
                    [](const auto& header) { return header.name == "Retry-After" && header.value == "3"; }));
  CHECK(web::passed_reply({.status = 200, .content_type = "text/html", .body = "<p>"}).content_type ==
        "application/octet-stream");
  for (const std::string_view name : {"Set-Cookie", "Access-Control-Allow-Origin", "Location"}) {
    const auto wanted = web::wanted_headers();
    CHECK(std::find(wanted.begin(), wanted.end(), name) == wanted.end());
  }
}

TEST_CASE("a body is never much more than what its reader has room for, and asks for more once there is") {
  int asked = 0, gone = 0, woken = 0;
  {
    web::RelayedBody body([&] { ++asked; }, [&] { ++gone; });
    body.begin([&] { ++woken; });
    std::string bytes(web::RelayedBody::kUnreadBytesMax, 'x');
    REQUIRE(body.add(bytes));
    CHECK(bytes.empty());
    CHECK(woken == 1);
    bytes = "more";
    CHECK_FALSE(body.add(bytes));
    CHECK(bytes == "more");
    CHECK(asked == 0);
    std::string read;
    CHECK(body.append_to(read, 1'000) == http::BodySource::Then::kMore);
    CHECK(read.size() == 1'000);
    CHECK(asked == 1);
    REQUIRE(body.add(bytes));
    CHECK(body.append_to(read, 1'000'000) == http::BodySource::Then::kLater);
    CHECK(read.ends_with("xmore"));
    body.end();
    CHECK(body.append_to(read, 1) == http::BodySource::Then::kEnd);
    CHECK(gone == 0);
  }
  CHECK(gone == 1);
  web::RelayedBody cut([] {}, [] {});
  std::string bytes = "half", read;
  REQUIRE(cut.add(bytes));
  cut.cut();
  CHECK(cut.append_to(read, 10) == http::BodySource::Then::kCut);
  CHECK(read.empty());
}

}  // namespace pixledger::tests
