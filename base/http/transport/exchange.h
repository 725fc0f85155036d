#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>

#include "base/http/message/reply.h"
#include "base/http/message/request.h"
#include "base/http/transport/connection_limits.h"
#include "base/http/transport/event_loop.h"

namespace pixledger::http {

class Connection;

// One request until its reply. Outlives its connection while other threads use it.
struct Exchange {
  Request request;
  std::shared_ptr<EventLoop> loop;
  std::atomic<bool> caller_has_gone{false};
  ByteBudget::Share body_share;  // of an unusually large body

  // Used only on the loop's thread.
  Connection* connection = nullptr;
  bool has_ended = false;  // answered, abandoned, or the caller has gone
  std::function<void()> every_second;
  std::function<void()> on_gone;
  std::chrono::milliseconds allowed_more{0};
  bool was_shared = false;  // with other threads; then not reused for another request
};

// Replies to a request: once, from any thread, now or later. Copies reply to the same request. If the last
// copy is destroyed without a reply, the request is answered 503 at its deadline.
class Responder {
 public:
  explicit Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  // Does nothing if the request is already answered or the caller has gone.
  void operator()(Reply reply) const;

  // The request, unchanged until it is answered.
  Request& request() const { return exchange_->request; }
  // Call on the loop's thread before giving another thread a copy or a part of the request.
  void share() const { exchange_->was_shared = true; }
  // Whether the caller has disconnected. Thread-safe.
  bool caller_has_gone() const { return exchange_->caller_has_gone.load(std::memory_order_relaxed); }

  // The connection's loop.
  const EventLoop* loop() const { return exchange_->loop.get(); }
  // Runs the task on the connection's loop, even if the request is answered by then. Thread-safe.
  void on_loop(EventLoop::Task task) const { exchange_->loop->post(std::move(task)); }

  // The same, but runs the task immediately on that thread.
  void on_loop_now(EventLoop::Task task) const {
    if (exchange_->loop->is_this_thread())
      task();
    else
      on_loop(std::move(task));
  }

  // On the loop's thread: preparation has ended, whether or not it could fill the request.
  void prepared() const;

  // On the loop's thread, before the reply. Extends the processing deadline by the time that the request
  // asked to wait.
  void allow_more(std::chrono::milliseconds more) const { exchange_->allowed_more += more; }
  // Calls `look` about once a second until there is a reply.
  void every_second(std::function<void()> look) const {
    if (!exchange_->has_ended) exchange_->every_second = std::move(look);
  }
  // Calls `told` once if the caller disconnects before the reply or the request is abandoned; immediately if
  // that already happened.
  void on_gone(std::function<void()> told) const {
    if (exchange_->has_ended) return told();
    exchange_->on_gone = std::move(told);
  }

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace pixledger::http
