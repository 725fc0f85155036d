#include <catch2/catch.hpp>

#include "base/net/http_url.h"
#include "base/platform/request_windows.h"
#include "web/common/limits.h"
#include "web/common/payer_session.h"
#include "web/site/site_request.h"

namespace pixledger::tests {
namespace {

using web::SitePlace;

http::Headers headers(std::initializer_list<std::pair<std::string_view, std::string_view>> fields) {
  http::Headers made;
  for (const auto& [name, value] : fields) made.add(name, value);
  return made;
}

}  // namespace

TEST_CASE("a name has so many requests in the minute that its first begins") {
  RequestWindows<> windows(2);
  CHECK_FALSE(windows.note("a", 1'000));
  CHECK_FALSE(windows.wait_s("a", 1'000));
  CHECK_FALSE(windows.note("a", 2'000));
  CHECK(windows.wait_s("a", 2'000) == 59);
  CHECK(windows.note("a", 60'999) == 1);
  CHECK_FALSE(windows.note("b", 2'000));
  CHECK_FALSE(windows.wait_s("a", 61'000));
  CHECK_FALSE(windows.note("a", 61'000));
}

TEST_CASE("however many names come, so many are known") {
  RequestWindows<> windows(1);
  for (std::size_t i = 0; i < RequestWindows<>::kNamesMax + 10; ++i) windows.note(std::to_string(i), 0);
  CHECK(windows.names_known() == RequestWindows<>::kNamesMax);
  CHECK_FALSE(windows.wait_s("0", 0));
}

TEST_CASE("a name has so many places at a time, and is forgotten with the last of them") {
  web::ConcurrencyLimiter places(2);
  auto one = places.take("a"), two = places.take("a");
  CHECK(one);
  CHECK(two);
  CHECK_FALSE(places.take("a"));
  CHECK(places.take("b"));
  one.reset();
  CHECK(places.take("a"));
  two.reset();
  CHECK(places.names_known() == 0);
}

TEST_CASE("an address of IPv6 counts with its network") {
  CHECK(web::network_of("2001:db8:1:1::1") == web::network_of("2001:db8:1:1:ffff::2"));
  CHECK(web::network_of("2001:db8:1:1::1") != web::network_of("2001:db8:1:100::1"));
  CHECK(web::network_of("192.0.2.1") == web::network_of("::ffff:192.0.2.1"));
  CHECK(web::network_of("192.0.2.1") != web::network_of("192.0.2.2"));
}

TEST_CASE("a token is an id, a dot and a code") {
  const auto token = [](char id, char code) { return std::string(25, id).append(".").append(22, code); };
  const std::string good = token('c', '-');
  CHECK(web::is_page_token(good));
  CHECK_FALSE(web::is_page_token(good + "A"));
  CHECK_FALSE(web::is_page_token(good.substr(1)));
  CHECK_FALSE(web::is_page_token(token('c', '%')));
  CHECK_FALSE(web::is_page_token(token('/', 'A')));
}

TEST_CASE("addresses lead to their places, with the patterns that logs may have") {
  const auto logo = web::site_route("/pay/T.x/logo/abc");
  CHECK(logo.place == SitePlace::kLogo);
  CHECK(logo.token == "T.x");
  CHECK(logo.rest == "abc");
  CHECK(logo.pattern == "/pay/:token/logo/:digest");
  CHECK(logo.depth == 2);
  CHECK(web::site_route("/pay/T").place == SitePlace::kPage);
  CHECK(web::site_route("/pay/T/").place == SitePlace::kPage);
  CHECK(web::site_route("/pay/T/").depth == 1);
  CHECK(web::site_route("/pay/T/charges").is_post);
  CHECK(web::site_route("/pay/button.js").place == SitePlace::kButton);
  for (const auto* nowhere : {"/", "/pay", "/pay/T//", "/pay/T/x", "/payT", "/pay/T/live/x"})
    CHECK(web::site_route(nowhere).place == SitePlace::kNowhere);
}

TEST_CASE("a post is of this site where the browser says so, and where it is no browser's") {
  const std::string_view origin = "https://pay.example.com";
  CHECK(web::is_of_this_site(headers({{"Sec-Fetch-Site", "same-origin"}, {"Origin", "null"}}), origin));
  CHECK_FALSE(web::is_of_this_site(headers({{"Sec-Fetch-Site", "same-site"}, {"Origin", origin}}), origin));
  CHECK_FALSE(web::is_of_this_site(headers({{"Sec-Fetch-Site", "none"}}), origin));
  CHECK(web::is_of_this_site(headers({{"Origin", origin}, {"Host", "inside:1"}}), origin));
  CHECK(web::is_of_this_site(headers({{"Origin", "http://127.0.0.1:8081"}, {"Host", "127.0.0.1:8081"}}),
                             origin));
  CHECK_FALSE(web::is_of_this_site(headers({{"Origin", "https://evil.example"}, {"Host", "pay.example.com"}}),
                                   origin));
  CHECK_FALSE(web::is_of_this_site(headers({{"Origin", "null"}, {"Host", "null"}}), origin));
  CHECK(web::is_of_this_site(headers({{"Host", "pay.example.com"}}), origin));
}

TEST_CASE("values of forms are decoded, and invalid UTF-8 is rejected") {
  CHECK(web::form_value("a=1&b=x+y%26&c", "b") == "x y&");
  CHECK(web::form_value("a=1&c", "c") == "");
  CHECK_FALSE(web::form_value("ab=1", "a"));
  CHECK_FALSE(web::form_value("a=%ff", "a"));
  CHECK_FALSE(web::form_value("a=%4", "a"));
}

TEST_CASE("documents and telephones go to the API bare, as it takes them") {
  const auto entry = web::read_entry(
      "name=+Ana+&document=12.abc.345%2F01de-35&email=a%40example.com&phone=%2B55+%2811%29+98765-4321");
  CHECK(web::customer_json(entry, "192.0.2.1") ==
        R"({"name":"Ana","document":"12ABC34501DE35","email":"a@example.com","phone":"5511987654321",)"
        R"("customerIp":"192.0.2.1"})");
  const auto pasted = web::read_entry(
      "document=529.982.247%E2%80%9125%E2%80%AC&phone=%E2%80%AA0055%C2%A011%E2%80%AF98765%E2%80%934321");
  CHECK(web::customer_json(pasted, "192.0.2.1") ==
        R"({"name":"","document":"52998224725","email":"","phone":"5511987654321",)"
        R"("customerIp":"192.0.2.1"})");
  CHECK(web::wrong_fields({"", {"customer.phone", "document", "else"}}) ==
        std::vector<std::string>{"document", "phone"});
}

TEST_CASE("the language is the one that weighs more, Portuguese where neither does") {
  const auto language = [](std::string_view accepted) {
    return web::preferred_language(headers({{"Accept-Language", accepted}}));
  };
  CHECK(language("de, en;q=0.5, pt;q=0.6") == web::Language::kPortuguese);
  CHECK(language("EN-us;q=0.7, pt-BR;q=0.6") == web::Language::kEnglish);
  CHECK(language("en;q=0") == web::Language::kPortuguese);
  CHECK(language("") == web::Language::kPortuguese);
}

TEST_CASE("URLs of services have a scheme, a host and no more than a path") {
  const auto url = HttpUrl::parse("HTTPS://Pay.Example.com/pix/");
  REQUIRE(url);
  CHECK(url->origin() == "https://pay.example.com");
  CHECK(url->port == 443);
  CHECK(url->path == "/pix");
  CHECK(HttpUrl::parse("http://[::1]:8080")->authority() == "[::1]:8080");
  CHECK(HttpUrl::parse("http://[::1]")->origin() == "http://[::1]");
  for (const auto* bad : {"", "pay.example.com", "ftp://a", "https://", "https://u:p@a", "https://a:0",
                          "https://a:x", "https://a?b", "https://a/#b", "https://a b", "https://a/\xc3\xa9"})
    CHECK_FALSE(HttpUrl::parse(bad));
}

}  // namespace pixledger::tests
