#include "domain/values/money_text.h"

#include <cstddef>

namespace pixledger::domain {

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
