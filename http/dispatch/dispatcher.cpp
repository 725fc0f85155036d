#include "http/dispatch/dispatcher.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "base/http/json/error_reply.h"
#include "base/platform/faults.h"
#include "http/front/caller.h"
#include "http/front/request_traces.h"
#include "stores/sql/refusal.h"
#include "stores/sql/restorable_database.h"

namespace pixledger::http {
namespace {

using SteadyClock = std::chrono::steady_clock;

// How long a read waits for the read models to reach the log's head as of its arrival. After that it is
// answered 503 rather than with stale data.
constexpr std::chrono::milliseconds kFreshnessWaitMax{1000};
constexpr std::chrono::milliseconds kTurnWaitMax{5'000};
constexpr std::string_view kTooManyInWork =
    "Too many requests of this project are being worked on. Send fewer at once; try again.";

constexpr std::string_view kTooManyPasswords = "Too many passwords are being looked at. Try again.";

constexpr std::string_view kTooManyStreams =
    "Too many exports are being read, of this project or of all. Try again when one of them has ended.";

bool takes_long(const Route& route, const Request& request) {
  return route.takes_long && route.takes_long(request);
}

// The message of a 503 after an exception.
std::string message_about(const std::exception& error) {
  if (const auto refusal = stores::refusal_of(error))
    return "The server cannot do this now (" + *refusal + "). Try again.";
  if (dynamic_cast<const stores::AccountsDamaged*>(&error) ||
      dynamic_cast<const stores::AccountsUnreadable*>(&error))
    return "Nobody can sign in, since the file of the accounts cannot be read: the operator has to restore "
           "it. API keys go on working.";
  if (stores::is_damaged_file(error))
    return "A file that this needs is damaged: the operator has to restore it. What does not need it goes "
           "on.";
  return "The server could not process the request; try again.";
}

}  // namespace

// A request's wait for the read models.
class Dispatcher::Freshness {
 public:
  explicit Freshness(std::function<void()> go_on) : go_on_(std::move(go_on)) {}

  // Call all of these on the loop's thread.
  void fresh() {
    if (!std::exchange(ended_, true)) go_on_();
  }
  // Whether it has waited long enough.
  bool give_up() { return SteadyClock::now() - began_ >= kFreshnessWaitMax && !std::exchange(ended_, true); }

 private:
  const std::function<void()> go_on_;
  const SteadyClock::time_point began_ = SteadyClock::now();
  bool ended_ = false;
};

void Dispatcher::serve(const Responder& responder) {
  const auto& request = responder.request();
  if (auto refused = parts_.router.refuse_body(request)) return responder(*std::move(refused));
  const Route& route = parts_.router.route_of(request);
  if (route.reads_views && parts_.projector.applied() < request.caller->arrival.position)
    return serve_when_fresh(responder, route);
  run(responder, [&route, &request] { return route.handler(request); });
}

void Dispatcher::serve_when_fresh(const Responder& responder, const Route& route) {
  responder.share();
  const auto wait = std::make_shared<Freshness>([this, responder, &route] {
    run(responder, [&route, &request = responder.request()] { return route.handler(request); });
  });
  const auto ticket =
      parts_.projector.when_applied(responder.request().caller->arrival.position,
                                    [responder, wait] { responder.on_loop([wait] { wait->fresh(); }); });
  responder.on_gone([this, ticket] { parts_.projector.forget(ticket); });
  responder.every_second([this, responder, wait, ticket] {
    if (!wait->give_up()) return;
    parts_.projector.forget(ticket);
    const auto fault = parts_.projector.fault();
    responder(transport_error_reply(responder.request(), 503,
                                    "The read models are behind the ledger" +
                                        (is_refusal(fault) ? " (" + fault + ")" : "") + ". Try again."));
  });
}

void Dispatcher::run(const Responder& responder, Make make) {
  const auto& request = responder.request();
  const Route& route = parts_.router.route_of(request);
  if (route.hashes_password && route.hashes_password(request))
    enter(parts_.hashing, line_of(request), responder, std::move(make), kTooManyPasswords);
  else if (takes_long(route, request))
    enter(route.asks_name_servers ? parts_.lookups : parts_.pool, line_of(request), responder,
          std::move(make), kTooManyInWork);
  else
    make_answer(responder, make);
}

void Dispatcher::enter(WorkerPool& pool, const std::string& line, const Responder& responder, Make make,
                       std::string_view refusal) {
  responder.share();
  const auto place =
      pool.enter(line, [this, responder, make = std::move(make)] { make_answer(responder, make); });
  if (!place) return refuse_turn(responder, refusal);
  responder.every_second([this, responder, place, refusal, entered = SteadyClock::now()] {
    if (SteadyClock::now() - entered >= kTurnWaitMax && place->leave()) refuse_turn(responder, refusal);
  });
  responder.on_gone([place] { place->leave(); });
}

void Dispatcher::refuse_turn(const Responder& responder, std::string_view message) {
  refused_turns_.fetch_add(1, std::memory_order_relaxed);
  responder(transport_error_reply(responder.request(), 503, message));
}

void Dispatcher::make_answer(const Responder& responder, const Make& make) {
  try {
    give(responder, make());
  } catch (const WorkGivenUp&) {
    // The transport knows: the client has gone, or the transport answers it.
  } catch (const std::exception& error) {
    const auto& request = responder.request();
    parts_.log_fault(request, stores::text_of(error));
    parts_.note_fault(error);
    responder(transport_error_reply(request, 503, message_about(error)));
  }
}

void Dispatcher::give(const Responder& responder, Answer&& answer) {
  if (auto* reply = std::get_if<Reply>(&answer)) return responder(std::move(*reply));
  // The other kinds run on the loop.
  auto shared = std::make_shared<Answer>(std::move(answer));
  responder.on_loop_now([this, responder, shared] {
    if (auto* submission = std::get_if<Submission>(shared.get()))
      return submit(responder, std::move(*submission));
    if (auto* pieces = std::get_if<std::shared_ptr<Pieces>>(shared.get()))
      return stream(responder, std::move(*pieces));
    const auto give_answer = [this](const Responder& to, Answer found) { give(to, std::move(found)); };
    const auto& subscription = std::get<std::shared_ptr<Subscription>>(*shared);
    if (parts_.subscriptions.enter(responder, subscription, give_answer)) return;
    if (auto at_once = subscription->without_waiting()) return give(responder, *std::move(at_once));
    responder(transport_error_reply(responder.request(), 503,
                                    "Too many requests wait for events. Try again, or without wait."));
  });
}

void Dispatcher::stream(const Responder& responder, std::shared_ptr<Pieces> pieces) {
  responder.share();
  auto reply = parts_.streams.begin(responder, line_of(responder.request()), std::move(pieces));
  if (!reply) return refuse_turn(responder, kTooManyStreams);
  responder(*std::move(reply));
}

// The outcome of a recorded command is always answered, however full the pool is.
void Dispatcher::submit(const Responder& responder, Submission&& submission) {
  parts_.commands.submit(
      responder, std::move(submission.command),
      [this, responder, answer = std::move(submission.answer)](eventstore::Result result) mutable {
        const auto& request = responder.request();
        Make make = [answer = std::move(answer), result = std::move(result)] { return answer(result); };
        if (!takes_long(parts_.router.route_of(request), request)) return make_answer(responder, make);
        parts_.pool.go_on(line_of(request),
                          [this, responder, make = std::move(make)] { make_answer(responder, make); });
      });
}

// One request that waits for its command.
class CommandGateway::Call {
 public:
  using Clock = std::chrono::steady_clock;

  Call(Responder responder, Done done) : responder_(std::move(responder)), done_(std::move(done)) {}

  const Responder& responder() const { return responder_; }

  // Call on the committer's thread.
  void keep(eventstore::Result result) {
    const std::lock_guard lock(mutex_);
    if (abandoned_) return;
    result_ = std::move(result);
    durable_at_ = Clock::now();
  }

  // Call this and the rest on the loop's thread.
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
  // The request is gone: frees the result now, however long the views take.
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

// Commands that were committed together and become visible in the views together.
class CommandGateway::Batch {
 public:
  explicit Batch(Position position) : position_(position) {}

  // False if the call belongs to another batch, or the views show this one already.
  bool take(Position position, const std::shared_ptr<Call>& call) {
    const std::lock_guard lock(mutex_);
    if (is_visible_ || position != position_) return false;
    calls_.push_back(call);
    return true;
  }

  // Call on the projector's thread, or at once. Wakes each loop once for all of its calls.
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

void CommandGateway::submit(const Responder& responder, eventstore::Request&& command, Done done) {
  responder.share();
  const auto call = std::make_shared<Call>(responder, std::move(done));
  responder.every_second([call] { call->look(); });
  responder.on_gone([call] { call->abandon(); });
  const auto* creation = std::get_if<domain::CreateCharge>(&*command.command);
  const auto environment = creation ? std::optional(creation->environment) : std::nullopt;
  command.trace = trace_of(responder.request());
  executor_.submit(std::move(command), [this, call, environment](eventstore::Result result) {
    if (environment) refusals_.note(*environment, result);
    on_durable(call, std::move(result));
  });
}

}  // namespace pixledger::http
