#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/http/transport/event_loop.h"
#include "web/upstream/api_client.h"

namespace pixledger::web {

// The fields of one event of a stream (WHATWG HTML §9.2.6) that are of interest here.
struct StreamEvent {
  std::string name;
  std::string data;
};

// Takes the first whole event off the front of what has come. False when there is none: comments alone are
// taken off, too.
bool take_event(std::string& bytes, StreamEvent& event);

// Follows the API's changes of all sessions on one connection, for as long as it lives: a stream that ends,
// or says nothing for longer than the API's comments are apart, is opened again.
class ChangeStream {
 public:
  struct Listener {
    virtual ~Listener() = default;
    // On the loop's thread.
    virtual void on_change(std::string_view data) = 0;  // of an event, JSON
    // It is open again: what changed meanwhile was not told.
    virtual void on_gap() = 0;
  };

  // The loop runs until after this has gone; the listener outlives it.
  ChangeStream(http::EventLoop& loop, ApiAccess access, Listener& listener);
  ~ChangeStream();
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  // Both on the loop's thread.
  void start();
  void stop();

  // From any thread.
  bool is_open() const { return is_open_; }
  std::uint64_t opened() const { return opened_; }

 private:
  using Clock = http::EventLoop::Clock;

  void open();
  void look();
  void read_events();
  void close();
  void on_timer();

  http::EventLoop& loop_;
  const ApiAccess access_;
  Listener& listener_;
  std::unique_ptr<ApiConnection> connection_;
  http::Timer timer_{[this] { on_timer(); }};
  Clock::time_point heard_at_{};
  std::chrono::milliseconds pause_{0};
  std::atomic<bool> is_open_{false};
  std::atomic<std::uint64_t> opened_{0};
};

}  // namespace pixledger::web
