#include <array>
#include <catch2/catch.hpp>

#include "base/http/json/error_reply.h"
#include "base/http/message/request.h"

using namespace pixledger;
using namespace pixledger::http;

TEST_CASE("the nearest known name is the one that was probably meant") {
  constexpr std::array<std::string_view, 8> kKnown = {"amountCents", "reason",   "externalId", "dateFrom",
                                                      "dateTo",      "pixKeyId", "q",          "page"};
  struct Row {
    std::string_view sent;
    std::string_view meant;
  };
  const Row rows[] = {
      {"AmountCents", "amountCents"},  // case
      {"amount_cents", "amountCents"},
      {"external-id", "externalId"},  // style
      {"amountCent", "amountCents"},
      {"amuontCents", "amountCents"},
      {"reasons", "reason"},
      {"raeson", "reason"},
      {"resno", "reason"},
      {"pgae", "page"},
      {"amount", "amountCents"},
      {"pageNumber", "page"},  // the beginning, or more
      {"dateFr", "dateFrom"},
      {"dateT", "dateTo"},
      {"value", ""},
      {"x", ""},
      {"", ""},
      {"pag3s", "page"},
      {"ag", ""},
      {std::string_view("\0", 1), ""},
  };
  for (const auto& row : rows) {
    INFO(row.sent);
    CHECK(nearest_name(row.sent, kKnown) == row.meant);
  }
  CHECK(nearest_name(std::string(100'000, 'a'), kKnown).empty());
}

TEST_CASE("a name in brackets is the caller's own") {
  constexpr std::array<std::string_view, 3> kKnown = {"metadata[key]", "status", "search"};
  CHECK(nearest_name("metdata[pedido]", kKnown) == "metadata[key]");
  CHECK(nearest_name("metadata", kKnown) == "metadata[key]");
  CHECK(nearest_name("state[]", kKnown) == "status");
  CHECK(nearest_name("[metadata]", kKnown).empty());
}

TEST_CASE("a name that may be a document, an address or a key is not repeated") {
  for (const std::string name : {"52998224725", "529.982.247-25", "11222333000181", "12ABCDEFGHIJ34",
                                 "12.ABC.DEF/GHIJ-34", "+5511987654321", "ana@example.com", "sk_live_ab12Zz",
                                 "xsk_test_ab12", "whsec_00ff", "metadata[52998224725]", "ana%40x@"}) {
    INFO(name);
    CHECK(shown_name(name) == name.substr(0, 2) + "…");
    Violations violations;
    UnknownNames("parameter", {}, violations).add("customer.", name);
    CHECK(violations.at(0).field == "customer." + name.substr(0, 2) + "…");
  }
  for (const std::string name : {"amountCents", "AMOUNT_CENTS", "line2", "field-1234567", "preço",
                                 "ABCDEFGHIJKLMN", "metadata[pedido]", "colour", ""})
    CHECK(shown_name(name) == name);
}

TEST_CASE("a name that is known in another place is suggested with its place") {
  constexpr std::array<std::string_view, 2> kOuter = {"payment", "originDomain"};
  constexpr std::array<std::string_view, 2> kInner = {"amountCents", "product"};
  const std::array known = {KnownNames{"", kOuter}, KnownNames{"payment.", kInner}};
  Violations violations;
  {
    UnknownNames unknown("field", known, violations);
    unknown.add("", "amount_cents");
    unknown.add("payment.", "originDomain");
    unknown.add("payment.", "products");
    unknown.add("payment.", "products");
    unknown.add("", "colour");
  }
  REQUIRE(violations.size() == 4);
  CHECK(violations[0].reason == "is not a field of this operation; did you mean payment.amountCents?");
  CHECK(violations[1].field == "payment.originDomain");
  CHECK(violations[1].reason == "is not a field of this operation; did you mean originDomain?");
  CHECK(violations[2].reason == "is not a field of this operation; did you mean payment.product?");
  CHECK(violations[3].reason == "is not a field of this operation");
}

TEST_CASE("of many unknown names a bounded number is named, each at a bounded length") {
  Violations violations;
  {
    UnknownNames unknown("field", {}, violations);
    for (int i = 0; i < 1000; ++i) unknown.add("", "name" + std::to_string(i));
  }
  REQUIRE(violations.size() == UnknownNames::kNamesMax + 1);
  CHECK(violations.back().field == "body");
  CHECK(violations.back().reason == "has 900 more unknown fields");

  Violations of_long_name;
  std::string name = "x";
  for (int i = 0; i < 1000; ++i) name += "ã";
  UnknownNames("parameter", {}, of_long_name).add("", name);
  REQUIRE(of_long_name.size() == 1);
  CHECK(of_long_name[0].field == name.substr(0, 99) + "…");
}

TEST_CASE("handling is lenient if the first preference for handling says so") {
  struct Row {
    std::vector<std::string_view> prefer;
    bool lenient;
  };
  const Row rows[] = {
      {{}, false},
      {{"handling=lenient"}, true},
      {{"Handling = \"Lenient\""}, true},
      {{"respond-async, handling=lenient; x=y"}, true},
      {{"return=minimal", "handling=lenient"}, true},
      {{"handling=strict"}, false},
      {{"handling=strict, handling=lenient"}, false},
      {{"handling"}, false},
      {{"lenient"}, false},
      {{"handling=lenient-ish"}, false},
  };
  for (const auto& row : rows) {
    Headers headers;
    for (const auto value : row.prefer) headers.add("Prefer", value);
    INFO((row.prefer.empty() ? "nothing" : row.prefer.front()));
    CHECK(prefers_lenient(headers) == row.lenient);
  }
}
