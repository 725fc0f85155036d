#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "base/http/transport/event_loop.h"
#include "web/upstream/api_client.h"

namespace pixledger::web {

// The used fields of a stream's event (WHATWG HTML §9.2.6).
struct StreamEvent {
  std::string name;
  std::string data;
};

// Removes the first complete event from the front of `bytes`, and comments before it. False if none is
// complete.
bool take_event(std::string& bytes, StreamEvent& event);

// Follows the API's stream of changes of all sessions for as long as it lives. Reopens it if it ends or is
// silent for longer than the API's comments.
class ChangeStream {
 public:
  struct Listener {
    virtual ~Listener() = default;
    // Both are called on the loop's thread.
    virtual void on_change(std::string_view data) = 0;  // an event's JSON
    // The stream was reopened: changes meanwhile were missed.
    virtual void on_gap() = 0;
  };

  // The loop and the listener outlive it.
  ChangeStream(http::EventLoop& loop, ApiAccess access, Listener& listener);
  ~ChangeStream();
  ChangeStream(const ChangeStream&) = delete;
  ChangeStream& operator=(const ChangeStream&) = delete;

  // Call both on the loop's thread.
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
