#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "eventstore/log.h"
#include "projections/log_cursor.h"

namespace pixledger::workers {

// Where a worker without state starts: --resume-from beginning|head|POSITION, the last being the first
// position that it handles.
class ResumeFrom {
 public:
  static constexpr std::string_view kRule = "must be beginning, head or a position from 1 on";

  static std::optional<ResumeFrom> parse(std::string_view text);

  // nullopt when the position lies beyond the log's next one.
  std::optional<projections::LogCursor> cursor_in(const eventstore::Log& log) const;

 private:
  explicit ResumeFrom(std::optional<domain::Position> first) : first_(first) {}

  std::optional<domain::Position> first_;  // absent: only what comes
};

// Where a worker begins that finds no state and is not told: throws std::runtime_error, which says to tell
// it, when it cannot know.
using UnaskedStart = projections::LogCursor (*)(const eventstore::Log& log);

// The cursor that a store gets before its worker starts; nullopt when it has one already. A worker that has
// lost its state must not guess: beginning again would repeat whatever it has ever said. `resume_from`: the
// option's value, empty when it was not given. Throws UsageError when it does not fit.
std::optional<projections::LogCursor> choose_start(const std::optional<projections::LogCursor>& stored,
                                                   const eventstore::Log& log, const std::string& resume_from,
                                                   UnaskedStart unasked);

}  // namespace pixledger::workers
