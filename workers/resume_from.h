#pragma once

#include <optional>
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

}  // namespace pixledger::workers
