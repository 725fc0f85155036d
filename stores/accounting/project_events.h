#pragma once

#include <functional>

#include "domain/aggregates/event.h"
#include "eventstore/log/log.h"

namespace pixledger::stores {

// The events of charges of one project, in order, a few at a time.
class ProjectEvents {
 public:
  using Visit = std::function<void(const domain::RecordedEvent&)>;
  virtual ~ProjectEvents() = default;

  // Those that were recorded then or later are wanted; others may come, too. Called once, first.
  virtual void begin_at(Timestamp moment) = 0;
  // False once there are no more.
  virtual bool look(const Visit& visit) = 0;
};

// Out of the log, from which events of other projects are left out.
class LoggedProjectEvents final : public ProjectEvents {
 public:
  LoggedProjectEvents(const eventstore::Log& log, domain::ProjectId project, Position as_of)
      : log_(log), project_(std::move(project)), as_of_(as_of) {}

  void begin_at(Timestamp moment) override;
  bool look(const Visit& visit) override;

 private:
  const eventstore::Log& log_;
  const domain::ProjectId project_;
  const Position as_of_;
  Position after_;
};

}  // namespace pixledger::stores
