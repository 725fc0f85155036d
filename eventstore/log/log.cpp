#include "eventstore/log/log.h"

namespace pixledger::eventstore {

std::array<char, 4> LogIdentity::fingerprint() const {
  // Four base-36 digits from the ledger id, which is random.
  constexpr std::string_view kDigits = "0123456789abcdefghijklmnopqrstuvwxyz";
  std::array<char, 4> letters{};
  auto number = std::stoull(ledger_id.substr(0, 12), nullptr, 16);
  for (auto& letter : letters) {
    letter = kDigits[number % kDigits.size()];
    number /= kDigits.size();
  }
  return letters;
}

std::optional<Head> Log::begin_catch_up(TellHead told) const {
  try {
    return catch_up();
  } catch (const LogUnavailable& away) {
    told({{}, away.what()});
    return std::nullopt;
  }
}

}  // namespace pixledger::eventstore
