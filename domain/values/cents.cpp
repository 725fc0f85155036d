#include "domain/values/cents.h"

#include <cassert>
#include <charconv>
#include <cstddef>
#include <iterator>

namespace pixledger::domain {

Cents operator+(Cents left, Cents right) {
  std::int64_t sum = 0;
  [[maybe_unused]] const bool overflowed = __builtin_add_overflow(left.value(), right.value(), &sum);
  assert(!overflowed);
  return Cents(sum);
}

Cents operator-(Cents left, Cents right) {
  std::int64_t difference = 0;
  [[maybe_unused]] const bool overflowed = __builtin_sub_overflow(left.value(), right.value(), &difference);
  assert(!overflowed);
  return Cents(difference);
}

std::string to_decimal(Cents amount) {
  const bool negative = amount.value() < 0;
  // Unsigned, because the smallest value has no positive counterpart in 64 signed bits.
  const std::uint64_t bits = static_cast<std::uint64_t>(amount.value());
  const std::uint64_t magnitude = negative ? 0 - bits : bits;
  char reais[20];
  const auto end = std::to_chars(std::begin(reais), std::end(reais), magnitude / 100).ptr;
  const std::uint64_t cents = magnitude % 100;

  std::string text;
  if (negative) text.push_back('-');
  text.append(reais, end);
  text.push_back('.');
  text.push_back(static_cast<char>('0' + cents / 10));
  text.push_back(static_cast<char>('0' + cents % 10));
  return text;
}

std::string to_brazilian(Cents hundredths) {
  const std::string decimal = to_decimal(hundredths);
  const std::size_t first_digit = decimal.front() == '-' ? 1 : 0;
  const std::size_t point = decimal.size() - 3;
  std::string text;
  for (std::size_t at = 0; at < point; ++at) {
    if (at > first_digit && (point - at) % 3 == 0) text += '.';
    text += decimal[at];
  }
  text += ',';
  text.append(decimal, point + 1);
  return text;
}

std::string to_reais(Cents amount) {
  std::string text = "R$ ";
  return text.append(to_brazilian(amount));
}

}  // namespace pixledger::domain
