#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/http/transport/event_loop.h"
#include "base/net/http_status.h"
#include "web/upstream/api_access.h"
#include "web/upstream/api_connection.h"

namespace pixledger::web {

// A call to the API for a payer.
struct ApiCall {
  std::string_view method;  // "GET" or "POST", a literal
  std::string path;         // "/api/v1/payer/…", of visible ASCII
  std::string body{};       // JSON, of a POST
  std::string caller;       // the payer's address
  std::string request_id;   // of the original request; empty: the API generates one
};

// Below the fifteen seconds after which the API closes an idle connection.
inline constexpr std::chrono::seconds kApiIdleMax{8};

// Calls the API without blocking threads: one loop has all connections, at most kConnectionsMax, which are
// kept open. (A pool of blocking threads would serve only as many pages as threads when the API is slow; here
// a waiting page costs its request only.) Without a free connection a call waits in a queue of kWaitingMax.
// Each call times out after kPatience, in the queue or not.
//
// A GET is repeated once if the API was just closing its connection; a POST never is.
class ApiClient {
 public:
  static constexpr std::size_t kConnectionsMax = 32;
  static constexpr std::size_t kWaitingMax = 10'000;
  static constexpr std::size_t kBodyBytesMax = 512 * 1024;
  static constexpr std::chrono::milliseconds kPatience{5'000};

  // nullopt: there was no reply. A POST may have taken effect.
  using Done = std::function<void(std::optional<ApiReply>)>;

  // The outcomes of all calls, for metrics.
  struct Counts {
    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> unanswered{0};  // no connection, a broken one, or a timeout
    std::atomic<std::uint64_t> crowded_out{0};
    std::atomic<std::uint64_t> microseconds{0};  // of answered calls
    std::atomic<std::size_t> waiting{0};         // for a reply, now
  };

  // The loop outlives it.
  ApiClient(http::EventLoop& loop, ApiAccess access);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // May be called from any thread. `done` runs on the loop's thread, once, unless the client is destroyed
  // before.
  void ask(ApiCall call, Done done);
  // Call on the loop's thread: no further calls are answered.
  void stop();

  const Counts& counts() const { return counts_; }

 private:
  using Clock = http::EventLoop::Clock;

  struct Question {
    ApiCall call;
    Done done;
    Clock::time_point asked_at;
    bool is_repeated = false;
  };
  struct Lane {
    std::unique_ptr<ApiConnection> connection;
    std::optional<Question> question;
    Clock::time_point idle_since;
    bool was_used = false;
  };
  using Lanes = std::list<Lane>;

  void enter(Question question);
  void assign();
  Lanes::iterator free_lane();
  void send(Lane& lane, Question question);
  void look_at(Lanes::iterator lane);
  void finish(Lanes::iterator lane);
  void note_break(Lanes::iterator lane);
  void drop(Lanes::iterator lane);
  void answer(Question question, std::optional<ApiReply> reply);
  void look_at_time();

  http::EventLoop& loop_;
  const ApiAccess access_;
  Lanes lanes_;
  std::deque<Question> waiting_;  // oldest first
  bool is_assigning_ = false;
  bool stopped_ = false;
  http::Timer timer_{[this] { look_at_time(); }};
  Counts counts_;
};

}  // namespace pixledger::web
