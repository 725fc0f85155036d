#include <catch2/catch.hpp>
#include <rapidcheck.h>

#include "http/routing/input.h"

using namespace pixledger;

using pixledger::http::Query;
using pixledger::http::Violations;

namespace {

std::string percent_encode_all(const std::string& text) {
  std::string encoded;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    encoded += '%';
    encoded += "0123456789abcdef"[byte / 16];
    encoded += "0123456789ABCDEF"[byte % 16];
  }
  return encoded;
}

}  // namespace

TEST_CASE("a query's values are decoded, plus is a blank") {
  const Query query("search=Jo%C3%A3o+da%20Silva&limit=20&page=%31&a%5Bb%5D=x%2By&flag&raw=ã");
  Violations violations;
  CHECK(query.value("search", violations) == "João da Silva");
  CHECK(query.value("limit", violations) == "20");
  CHECK(query.value("page", violations) == "1");
  CHECK(query.value("a[b]", violations) == "x+y");
  CHECK(query.value("raw", violations) == "ã");
  CHECK(violations.empty());
}

TEST_CASE("a missing or empty parameter is absent") {
  for (const char* raw : {"", "other=1", "limit=", "limit", "limit=&", "&&=&limit=&limit"}) {
    Violations violations;
    CHECK_FALSE(Query(raw).value("limit", violations));
    CHECK(violations.empty());
  }
}

TEST_CASE("an empty repetition of a parameter does not count") {
  Violations violations;
  CHECK(Query("limit=&limit=5&limit=").value("limit", violations) == "5");
  CHECK(violations.empty());
}

TEST_CASE("a known parameter given twice is a violation") {
  Violations violations;
  CHECK_FALSE(Query("limit=5&x=1&limit=6").value("limit", violations));
  REQUIRE(violations.size() == 1);
  CHECK(violations[0].field == "limit");
}

TEST_CASE("broken escapes and bytes that are not UTF-8 are violations") {
  for (const char* raw :
       {"search=%", "search=%4", "search=%zz", "search=%C3", "search=\xC3(", "search=%ED%A0%80"}) {
    Violations violations;
    CHECK_FALSE(Query(raw).value("search", violations));
    REQUIRE(violations.size() == 1);
    CHECK(violations[0].field == "search");
  }
}

TEST_CASE("parameters that no operation reads are refused once each, whatever they hold") {
  const Query query("%zz=1&junk=%&junk=%&%FF=2&empty=&bare&limit=7&=5&&LIMIT=3");
  Violations violations;
  CHECK(query.value("limit", violations) == "7");
  CHECK(violations.empty());
  query.refuse_unknown(violations);
  std::string fields;
  for (const auto& violation : violations) fields += violation.field + " ";
  CHECK(fields == R"(%zz junk %FF empty bare "" LIMIT )");
  CHECK(violations.front().reason == "is not a parameter of this operation");
  CHECK(violations.back().reason == "is not a parameter of this operation; did you mean limit?");
}

TEST_CASE("for a misspelt family of parameters only the right name is suggested") {
  const Query query("metdata[pedido]=1&metadata[pedida]=2&metadata=3");
  Violations violations;
  CHECK(query.values_in("metadata", violations).size() == 1);
  CHECK(violations.empty());
  query.refuse_unknown(violations);
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].field == "metdata[pedido]");
  for (const auto& violation : violations)
    CHECK(violation.reason == "is not a parameter of this operation; did you mean metadata[key]?");
}

TEST_CASE("a parameter's name has one spelling: brackets may be escaped, letters may not") {
  Violations violations;
  const Query query("%73tatus=paid&cust%6FmerEmail=a%40b.example&metadata%5Bpedido%5D=7");
  CHECK_FALSE(query.value("status", violations));
  CHECK_FALSE(query.value("customerEmail", violations));
  const std::vector<std::pair<std::string, std::string>> pedido{{"pedido", "7"}};
  CHECK(query.values_in("metadata", violations) == pedido);
  query.refuse_unknown(violations);
  REQUIRE(violations.size() == 2);
  CHECK(violations[0].field == "%73tatus");
}

TEST_CASE("percent-encoded texts are decoded to the same") {
  REQUIRE(rc::check([] {
    const auto text = *rc::gen::nonEmpty(rc::gen::container<std::string>(rc::gen::inRange<char>(1, 127)));
    Violations violations;
    RC_ASSERT(Query("q=" + percent_encode_all(text)).value("q", violations) == text);
  }));
}
