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

// One request on its way to its answer. It outlives its connection where somebody still works on it.
struct Exchange {
  Request request;
  std::shared_ptr<EventLoop> loop;
  std::atomic<bool> caller_has_gone{false};
  ByteBudget::Share body_share;  // of a body that is larger than usual

  // Of the loop's thread alone.
  Connection* connection = nullptr;
  bool has_ended = false;  // it is answered, given up, or the caller has gone
  std::function<void()> every_second;
  std::function<void()> on_gone;
  std::chrono::milliseconds allowed_more{0};
  bool was_shared = false;  // with other threads, so that it serves no other request
};

// What answers a request: once, from any thread, now or later. Copies answer the same request. A request
// whose last responder goes without an answer is answered 503 when its time is over.
class Responder {
 public:
  explicit Responder(std::shared_ptr<Exchange> exchange) : exchange_(std::move(exchange)) {}

  // Nothing happens where there is an answer already, or nobody to read it.
  void operator()(Reply reply) const;

  // The request, which stays as it is until it is answered.
  Request& request() const { return exchange_->request; }
  // On the loop's thread, before another one is given a copy, or a part of the request.
  void share() const { exchange_->was_shared = true; }
  // Nobody waits for the answer any more. From any thread.
  bool caller_has_gone() const { return exchange_->caller_has_gone.load(std::memory_order_relaxed); }

  // Whose loop the connection is on.
  const EventLoop* loop() const { return exchange_->loop.get(); }
  // Runs on the connection's loop, whether or not there is an answer by then. From any thread.
  void on_loop(EventLoop::Task task) const { exchange_->loop->post(std::move(task)); }

  // The same, at once where this is that thread.
  void on_loop_now(EventLoop::Task task) const {
    if (exchange_->loop->is_this_thread())
      task();
    else
      on_loop(std::move(task));
  }

  // On the loop's thread: what its admission has to know is in the request, or will not be.
  void prepared() const;

  // On the loop's thread, while the request waits for its answer. What it asked to wait is not counted to
  // the time in which it has to be worked on.
  void allow_more(std::chrono::milliseconds more) const { exchange_->allowed_more += more; }
  // About once a second from then on until there is an answer.
  void every_second(std::function<void()> look) const {
    if (!exchange_->has_ended) exchange_->every_second = std::move(look);
  }
  // Once, should the caller go before the answer, or the answer be given up; at once when that was before.
  void on_gone(std::function<void()> told) const {
    if (exchange_->has_ended) return told();
    exchange_->on_gone = std::move(told);
  }

 private:
  std::shared_ptr<Exchange> exchange_;
};

}  // namespace pixledger::http
