#pragma once

#include <compare>
#include <cstdint>
#include <string>

namespace pixledger::domain {

// An amount of money in hundredths of a real: a strong type that never mixes with other integers. Sums and
// differences that overflow 64 bits are bugs and assert.
class Cents {
 public:
  // Zero.
  constexpr Cents() = default;
  constexpr explicit Cents(std::int64_t value) : value_(value) {}

  constexpr std::int64_t value() const { return value_; }

  friend constexpr auto operator<=>(const Cents&, const Cents&) = default;

 private:
  std::int64_t value_ = 0;
};

Cents operator+(Cents left, Cents right);
Cents operator-(Cents left, Cents right);

// The amount in reais with a point and two decimals: "123.45", "0.05", "-1.00". Exact for every value.
std::string to_decimal(Cents amount);

// Writes the number of cents.
template <class Json>
void write_json(Json& json, Cents amount) {
  json.value(amount.value());
}

// The hundredths in Brazilian notation: "1.234.567,89".
std::string to_brazilian(Cents hundredths);

// "R$ 1.234.567,89"
std::string to_reais(Cents amount);

}  // namespace pixledger::domain
