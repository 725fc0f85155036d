#include "workers/common/initial_cursor.h"

#include <optional>
#include <variant>

#include "eventstore/codec/codec.h"

namespace pixledger::workers {
namespace {

using eventstore::Log;

// Where the first channel was added, up to there.
std::optional<Position> first_channel(const Log& log, Position up_to) {
  std::optional<Position> first;
  const auto look_at = [&](const domain::StreamName& stream) {
    const auto events = log.read_stream(stream, 0, up_to).events;
    if (!events.empty() && (!first || events.front().position < *first)) first = events.front().position;
  };
  for (const auto& [claim, stream] : log.claims_with_prefix(domain::channel_claim_prefix())) look_at(stream);
  // Those of checkout sessions are many, and in the order in which they were added.
  const auto of_sessions = log.claims_with_prefix(domain::checkout_channel_claim_prefix());
  if (!of_sessions.empty()) look_at(of_sessions.front().second);
  return first;
}

template <class Wanted>
bool has_event(const Log& log, Position after, Position up_to, Wanted is_wanted) {
  constexpr std::size_t kEventsAtOnce = 256;
  while (after < up_to) {
    for (const auto& stored : log.read_after(after, kEventsAtOnce)) {
      if (stored.position > up_to) return false;
      if (is_wanted(eventstore::decode(stored).event)) return true;
      after = stored.position;
    }
  }
  return false;
}

bool is_of_charge(const domain::Event& event) { return std::holds_alternative<domain::ChargeEvent>(event); }

bool is_told_to_channels(const domain::Event& event) {
  if (const auto* project = std::get_if<domain::ProjectEvent>(&event))
    return std::holds_alternative<domain::StoreSettingsChanged>(*project);
  if (const auto* channel = std::get_if<domain::ChannelEvent>(&event))
    return std::holds_alternative<domain::ChannelTestRequested>(*channel);
  return is_of_charge(event);
}

std::optional<eventstore::LogCursor> head_without_channels(const Log& log) {
  const auto head = log.head().position;
  if (first_channel(log, head)) return std::nullopt;
  return eventstore::cursor_at(log, head);
}

std::optional<eventstore::LogCursor> head_without_webhooks(const Log& log) {
  const auto head = log.head().position;
  const auto channel = first_channel(log, head);
  if (channel && has_event(log, *channel, head, is_told_to_channels)) return std::nullopt;
  return eventstore::cursor_at(log, head);
}

std::optional<eventstore::LogCursor> head_without_charges(const Log& log) {
  const auto head = log.head().position;
  if (has_event(log, Position(), head, is_of_charge)) return std::nullopt;
  return eventstore::cursor_at(log, head);
}

}  // namespace

const InitialCursor kWebhooksBegin{
    .messages = "webhooks", .find = &head_without_channels, .find_under_up = &head_without_webhooks};
const InitialCursor kEmailsBegin{
    .messages = "e-mails", .find = &head_without_charges, .find_under_up = &head_without_charges};

}  // namespace pixledger::workers
