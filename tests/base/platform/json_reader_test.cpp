#include "base/platform/json_reader.h"

#include <catch2/catch.hpp>

#include "base/values/internet_address.h"

namespace pixledger::tests {
namespace {

// Why `read` refuses the text; empty when it does not.
template <class Read>
std::string refusal(std::string_view text, const Read& read) {
  try {
    const JsonDocument document(text);
    read(JsonFields(document.root()));
    return {};
  } catch (const JsonRefused& refused) {
    return refused.what();
  }
}

}  // namespace

TEST_CASE("a field of JSON is read as its type, and null counts as absent") {
  const JsonDocument document(
      R"({"t":"a","n":null,"b":false,"i":-3,"m":"a@b.example","at":"2026-01-31T12:00:00Z","l":["x","y"],)"
      R"("o":{"t":"inner"},"all":[{"t":"0"},{"t":"1"}]})");
  const JsonFields fields(document.root());
  CHECK(fields.get<std::string>("t") == "a");
  CHECK_FALSE(fields.find<std::string_view>("n"));
  CHECK(fields.member("n")->is_null());
  CHECK_FALSE(fields.find<std::string_view>("other"));
  CHECK(fields.find<bool>("b") == false);
  CHECK(fields.integer("i", -3, 3) == -3);
  CHECK(fields.get<EmailAddress>("m").text() == "a@b.example");
  CHECK(to_iso8601(fields.get<Timestamp>("at")) == "2026-01-31T12:00:00.000Z");
  CHECK(fields.texts("l", "must be texts") == std::vector<std::string_view>{"x", "y"});
  CHECK(fields.get<JsonFields>("o").get<std::string_view>("t") == "inner");
  const auto all = fields.objects("all");
  REQUIRE(all);
  CHECK(all->size() == 2);
  CHECK(all->back().path_of("t") == "all[1].t");
}

TEST_CASE("a field of JSON that is missing, of another kind or there twice is refused by its path") {
  const auto text = [](const JsonFields& fields) { fields.get<std::string_view>("a"); };
  CHECK(refusal("{", text) == "it is not JSON");
  CHECK(refusal("[]", text) == "it must be an object");
  CHECK(refusal("{}", text) == "a is missing");
  CHECK(refusal(R"({"a":null})", text) == "a is missing");
  CHECK(refusal(R"({"a":1})", text) == "a must be a text");
  CHECK(refusal(R"({"a":"x","a":"x"})", text) == "a must be given once");
  CHECK(refusal(R"({"b":1,"a":"x","b":1})", text).empty());
  const auto number = [](const JsonFields& fields) { fields.integer("a", 1, 9); };
  for (const auto* value : {"0", "10", "1.0", "\"1\"", "18446744073709551615"})
    CHECK(refusal(std::string(R"({"a":)") + value + "}", number) == "a must be an integer from 1 to 9");
  const auto texts = [](const JsonFields& fields) { fields.texts("a", "must be texts"); };
  CHECK(refusal(R"({"a":["x",1]})", texts) == "a must be texts");
  const auto inner = [&](const JsonFields& fields) {
    const auto list = fields.get<JsonFields>("o").objects("l");
    for (const auto& each : *list) text(each);
  };
  CHECK(refusal(R"({"o":[]})", inner) == "o must be an object");
  CHECK(refusal(R"({"o":{"l":{}}})", inner) == "o.l must be a list");
  CHECK(refusal(R"({"o":{"l":[{"a":"x"},7]}})", inner) == "o.l[1] must be an object");
  CHECK(refusal(R"({"o":{"l":[{"a":"x"},{"a":7}]}})", inner) == "o.l[1].a must be a text");
}

}  // namespace pixledger::tests
