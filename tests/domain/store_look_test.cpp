#include <catch2/catch.hpp>
#include <string>

#include "base/values/webhook_url.h"
#include "domain/aggregates/project.h"

using namespace pixledger;
using namespace pixledger::domain;

TEST_CASE("a logo is a PNG or WebP image by its own first bytes, and not larger than 24 KiB") {
  const std::string png = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAA";
  REQUIRE(StoreLogo::parse(png));
  CHECK(StoreLogo::parse(png)->type() == "image/png");
  CHECK(StoreLogo::parse(png)->image().substr(0, 4) == "\x89PNG");
  CHECK(StoreLogo::parse("data:image/webp;base64,UklGRhgAAABXRUJQVlA4IAwA"));
  CHECK(StoreLogo::parse(png + std::string(32'768 - 24, 'A')));
  for (const auto& bad :
       {std::string(), std::string("https://shop.example.com/logo.png"), png.substr(5), png + "A",
        "data:image/webp" + png.substr(14), "data:image/svg+xml;base64,PHN2Zz4=" + std::string(),
        std::string("data:image/gif;base64,R0lGODlhAQABAAAAACw="), png + std::string(32'768 - 20, 'A'),
        "data:image/png;base64,iVBORw0KGgo!AAANSUhEUgAA" + std::string()}) {
    INFO(bad.substr(0, 60));
    CHECK_FALSE(StoreLogo::parse(bad));
  }
}

TEST_CASE("a colour has six hex digits") {
  CHECK(StoreColor::parse("#0a7F3c"));
  for (const auto* bad : {"", "#fff", "0a7f3c", "#0a7f3g", "#0a7f3c "}) CHECK_FALSE(StoreColor::parse(bad));
}

TEST_CASE("a page may be embedded by at most ten different origins, as browsers write them") {
  CHECK(EmbedOrigins::parse("https://shop.example.com http://localhost:3000 https://a.example:8443"));
  CHECK(EmbedOrigins::parse("http://localhost")->list().size() == 1);
  for (const auto* bad :
       {"", "https://shop.example.com/", "http://shop.example.com", "https://Shop.example.com",
        "https://shop.example.com:443", "https://a.example https://a.example", "https://*.example.com",
        "https://a.example  https://b.example", "https://u@a.example", "null"}) {
    INFO(bad);
    CHECK_FALSE(EmbedOrigins::parse(bad));
  }
  std::string eleven;
  for (int i = 0; i < 11; ++i) eleven += (i ? " https://s" : "https://s") + std::to_string(i) + ".example";
  CHECK_FALSE(EmbedOrigins::parse(eleven));
}

TEST_CASE("a redirect goes to http or https, without credentials or a fragment") {
  CHECK(PageUrl::parse("https://loja.example.com/ok?a=1")->is_https());
  CHECK_FALSE(PageUrl::parse("http://localhost:3000/ok")->is_https());
  for (const auto* bad : {"", "javascript:alert(1)", "//loja.example.com", "https://u:p@loja.example.com/",
                          "https://loja.example.com/#x", "https://loja.example.com/ x"})
    CHECK_FALSE(PageUrl::parse(bad));
}

TEST_CASE("a time zone's name cannot leave its directory") {
  CHECK(TimeZoneName::parse("America/Sao_Paulo"));
  for (const auto* bad : {"", "/etc/passwd", "../zone", "America/S\xc3\xa3o_Paulo", "a b"})
    CHECK_FALSE(TimeZoneName::parse(bad));
}
