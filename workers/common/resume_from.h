#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/log/log.h"
#include "eventstore/reading/log_cursor.h"

namespace pixledger::workers {

// The default start of a worker without state. It is the ledger's head if no earlier event needs a message.
// Otherwise the worker cannot know what was sent, and the operator must choose.

struct InitialCursor {
  // Nullopt: the operator must choose. Events appended during the check are after the returned head.
  // Propagates errors of reading the log.
  using Find = std::optional<eventstore::LogCursor> (*)(const eventstore::Log& log);

  const char* messages;  // what it sends
  // For a separately started worker: requires a choice once there was a recipient.
  Find find;
  // For a worker under `up`: requires a choice once there was also a message for a recipient.
  Find find_under_up;
};

// Webhooks go to channels, about events since the first channel was added. Reads up to that event, which is
// early in ledgers in use.
extern const InitialCursor kWebhooksBegin;
// E-mails go to customers, about their charges. Reads up to the first charge.
extern const InitialCursor kEmailsBegin;

// The start for a worker that cannot know it: --resume-from beginning|head|POSITION, the first position to
// handle. After a restore also `restored`: the end of the restored state.
class ResumeFrom {
 public:
  static constexpr std::string_view kRule = "must be beginning, head, restored or a position from 1 on";

  static std::optional<ResumeFrom> parse(std::string_view text);

  // Nullopt if the position is beyond the log's next one, or for `restored` without a restored state.
  // `restored_up_to` is that state's position.
  std::optional<eventstore::LogCursor> cursor_in(const eventstore::Log& log,
                                                 std::optional<Position> restored_up_to = std::nullopt) const;

 private:
  enum class Kind { kHead, kRestored, kPosition };
  ResumeFrom(Kind kind, Position first) : kind_(kind), first_(first) {}

  Kind kind_;
  Position first_;
};

// A worker's state is valid in the epoch in which it was written. After a restore (a later epoch) the
// operator must say where to resume; queued messages are kept. Nullopt: resume from the state, or the state
// is of another ledger, which the follower detects. Throws UsageError if `resume_from` (empty: absent) is not
// needed or invalid, std::runtime_error if it is required.
std::optional<eventstore::LogCursor> start_after_restore(const eventstore::LogCursor& state,
                                                         const eventstore::Log& log,
                                                         const std::string& resume_from);

// True if the state was written before the ledger was restored.
bool is_from_before_restore(const eventstore::LogCursor& state, const eventstore::LogIdentity& log);

// Returns a cursor to store in a worker's database before it starts; nullopt to resume from its own (see
// start_after_restore). A worker without state must not guess: starting over would repeat every message.
// `resume_from` is the option's value, or empty. Throws UsageError if it is invalid, std::runtime_error if it
// is required.
//
// On a shared ledger every machine may have the option; the first active one uses it. `told` is then
// kEachMachine.
enum class ResumeTold { kThisOne, kEachMachine };
std::optional<eventstore::LogCursor> choose_start(const std::optional<eventstore::LogCursor>& stored,
                                                  const eventstore::Log& log, const std::string& resume_from,
                                                  const InitialCursor& initial,
                                                  ResumeTold told = ResumeTold::kThisOne);

}  // namespace pixledger::workers
