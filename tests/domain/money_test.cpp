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

TEST_CASE("an added amount can be subtracted again") {
  REQUIRE(rc::check([](std::int32_t left, std::int32_t right) {
    const Cents sum = Cents(left) + Cents(right);
    return sum.value() == std::int64_t{left} + right && sum - Cents(right) == Cents(left);
  }));
}

TEST_CASE("amounts are written as in Brazil") {
  CHECK(to_reais(Cents(0)) == "R$ 0,00");
  CHECK(to_reais(Cents(5)) == "R$ 0,05");
  CHECK(to_reais(Cents(99'999)) == "R$ 999,99");
  CHECK(to_reais(Cents(100'000)) == "R$ 1.000,00");
  CHECK(to_reais(Cents(123'456)) == "R$ 1.234,56");
  CHECK(to_reais(Cents(99'999'999'999)) == "R$ 999.999.999,99");
}

}  // namespace pixledger::domain
