#include "domain/values/phone.h"

#include "base/text/ascii.h"

namespace pixledger::domain {

std::optional<Phone> Phone::parse(std::string_view text) {
  if (text.size() < 10 || text.size() > 15 || !all_ascii_digits(text)) return std::nullopt;
  return Phone(std::string(text));
}

}  // namespace pixledger::domain
