#include "http/services/command_gateway.h"

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>

namespace pixledger::http {
namespace {

// One request's wait. The committer stores the result, the projector wakes the thread: one hand-over, not
// two.
class Call {
 public:
  void durable(eventstore::Result result) {
    const std::lock_guard lock(mutex_);
    result_ = std::move(result);
    durable_at_ = std::chrono::steady_clock::now();
  }

  void visible() {
    {
      const std::lock_guard lock(mutex_);
      visible_ = true;
    }
    // Notified without the lock, or the thread that wakes would only wait again, for the lock.
    changed_.notify_one();
  }

  void waits_as(projections::Projector::Ticket ticket) {
    const std::lock_guard lock(mutex_);
    ticket_ = ticket;
  }

  // The ticket with which the views would still be waited for; nullopt when they have come.
  std::optional<projections::Projector::Ticket> outstanding() {
    const std::lock_guard lock(mutex_);
    return visible_ ? std::nullopt : ticket_;
  }

  eventstore::Result wait(const WorkBudget& budget) {
    std::unique_lock lock(mutex_);
    while (!visible_) {
      const auto now = std::chrono::steady_clock::now();
      if (result_ && now - durable_at_ >= kViewLagMax) break;
      if (!result_) budget.check();
      // Nobody wakes the thread when the result is there, so it looks in time to find out.
      changed_.wait_until(lock, budget.next_look((result_ ? durable_at_ : now) + kViewLagMax));
    }
    return std::move(*result_);
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<eventstore::Result> result_;
  std::chrono::steady_clock::time_point durable_at_;
  std::optional<projections::Projector::Ticket> ticket_;
  bool visible_ = false;
};

}  // namespace

eventstore::Result CommandGateway::execute(eventstore::Request request, const WorkBudget& budget) {
  const auto call = std::make_shared<Call>();
  const auto* creation = std::get_if<domain::CreateCharge>(&request.command);
  const auto environment = creation ? std::optional(creation->environment) : std::nullopt;
  executor_.submit(std::move(request), [call, environment, this](eventstore::Result result) {
    if (environment) refusals_.note(*environment, result);
    domain::Position position;
    if (const auto* completed = std::get_if<eventstore::Completed>(&result)) position = completed->position;
    call->durable(std::move(result));
    call->waits_as(projector_.when_applied(position, [call] { call->visible(); }));
  });
  auto result = call->wait(budget);
  if (const auto ticket = call->outstanding()) projector_.forget(*ticket);
  return result;
}

}  // namespace pixledger::http
