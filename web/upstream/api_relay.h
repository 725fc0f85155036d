#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/http/message/reply.h"
#include "base/http/transport/event_loop.h"
#include "web/upstream/api_client.h"
#include "web/upstream/api_connection.h"

namespace pixledger::web {

// What is still to come of an answer of the API, on its way from the loop that reads it to the one that sends
// it. Never holds much more than kUnreadBytesMax: the first is told when there is room again.
class RelayedBody final : public http::BodySource {
 public:
  static constexpr std::size_t kUnreadBytesMax = 32 * 1024;

  // Both may be called from any thread. `wants_more`: there is room again. `gone`: nobody reads it any more.
  RelayedBody(std::function<void()> wants_more, std::function<void()> gone)
      : wants_more_(std::move(wants_more)), gone_(std::move(gone)) {}
  ~RelayedBody() override { gone_(); }

  // The sender's.
  void begin(std::function<void()> wake) override;
  Then append_to(std::string& bytes, std::size_t room) override;

  // The reader's. False when there is no room: nothing is taken, and `wants_more` will be called.
  bool add(std::string& bytes);
  void end();
  void cut();  // the rest will not come

  // Given back when it goes.
  void hold(std::shared_ptr<void> place) { place_ = std::move(place); }

 private:
  void change(const std::function<void()>& what);

  const std::function<void()> wants_more_;
  const std::function<void()> gone_;
  std::shared_ptr<void> place_;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::string unread_;
  bool is_waited_for_ = false;  // by the reader, who found no room
  bool is_cut_ = false;
  bool has_ended_ = false;
};

// Places that projects and their users share: each user and each project may have so many, and where all are
// taken a newcomer gets that of the project which has most. For one thread.
class FairShares {
 public:
  struct Limits {
    std::size_t most;
    std::size_t of_project;
    std::size_t of_user;
  };
  struct Holder {
    std::string project;  // may be empty: of no project
    std::string user;
  };
  // What came of asking for a place. `yields`: the holder's id that has to give its place up for it, which it
  // has lost already.
  struct Taken {
    bool is_granted = false;
    std::optional<std::uint64_t> yields{};
  };

  explicit FairShares(const Limits& limits) : limits_(limits) {}

  // Ids grow, so that the lowest of a project has been there for longest.
  Taken take(std::uint64_t id, const Holder& holder);
  // Nothing happens where it has none.
  void give_back(std::uint64_t id);

  std::size_t taken() const { return holders_.size(); }

 private:
  std::optional<std::uint64_t> oldest_of_largest(std::size_t than) const;

  const Limits limits_;
  std::map<std::uint64_t, Holder> holders_;
  std::unordered_map<std::string, std::set<std::uint64_t>> of_project_;  // never empty
  std::unordered_map<std::string, std::size_t> of_user_;                 // never 0
};

// A request that is passed on to the API as somebody else's.
struct RelayedCall {
  std::string_view method;  // a literal
  std::string target;       // path and query, of visible ASCII
  std::string headers;      // whole lines, none of which is about framing
  std::string body{};
  std::string_view body_type = http::kJson;  // a literal
  bool is_whole = false;                     // its answer is wanted in one piece, and of no use otherwise
  std::string project{};  // as the caller names it; an answer of the API's says that it was right
  std::string sign_in{};  // a name of it, by which a user is counted whom the API does not name
};

// What came of it. `rest`: what comes behind the reply's body; null when that is all of it.
struct RelayedReply {
  ApiReply reply;
  std::shared_ptr<RelayedBody> rest{};
  bool is_over_share = false;  // there is an answer, which was let go: its user or project has enough
};

// Passes requests on to the API and answers back, on one loop and without a thread that waits. Answers up to
// kWholeBytesMax come as wholes; longer ones, and streams of events, are passed on as they come, and never
// faster than they are read. Where an answer is wanted in one piece there is none over kInOnePieceBytesMax.
//
// At most kConnectionsMax requests are with the API at a time, and besides them kStreams of events and
// kLongAnswers that are being read, which users and projects share; kWaitingMax wait for kQueuePatience. An
// answer has kPatience to begin, and is never silent for longer than kSilenceMax, a table kTableSilenceMax.
// What reads is repeated once when it was sent on a connection that the API was just closing; what changes
// something never is.
class ApiRelay {
 public:
  static constexpr std::size_t kConnectionsMax = 256;
  static constexpr FairShares::Limits kStreams{.most = 512, .of_project = 128, .of_user = 16};
  static constexpr FairShares::Limits kLongAnswers{.most = 256, .of_project = 32, .of_user = 8};
  static constexpr std::size_t kWaitingMax = 1'000;
  static constexpr std::size_t kWholeBytesMax = 32 * 1024;
  // Of an answer that is wanted in one piece: a sign-in names all projects of its user.
  static constexpr std::size_t kInOnePieceBytesMax = 1024 * 1024;
  static constexpr std::chrono::seconds kQueuePatience{5};
  // Of a connection to open.
  static constexpr std::chrono::seconds kOpeningMax{5};
  // More than the API may take, which waits up to thirty seconds for events where it is asked to.
  static constexpr std::chrono::seconds kPatience{45};
  // Streams of events have a comment every fifteen seconds.
  static constexpr std::chrono::seconds kSilenceMax{45};
  // A workbook has nothing to send until all of it is made, which the API does for a quarter of an hour at
  // most.
  static constexpr std::chrono::minutes kTableSilenceMax{15};

  // nullopt: there was no answer. What was to be changed may have been.
  using Done = std::function<void(std::optional<RelayedReply>)>;

  struct Counts {
    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> unanswered{0};  // no connection, a broken one, or none in time
    std::atomic<std::uint64_t> crowded_out{0};
    std::atomic<std::uint64_t> over_share{0};   // of a user or a project
    std::atomic<std::uint64_t> yielded{0};      // streams and long answers that ended for another project's
    std::atomic<std::uint64_t> abandoned{0};    // by whom they were asked for
    std::atomic<std::uint64_t> cut_streams{0};  // that broke off, or fell silent
    std::atomic<std::size_t> waiting{0};        // for an answer, now
    std::atomic<std::size_t> streams{0};        // now
  };

  // The loop runs until after this has gone. `kept_headers`: those of answers that are wanted.
  ApiRelay(http::EventLoop& loop, ApiAccess access, std::span<const std::string_view> kept_headers);
  ~ApiRelay();
  ApiRelay(const ApiRelay&) = delete;
  ApiRelay& operator=(const ApiRelay&) = delete;

  // From any thread. `done` is called on the loop's thread, once, unless it is abandoned or the relay goes
  // before. Bodies go before the relay.
  std::uint64_t ask(RelayedCall call, Done done);
  // From any thread: nobody wants the answer any more.
  void abandon(std::uint64_t id);
  // From any thread: streams end, and those that would begin, too.
  void cut_streams();
  // On the loop's thread: from then on nothing is answered any more.
  void stop();

  const Counts& counts() const { return counts_; }

 private:
  using Clock = http::EventLoop::Clock;

  struct Question {
    std::uint64_t id = 0;
    RelayedCall call{};
    Done done{};
    Clock::time_point asked_at{};
    bool is_repeated = false;
  };
  struct Lane {
    std::unique_ptr<ApiConnection> connection;
    std::optional<Question> question;  // until its answer has begun
    std::uint64_t stream_id = 0;       // of the question whose answer is passed on
    std::weak_ptr<RelayedBody> stream{};
    Clock::time_point heard_at{};                   // or put to use
    std::chrono::seconds silence_max{kSilenceMax};  // of the answer
    bool is_full = false;                           // its reader has enough for now
    bool was_used = false;
    std::size_t bytes_max() const {
      return question && question->call.is_whole ? kInOnePieceBytesMax : kWholeBytesMax;
    }
    bool is_free() const { return connection && !question && stream_id == 0 && !connection->is_broken(); }
  };
  using Lanes = std::list<Lane>;

  void enter(Question question);
  void drop_question(std::uint64_t id);
  void assign();
  Lanes::iterator free_lane();
  bool open(Lanes::iterator lane);
  void send(Lane& lane, Question question);
  void look_at(Lanes::iterator lane);
  void look_at_answer(Lanes::iterator lane);
  bool wants_stream(const Lane& lane) const;
  void begin_stream(Lanes::iterator lane);
  bool take_share(const Lane& lane, const Question& question);
  void yield(std::uint64_t id);
  void look_at_stream(std::uint64_t id);
  void pass_on(Lanes::iterator lane);
  void finish(Lanes::iterator lane);
  void note_break(Lanes::iterator lane);
  void release(Lanes::iterator lane);
  void drop(Lanes::iterator lane);
  void fail(Question question);
  void look_at_time();
  bool is_overdue(const Lane& lane, Clock::time_point now) const;

  http::EventLoop& loop_;
  const ApiAccess access_;
  const std::span<const std::string_view> kept_headers_;
  std::atomic<std::uint64_t> last_id_{0};
  Lanes lanes_;
  std::deque<Question> waiting_;  // in the order in which they were asked
  bool is_assigning_ = false;
  FairShares streams_{kStreams};
  FairShares long_answers_{kLongAnswers};
  bool takes_no_streams_ = false;
  bool stopped_ = false;
  http::Timer timer_{[this] { look_at_time(); }};
  Counts counts_;
};

}  // namespace pixledger::web
