#include <catch2/catch.hpp>
#include <cstdint>
#include <limits>
#include <rapidcheck.h>
#include <string>

#include "domain/values/cents.h"

namespace pixledger::domain {

TEST_CASE("cents are written as reais with two decimals") {
  CHECK(to_decimal(Cents(0)) == "0.00");
  CHECK(to_decimal(Cents(5)) == "0.05");
  CHECK(to_decimal(Cents(12345)) == "123.45");
  CHECK(to_decimal(Cents(99'999'999'999)) == "999999999.99");
  CHECK(to_decimal(Cents(-1)) == "-0.01");
  CHECK(to_decimal(Cents(-100)) == "-1.00");
  CHECK(to_decimal(Cents(std::numeric_limits<std::int64_t>::max())) == "92233720368547758.07");
  CHECK(to_decimal(Cents(std::numeric_limits<std::int64_t>::min())) == "-92233720368547758.08");
}

TEST_CASE("the decimal text without its point is the number of cents") {
  REQUIRE(rc::check([](std::int64_t value) {
    std::string text = to_decimal(Cents(value));
    const std::size_t point = text.size() - 3;
    if (text[point] != '.') return false;
    text.erase(point, 1);
    return std::stoll(text) == value;
  }));
}

TEST_CASE("what is added can be taken away again") {
  REQUIRE(rc::check([](std::int32_t left, std::int32_t right) {
    const Cents sum = Cents(left) + Cents(right);
    return sum.value() == std::int64_t{left} + right && sum - Cents(right) == Cents(left);
  }));
}

}  // namespace pixledger::domain
