#include "http/dispatch/command_gateway.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace pixledger::http {

// One request's wait.
class CommandGateway::Call {
 public:
  using Clock = std::chrono::steady_clock;

  Call(Responder responder, Done done) : responder_(std::move(responder)), done_(std::move(done)) {}

  const Responder& responder() const { return responder_; }

  // On the committer's thread.
  void keep(eventstore::Result result) {
    const std::lock_guard lock(mutex_);
    if (abandoned_) return;
    result_ = std::move(result);
    durable_at_ = Clock::now();
  }

  // On the loop's thread from here on.
  void finish() {
    if (std::exchange(finished_, true)) return;
    std::optional<eventstore::Result> result;
    {
      const std::lock_guard lock(mutex_);
      result = std::exchange(result_, std::nullopt);
    }
    std::exchange(done_, nullptr)(*std::move(result));
  }
  void look() {
    {
      const std::lock_guard lock(mutex_);
      if (!result_ || Clock::now() - durable_at_ < kViewLagMax) return;
    }
    finish();
  }
  // Nobody waits for the result: what it holds goes, however long the views take.
  void abandon() {
    finished_ = true;
    const std::lock_guard lock(mutex_);
    result_.reset();
    abandoned_ = true;
  }

 private:
  const Responder responder_;
  Done done_;
  bool finished_ = false;
  std::mutex mutex_;
  std::optional<eventstore::Result> result_;
  bool abandoned_ = false;
  Clock::time_point durable_at_;
};

// The commands that were committed together, and that the views come to show together.
class CommandGateway::Batch {
 public:
  explicit Batch(Position position) : position_(position) {}

  // False when it is another batch's, or when the views show this one already.
  bool take(Position position, const std::shared_ptr<Call>& call) {
    const std::lock_guard lock(mutex_);
    if (is_visible_ || position != position_) return false;
    calls_.push_back(call);
    return true;
  }

  // On the projector's thread, or at once. Each loop is told once of all that is its.
  void visible() {
    std::vector<std::shared_ptr<Call>> calls;
    {
      const std::lock_guard lock(mutex_);
      is_visible_ = true;
      calls.swap(calls_);
    }
    const auto loop_of = [](const auto& call) { return call->responder().loop(); };
    std::stable_sort(calls.begin(), calls.end(),
                     [&](const auto& one, const auto& other) { return loop_of(one) < loop_of(other); });
    for (auto first = calls.begin(); first != calls.end();) {
      const auto end = std::find_if(first, calls.end(),
                                    [&](const auto& call) { return loop_of(call) != loop_of(*first); });
      const auto& responder = (*first)->responder();
      responder.on_loop([of_loop = std::vector(first, end)] {
        for (const auto& call : of_loop) call->finish();
      });
      first = end;
    }
  }

 private:
  const Position position_;
  std::mutex mutex_;
  bool is_visible_ = false;
  std::vector<std::shared_ptr<Call>> calls_;
};

void CommandGateway::on_durable(const std::shared_ptr<Call>& call, eventstore::Result result) {
  Position position;
  if (const auto* completed = std::get_if<eventstore::Completed>(&result)) position = completed->position;
  call->keep(std::move(result));
  std::shared_ptr<Batch> batch;
  {
    const std::lock_guard lock(mutex_);
    if (batch_ && batch_->take(position, call)) return;
    batch = batch_ = std::make_shared<Batch>(position);
    batch->take(position, call);
  }
  projector_.when_applied(position, [batch] { batch->visible(); });
}

void CommandGateway::submit(const Responder& responder, eventstore::Request command, Done done) {
  responder.share();
  const auto call = std::make_shared<Call>(responder, std::move(done));
  responder.every_second([call] { call->look(); });
  responder.on_gone([call] { call->abandon(); });
  const auto* creation = std::get_if<domain::CreateCharge>(&command.command);
  const auto environment = creation ? std::optional(creation->environment) : std::nullopt;
  executor_.submit(std::move(command), [this, call, environment](eventstore::Result result) {
    if (environment) refusals_.note(*environment, result);
    on_durable(call, std::move(result));
  });
}

}  // namespace pixledger::http
