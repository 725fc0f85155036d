#include "workers/expiry/expiry_worker.h"

#include <algorithm>
#include <future>
#include <string>
#include <utility>

namespace pixledger::workers {
namespace {

using eventstore::Completed;
using eventstore::Result;
using std::chrono::milliseconds;

// Due charges wait at most this long during a continuous stream of events.
constexpr milliseconds kLookForDueEvery{200};
// After a temporary failure: the log is busy or full, or its clock is wrong.
constexpr milliseconds kPauseAfterFailure{500};

struct CommandOf {
  domain::Command operator()(const domain::ChargeId& charge) const {
    return domain::ExpireOverdueCharge{charge};
  }
  domain::Command operator()(const domain::CheckoutSessionId& session) const {
    return domain::ExpireCheckoutSession{session};
  }
  domain::Command operator()(const projections::Superseded& superseded) const {
    return domain::CancelCharge{{}, superseded.charge};
  }
};

eventstore::Request request_of(const projections::Due& due) {
  return {std::visit(CommandOf(), due), "worker-expiry", std::nullopt, "", std::nullopt};
}

}  // namespace

ExpiryWorker::ExpiryWorker(const ExpiryWorkerParts& parts)
    : parts_(parts),
      follower_(parts.log, parts.due_charges.cursor()),
      threads_([this] { stopping_ = true; }),
      thread_(threads_.start([this] { run(); })) {}

ExpiryWorker::~ExpiryWorker() { stop(); }

void ExpiryWorker::stop() {
  stopping_ = true;
  parts_.log.wake();
  if (thread_.joinable()) thread_.join();
}

void ExpiryWorker::handle(const std::vector<domain::RecordedEvent>& events,
                          const eventstore::LogCursor& after) {
  parts_.due_charges.apply(events, after);
}

void ExpiryWorker::run() {
  auto look_again = std::chrono::steady_clock::now();
  while (!stopping_) {
    // The remaining waiting charges are known only at the head. A worker that lags, or never quite reaches
    // the head, must still expire due ones.
    if (follower_.step(*this) && std::chrono::steady_clock::now() < look_again) continue;
    const auto due = parts_.due_charges.due(parts_.clock.now(), kCommandsInFlightMax);
    if (due.empty())
      wait(time_to_next_expiry());
    else
      expire(due);
    look_again = std::chrono::steady_clock::now() + kLookForDueEvery;
  }
}

milliseconds ExpiryWorker::time_to_next_expiry() const {
  const auto next = parts_.due_charges.next_expiry();
  if (!next) return kLookAroundEvery;
  const milliseconds left(next->millis() - parts_.clock.now().millis());
  return std::clamp(left, milliseconds(0), kLookAroundEvery);
}

void ExpiryWorker::expire(const std::vector<projections::Due>& due) {
  std::vector<std::promise<Result>> promises(due.size());
  for (std::size_t i = 0; i < due.size(); ++i) {
    parts_.executor.submit(request_of(due[i]), [promise = &promises[i]](Result result) {
      promise->set_value(std::move(result));
    });
  }
  std::size_t expired = 0;
  std::string failure;
  for (auto& promise : promises) {
    const auto result = promise.get_future().get();
    if (const auto* completed = std::get_if<Completed>(&result)) expired += completed->count;
    if (const auto fault = fault_of(result); !fault.empty()) failure = fault;
  }
  if (expired > 0) parts_.logger.info("charges expired", {{"count", expired}});
  if (!failure.empty()) parts_.logger.warning("charges could not be expired for now", {{"reason", failure}});
  // Recorded expiries return through the log and leave the list. If nothing was recorded, wait for another
  // event instead of retrying immediately.
  if (expired == 0) wait(kPauseAfterFailure);
}

void ExpiryWorker::wait(milliseconds timeout) const {
  follower_.wait(timeout, [this] { return stopping_.load(); });
}

}  // namespace pixledger::workers
