#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/log/log.h"
#include "eventstore/reading/log_cursor.h"
#include "workers/common/initial_cursor.h"

namespace pixledger::workers {

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
// says, or this is none of its ledger's states, which its subscription finds out. Throws UsageError when
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
