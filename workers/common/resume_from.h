#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/log/log.h"
#include "eventstore/reading/log_cursor.h"

namespace pixledger::workers {

// Where a worker begins that has no state and is not told: at the ledger's head, if up to it there was
// nothing to tell. Otherwise nobody knows what it has told already, and it has to be asked.

struct InitialCursor {
  // Nullopt: it has to be told. What comes while it looks is after the head that it returns. Throws what
  // reading the log throws.
  using Find = std::optional<eventstore::LogCursor> (*)(const eventstore::Log& log);

  const char* messages;  // what the worker sends
  // Of a worker that is started by itself, which asks as soon as there was somebody to tell.
  Find find;
  // Of one that `up` starts, which asks once there was something to tell them as well.
  Find find_under_up;
};

// Webhooks are told to channels: of what has happened since the first was added. Reads up to there, which
// ledgers in use have early.
extern const InitialCursor kWebhooksBegin;
// E-mails, to customers: of their charges. Reads up to the first one.
extern const InitialCursor kEmailsBegin;

// Where a worker starts that cannot know it: --resume-from beginning|head|POSITION, the last being the first
// position that it handles. After a restore also `restored`: where the state that was restored ends.
class ResumeFrom {
 public:
  static constexpr std::string_view kRule = "must be beginning, head, restored or a position from 1 on";

  static std::optional<ResumeFrom> parse(std::string_view text);

  // nullopt when the position lies beyond the log's next one, and for `restored` without such a state.
  // `restored_up_to`: what the state that was restored says.
  std::optional<eventstore::LogCursor> cursor_in(const eventstore::Log& log,
                                                 std::optional<Position> restored_up_to = std::nullopt) const;

 private:
  enum class Kind { kHead, kRestored, kPosition };
  ResumeFrom(Kind kind, Position first) : kind_(kind), first_(first) {}

  Kind kind_;
  Position first_;
};

// A worker's state is worth something in the epoch that it was written in. After a restore (a later epoch)
// the worker has to be told where to go on; it keeps what it had to send. nullopt: it goes on where its state
// says, or this is none of its ledger's states, which its follower finds out. Throws UsageError when
// `resume_from` (empty: not given) is not wanted or not possible, std::runtime_error when it is needed.
std::optional<eventstore::LogCursor> start_after_restore(const eventstore::LogCursor& state,
                                                         const eventstore::Log& log,
                                                         const std::string& resume_from);

// Whether the state was written before the ledger was restored.
bool is_from_before_restore(const eventstore::LogCursor& state, const eventstore::LogIdentity& log);

// The cursor that a worker's database gets before it starts; nullopt when it goes on with its own (see
// start_after_restore). A worker that has lost its state must not guess: beginning again would repeat
// whatever it has ever said. `resume_from`: the option's value, empty when it was not given. Throws
// UsageError when it does not fit, std::runtime_error when it is needed.
//
// Of machines that share the ledger each may be told, and the first one that is at work counts: `told` is
// then kEachMachine.
enum class ResumeTold { kThisOne, kEachMachine };
std::optional<eventstore::LogCursor> choose_start(const std::optional<eventstore::LogCursor>& stored,
                                                  const eventstore::Log& log, const std::string& resume_from,
                                                  const InitialCursor& initial,
                                                  ResumeTold told = ResumeTold::kThisOne);

}  // namespace pixledger::workers
