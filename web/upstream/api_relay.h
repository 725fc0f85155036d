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

// The rest of an API reply, passed from the loop that reads it to the one that sends it. Holds little more
// than kUnreadBytesMax; calls the reader when there is room again.
class RelayedBody final : public http::BodySource {
 public:
  static constexpr std::size_t kUnreadBytesMax = 32 * 1024;

  // Any thread may call both. `wants_more`: there is room again. `gone`: the rest is no longer needed.
  RelayedBody(std::function<void()> wants_more, std::function<void()> gone)
      : wants_more_(std::move(wants_more)), gone_(std::move(gone)) {}
  ~RelayedBody() override { gone_(); }

  // For the sender.
  void begin(std::function<void()> wake) override;
  Then append_to(std::string& bytes, std::size_t room) override;

  // For the reader. False if there is no room: nothing is taken, and `wants_more` will be called.
  bool add(std::string& bytes);
  void end();
  void cut();  // the rest will not come

  // Released on destruction.
  void hold(std::shared_ptr<void> place) { place_ = std::move(place); }

 private:
  void change(const std::function<void()>& what);

  const std::function<void()> wants_more_;
  const std::function<void()> gone_;
  std::shared_ptr<void> place_;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::string unread_;
  bool is_waited_for_ = false;  // the reader found no room
  bool is_cut_ = false;
  bool has_ended_ = false;
};

// Shares places among projects and users, with limits for each. When all places are taken, a newcomer gets
// one of the project with the most. For one thread.
class FairShares {
 public:
  struct Limits {
    std::size_t most;
    std::size_t of_project;
    std::size_t of_user;
  };
  struct Holder {
    std::string project;  // may be empty: no project
    std::string user;
  };
  // The result of take(). `yields`: the holder that must end for the newcomer; it has lost its place already.
  struct Taken {
    bool is_granted = false;
    std::optional<std::uint64_t> yields{};
  };

  explicit FairShares(const Limits& limits) : limits_(limits) {}

  // Ids ascend, so a project's lowest is its oldest.
  Taken take(std::uint64_t id, const Holder& holder);
  // Does nothing without a place.
  void give_back(std::uint64_t id);

  std::size_t taken() const { return holders_.size(); }

 private:
  std::optional<std::uint64_t> oldest_of_largest(std::size_t than) const;

  const Limits limits_;
  std::map<std::uint64_t, Holder> holders_;
  std::unordered_map<std::string, std::set<std::uint64_t>> of_project_;  // never empty
  std::unordered_map<std::string, std::size_t> of_user_;                 // never 0
};

// A request that is relayed to the API for a user.
struct RelayedCall {
  std::string_view method;  // a literal
  std::string target;       // path and query, of visible ASCII
  std::string headers;      // whole lines, none about framing
  std::string body{};
  std::string_view body_type = http::kJson;  // a literal
  bool is_whole = false;                     // the reply is needed in one piece
  std::string project{};                     // as named by the caller; valid if the API accepts the request
  std::string sign_in{};  // a digest of it, which stands for the user if the API does not name one
};

// The relayed reply. `rest`: what follows the reply's body; null if nothing does.
struct RelayedReply {
  ApiReply reply;
  std::shared_ptr<RelayedBody> rest{};
  bool is_over_share = false;  // the reply was dropped: its user or project has too many
};

// Relays requests to the API and replies back, on one loop and without blocking threads. Replies up to
// kWholeBytesMax are relayed whole. Longer ones and event streams are relayed as they arrive, at the speed of
// their reader. Replies needed in one piece are limited to kInOnePieceBytesMax.
//
// At most kConnectionsMax requests wait for the API at a time. Users and projects share the further
// connections of kStreams and kLongAnswers. kWaitingMax requests wait in the queue for at most
// kQueuePatience. A reply must begin within kPatience and never pause longer than kSilenceMax, a table
// kTableSilenceMax. A GET is repeated once if the API was just closing its connection; other methods never
// are.
class ApiRelay {
 public:
  static constexpr std::size_t kConnectionsMax = 256;
  static constexpr FairShares::Limits kStreams{.most = 512, .of_project = 128, .of_user = 16};
  static constexpr FairShares::Limits kLongAnswers{.most = 256, .of_project = 32, .of_user = 8};
  static constexpr std::size_t kWaitingMax = 1'000;
  static constexpr std::size_t kWholeBytesMax = 32 * 1024;
  // A sign-in's reply lists all projects of its user.
  static constexpr std::size_t kInOnePieceBytesMax = 1024 * 1024;
  static constexpr std::chrono::seconds kQueuePatience{5};
  // To open a connection.
  static constexpr std::chrono::seconds kOpeningMax{5};
  // Longer than the API's longest wait for events, thirty seconds.
  static constexpr std::chrono::seconds kPatience{45};
  // Event streams have a comment every fifteen seconds.
  static constexpr std::chrono::seconds kSilenceMax{45};
  // A workbook is sent only once it is complete, for which the API takes at most a quarter of an hour.
  static constexpr std::chrono::minutes kTableSilenceMax{15};

  // nullopt: there was no reply. A change may have taken effect.
  using Done = std::function<void(std::optional<RelayedReply>)>;

  struct Counts {
    std::atomic<std::uint64_t> answered{0};
    std::atomic<std::uint64_t> unanswered{0};  // no connection, a broken one, or a timeout
    std::atomic<std::uint64_t> crowded_out{0};
    std::atomic<std::uint64_t> over_share{0};   // of a user or a project
    std::atomic<std::uint64_t> yielded{0};      // streams and long replies that ended for another project
    std::atomic<std::uint64_t> abandoned{0};    // by the client
    std::atomic<std::uint64_t> cut_streams{0};  // broken or silent
    std::atomic<std::size_t> waiting{0};        // for a reply, now
    std::atomic<std::size_t> streams{0};        // now
  };

  // The loop outlives it. `kept_headers`: the headers of replies to keep.
  ApiRelay(http::EventLoop& loop, ApiAccess access, std::span<const std::string_view> kept_headers);
  ~ApiRelay();
  ApiRelay(const ApiRelay&) = delete;
  ApiRelay& operator=(const ApiRelay&) = delete;

  // May be called from any thread. `done` runs on the loop's thread, once, unless the request is abandoned or
  // the relay is destroyed before. The relay outlives its bodies.
  std::uint64_t ask(RelayedCall call, Done done);
  // From any thread: the reply is no longer needed.
  void abandon(std::uint64_t id);
  // From any thread: ends streams and refuses new ones.
  void cut_streams();
  // Call on the loop's thread: no further requests are answered.
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
    std::optional<Question> question;  // until its reply begins
    std::uint64_t stream_id = 0;       // the request whose reply is being relayed
    std::weak_ptr<RelayedBody> stream{};
    Clock::time_point heard_at{};                   // last received, or assigned
    std::chrono::seconds silence_max{kSilenceMax};  // of the reply
    bool is_full = false;                           // its reader has no room now
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
  std::deque<Question> waiting_;  // oldest first
  bool is_assigning_ = false;
  FairShares streams_{kStreams};
  FairShares long_answers_{kLongAnswers};
  bool takes_no_streams_ = false;
  bool stopped_ = false;
  http::Timer timer_{[this] { look_at_time(); }};
  Counts counts_;
};

}  // namespace pixledger::web
