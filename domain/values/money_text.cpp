#include "domain/values/money_text.h"

#include <cstddef>

namespace pixledger::domain {

std::string to_brazilian(Cents hundredths) {
  std::string text = to_decimal(hundredths);
  const std::size_t first_digit = text.front() == '-' ? 1 : 0;
  const std::size_t point = text.size() - 3;
  text[point] = ',';
  for (std::size_t at = point; at > first_digit + 3; at -= 3) text.insert(at - 3, ".");
  return text;
}

std::string to_reais(Cents amount) { return "R$ " + to_brazilian(amount); }

}  // namespace pixledger::domain
