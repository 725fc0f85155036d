#include "workers/common/initial_cursor.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <variant>

#include "eventstore/codec/codec.h"

namespace pixledger::workers {
namespace {

[[noreturn]] void ask(const std::string& what) {
  throw std::runtime_error("there is no state for this ledger's " + what +
                           ": start once with --resume-from head (only what comes), beginning (all there "
                           "ever were, again) or the first position to handle");
}

bool has_channels(const eventstore::Log& log, domain::Position up_to) {
  const auto claims = log.claims_with_prefix(domain::channel_claim_prefix());
  return std::any_of(claims.begin(), claims.end(), [&](const auto& claim) {
    return !log.read_stream(claim.second, 0, up_to).events.empty();
  });
}

bool has_charges(const eventstore::Log& log, domain::Position up_to) {
  constexpr std::size_t kEventsAtOnce = 256;
  domain::Position read;
  while (read < up_to) {
    for (const auto& stored : log.read_after(read, kEventsAtOnce)) {
      if (stored.position > up_to) return false;
      if (std::holds_alternative<domain::ChargeEvent>(eventstore::decode(stored).event)) return true;
      read = stored.position;
    }
  }
  return false;
}

}  // namespace

projections::LogCursor start_without_channels(const eventstore::Log& log) {
  const auto head = log.head().position;
  if (has_channels(log, head)) ask("webhooks");
  return projections::cursor_at(log, head);
}

projections::LogCursor start_without_charges(const eventstore::Log& log) {
  const auto head = log.head().position;
  if (has_charges(log, head)) ask("e-mails");
  return projections::cursor_at(log, head);
}

}  // namespace pixledger::workers
