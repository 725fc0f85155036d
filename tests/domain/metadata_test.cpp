#include "domain/values/metadata.h"

#include <catch2/catch.hpp>

#include "tests/support/domain/sample_values.h"

namespace pixledger::tests {

using namespace domain;

namespace {

MetadataEntry entry(std::string_view key, std::string_view value) {
  return {parsed<MetadataKey>(key), parsed<MetadataValue>(value)};
}

}  // namespace

TEST_CASE("a key of metadata is 1 to 40 letters, digits and three signs") {
  for (const auto& key : {std::string("a"), std::string("Pedido_1.loja-2"), std::string(40, 'x')})
    CHECK(MetadataKey::parse(key)->text() == key);
  for (const auto& key : {std::string(), std::string(41, 'x'), std::string("a b"), std::string("a[b"),
                          std::string("ção"), std::string("a\0", 2)})
    CHECK_FALSE(MetadataKey::parse(key));
}

TEST_CASE("a value of metadata is at most 500 characters, and may be empty") {
  std::string long_value;
  for (int i = 0; i < 500; ++i) long_value += "🙂";
  for (const auto& value : {std::string(), std::string(" "), std::string("ação"), long_value})
    CHECK(MetadataValue::parse(value)->text() == value);
  for (const auto& value : {long_value + "x", std::string("a\nb"), std::string("\xff"), std::string("\x7f")})
    CHECK_FALSE(MetadataValue::parse(value));
}

TEST_CASE("metadata is sorted by key, has each once, and at most twenty") {
  const auto one = Metadata::of({entry("b", "2"), entry("a", "1"), entry("B", "3")});
  REQUIRE(one);
  CHECK(*one == *Metadata::of({entry("B", "3"), entry("a", "1"), entry("b", "2")}));
  CHECK(one->entries().front().key.text() == "B");
  CHECK(one->find(parsed<MetadataKey>("b"))->text() == "2");
  CHECK(one->find(parsed<MetadataKey>("c")) == nullptr);
  CHECK_FALSE(Metadata::of({entry("a", "1"), entry("b", "2"), entry("a", "3")}));
  std::vector<MetadataEntry> many;
  for (int i = 0; i < 20; ++i) many.push_back(entry("k" + std::to_string(i), ""));
  CHECK(Metadata::of(many));
  many.push_back(entry("one.more", ""));
  CHECK_FALSE(Metadata::of(many));
}

}  // namespace pixledger::tests
