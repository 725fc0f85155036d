#include "workers/common/resume_from.h"

#include <optional>
#include <stdexcept>
#include <variant>

#include "base/process/options.h"
#include "base/text/ascii.h"
#include "eventstore/codec/codec.h"

namespace pixledger::workers {
namespace {

using eventstore::Log;

// Position of the first added channel, up to `up_to`.
std::optional<Position> first_channel(const Log& log, Position up_to) {
  std::optional<Position> first;
  const auto look_at = [&](const domain::StreamName& stream) {
    const auto events = log.read_stream(stream, 0, up_to).events;
    if (!events.empty() && (!first || events.front().position < *first)) first = events.front().position;
  };
  for (const auto& [claim, stream] : log.claims_with_prefix(domain::channel_claim_prefix())) look_at(stream);
  // Checkout sessions' channels are many, and in order of creation.
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

namespace {

eventstore::LogCursor told_start(const std::string& resume_from, const eventstore::Log& log,
                                 std::optional<Position> restored_up_to) {
  const auto start = parse_option<ResumeFrom>("--resume-from", resume_from);
  const auto cursor = start.cursor_in(log, restored_up_to);
  if (!cursor)
    throw UsageError(
        "--resume-from must not lie beyond the ledger's next position, and restored needs a restored state");
  return *cursor;
}

}  // namespace

std::optional<ResumeFrom> ResumeFrom::parse(std::string_view text) {
  if (text == "beginning") return ResumeFrom(Kind::kPosition, Position(1));
  if (text == "head") return ResumeFrom(Kind::kHead, {});
  if (text == "restored") return ResumeFrom(Kind::kRestored, {});
  const auto first = whole_number<std::uint64_t>(text).value_or(0);
  if (first == 0) return std::nullopt;
  return ResumeFrom(Kind::kPosition, Position(first));
}

std::optional<eventstore::LogCursor> ResumeFrom::cursor_in(const eventstore::Log& log,
                                                           std::optional<Position> restored_up_to) const {
  const auto head = log.head().position;
  if (kind_ == Kind::kHead) return eventstore::cursor_at(log, head);
  if (kind_ == Kind::kRestored) {
    if (!restored_up_to || *restored_up_to > head) return std::nullopt;
    return eventstore::cursor_at(log, *restored_up_to);
  }
  if (first_.value() > head.value() + 1) return std::nullopt;
  return eventstore::cursor_at(log, Position(first_.value() - 1));
}

bool is_from_before_restore(const eventstore::LogCursor& state, const eventstore::LogIdentity& log) {
  return state.log.ledger_id == log.ledger_id && state.log.epoch < log.epoch;
}

std::optional<eventstore::LogCursor> start_after_restore(const eventstore::LogCursor& state,
                                                         const eventstore::Log& log,
                                                         const std::string& resume_from) {
  const auto& identity = log.identity();
  const auto next = std::to_string(state.position.value() + 1);
  if (!is_from_before_restore(state, identity)) {
    if (!resume_from.empty())
      throw UsageError("--resume-from is for a worker without state, and this one has some");
    return std::nullopt;
  }
  if (resume_from.empty())
    throw std::runtime_error(
        "the ledger was restored from a backup (it is in epoch " + std::to_string(identity.epoch) +
        ", the worker's state is of epoch " + std::to_string(state.log.epoch) +
        "). By that state everything before position " + next +
        " was handled; what was sent after the backup is not in it. Start once with --resume-from restored "
        "(from " +
        next +
        " on: some may be sent twice), head (only what comes), beginning or another position; what was "
        "still to be sent is kept");
  return told_start(resume_from, log, state.position);
}

std::optional<eventstore::LogCursor> choose_start(const std::optional<eventstore::LogCursor>& stored,
                                                  const eventstore::Log& log, const std::string& resume_from,
                                                  const InitialCursor& initial, ResumeTold told) {
  if (stored && told == ResumeTold::kEachMachine && stored->log == log.identity()) return std::nullopt;
  if (stored) return start_after_restore(*stored, log, resume_from);
  if (!resume_from.empty()) return told_start(resume_from, log, std::nullopt);
  auto start = initial.find(log);
  if (!start)
    throw std::runtime_error(std::string("there is no state for this ledger's ") + initial.messages +
                             ": start once with --resume-from head (only what comes), beginning (all there "
                             "ever were, again) or the first position to handle");
  return start;
}

}  // namespace pixledger::workers
