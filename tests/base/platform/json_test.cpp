#include "base/platform/json.h"

#include <catch2/catch.hpp>
#include <rapidjson/stringbuffer.h>
#include <rapidjson/writer.h>

#include "domain/values/cents.h"

using namespace pixledger;

TEST_CASE("the writer escapes what JSON must, and starts anew each time") {
  for (int i = 0; i < 2; ++i) {
    Json json;
    json.begin_object().field("t", "\"\\\n\x01ã").field("i", -9'007'199'254'740'993).field("b", true);
    json.null("n").field("o", std::optional<std::string>()).field("p", std::optional(7U)).field("", "");
    json.key("a").begin_array().value(1).value("x").end_array().end_object();
    CHECK(json.take() == R"({"t":"\"\\\n\u0001ã","i":-9007199254740993,"b":true,"n":null,"o":null,"p":7,)"
                         R"("":"","a":[1,"x"]})");
  }
}

TEST_CASE("every byte is written at every place as RapidJSON writes it, in texts and in keys") {
  for (unsigned byte = 0; byte < 0x80; ++byte) {
    for (std::size_t at = 0; at < 20; ++at) {
      std::string text = "nineteen characters";
      text.insert(at, 1, static_cast<char>(byte));
      const auto size = static_cast<rapidjson::SizeType>(text.size());
      rapidjson::StringBuffer expected;
      rapidjson::Writer<rapidjson::StringBuffer> writer(expected);
      writer.StartObject();
      writer.Key(text.data(), size);
      writer.StartArray();
      writer.String(text.data(), size);
      writer.String(text.data(), size);
      writer.EndArray();
      writer.EndObject();
      Json json;
      json.begin_object().key(text).begin_array().value(text).value(text).end_array().end_object();
      REQUIRE(json.take() == expected.GetString());
    }
  }
}

TEST_CASE("values of the domain are written as their texts") {
  Json json;
  json.begin_object().field("amount", domain::Cents(1990)).field("at", Timestamp(1));
  json.field("none", std::optional<Timestamp>())
      .key("reais")
      .decimal(domain::to_decimal(domain::Cents(-5)))
      .end_object();
  CHECK(json.take() == R"({"amount":1990,"at":"1970-01-01T00:00:00.001Z","none":null,"reais":-0.05})");
}

TEST_CASE("an abandoned text leaves nothing to the next, and two writers at a time do not mix") {
  { Json().begin_object().field("given", "up"); }
  Json outer;
  outer.begin_array();
  Json inner;
  CHECK(inner.begin_array().value(1).end_array().take() == "[1]");
  CHECK(inner.begin_array().value(2).end_array().take_line() == "[2]\n");
  CHECK(outer.value(3).end_array().take() == "[3]");
}
