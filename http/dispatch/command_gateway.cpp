#include "http/dispatch/command_gateway.h"

#include <memory>
#include <mutex>
#include <optional>
#include <utility>

namespace pixledger::http {

// One request's wait. The committer stores the result, the projector has the loop go on: one hand-over, not
// two.
class CommandGateway::Call {
 public:
  using Clock = std::chrono::steady_clock;

  Call(Responder responder, Done done, projections::Projector& projector)
      : responder_(std::move(responder)), done_(std::move(done)), projector_(projector) {}

  // On the committer's thread.
  static void durable(const std::shared_ptr<Call>& call, eventstore::Result result) {
    domain::Position position;
    if (const auto* completed = std::get_if<eventstore::Completed>(&result)) position = completed->position;
    {
      const std::lock_guard lock(call->mutex_);
      call->result_ = std::move(result);
      call->durable_at_ = Clock::now();
    }
    const auto ticket = call->projector_.when_applied(
        position, [call] { call->responder_.on_loop([call] { call->finish(); }); });
    const std::lock_guard lock(call->mutex_);
    call->ticket_ = ticket;
  }

  // On the loop's thread from here on.
  void finish() {
    if (std::exchange(finished_, true)) return;
    std::optional<eventstore::Result> result;
    {
      const std::lock_guard lock(mutex_);
      result = std::move(result_);
    }
    done_(*std::move(result));
  }

  void look() {
    {
      const std::lock_guard lock(mutex_);
      if (!result_ || !ticket_ || Clock::now() - durable_at_ < kViewLagMax) return;
      projector_.forget(*ticket_);
    }
    finish();
  }

 private:
  const Responder responder_;
  const Done done_;
  projections::Projector& projector_;
  bool finished_ = false;
  std::mutex mutex_;
  std::optional<eventstore::Result> result_;
  Clock::time_point durable_at_;
  std::optional<projections::Projector::Ticket> ticket_;
};

void CommandGateway::submit(const Responder& responder, eventstore::Request command, Done done) {
  responder.share();
  const auto call = std::make_shared<Call>(responder, std::move(done), projector_);
  responder.every_second([call] { call->look(); });
  const auto* creation = std::get_if<domain::CreateCharge>(&command.command);
  const auto environment = creation ? std::optional(creation->environment) : std::nullopt;
  executor_.submit(std::move(command), [call, environment, &refusals = refusals_](eventstore::Result result) {
    if (environment) refusals.note(*environment, result);
    Call::durable(call, std::move(result));
  });
}

}  // namespace pixledger::http
