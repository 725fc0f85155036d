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

// What the API is asked for a payer.
struct ApiCall {
  std::string_view method;  // "GET" or "POST", a literal
  std::string path;         // "/api/v1/payer/…", of visible ASCII
  std::string body{};       // JSON, of a POST
  std::string caller;       // the payer's address
  std::string request_id;   // of what it is asked for; empty: the API gives one
};

// Below the fifteen seconds after which the API closes an idle connection.
inline constexpr std::chrono::seconds kApiIdleMax{8};

// Asks the API without a thread that waits: one loop has all connections, which are kept open between
// requests, at most kConnectionsMax of them. (A pool of threads that block would be as many pages as it has
// threads whenever the API is slow; here a page that waits costs its request alone.) What finds no free
// connection waits in a queue of kWaitingMax, and each question has kPatience from being asked on, whatever
// it waits for.
//
// What reads is repeated once when it was sent on a connection that the API was just closing; what changes
// something never is.
class ApiClient {
 public:
  static constexpr std::size_t kConnectionsMax = 32;
  static constexpr std::size_t kWaitingMax = 10'000;
  static constexpr std::size_t kBodyBytesMax = 512 * 1024;
  static constexpr std::chrono::milliseconds kPatience{5'000};

  // nullopt: there was no answer. What was to be changed may have been.
  using Done = std::function<void(std::optional<ApiReply>)>;

  // What came of all calls, as metrics have it.
  struct Counts {
    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> unanswered{0};  // no connection, a broken one, or none in time
    std::atomic<std::uint64_t> crowded_out{0};
    std::atomic<std::uint64_t> microseconds{0};  // of those answered
    std::atomic<std::size_t> waiting{0};         // for an answer, now
  };

  // The loop runs until after this has gone.
  ApiClient(http::EventLoop& loop, ApiAccess access);
  ~ApiClient();
  ApiClient(const ApiClient&) = delete;
  ApiClient& operator=(const ApiClient&) = delete;

  // From any thread. `done` is called on the loop's thread, once, unless the client goes before.
  void ask(ApiCall call, Done done);
  // On the loop's thread: from then on nothing is answered any more.
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
  std::deque<Question> waiting_;  // in the order in which they were asked
  bool is_assigning_ = false;
  bool stopped_ = false;
  http::Timer timer_{[this] { look_at_time(); }};
  Counts counts_;
};

}  // namespace pixledger::web
