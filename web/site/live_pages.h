#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "base/http/message/reply.h"

namespace pixledger::web {

class LivePages;

// The server-sent events of one open page.
class LiveStream final : public http::BodySource {
 public:
  // Beyond this many unread bytes the stream is cut.
  static constexpr std::size_t kUnreadBytesMax = 16 * 1024;

  LiveStream(LivePages& pages, std::string token, std::string network, std::size_t turn);
  ~LiveStream() override;

  void begin(std::function<void()> wake) override;
  Then append_to(std::string& bytes, std::size_t room) override;

  // From any thread.
  void write(std::string_view event);
  void end();

 private:
  friend class LivePages;
  void change(bool ends, std::string_view more);

  LivePages& pages_;
  const std::string token_;
  const std::string network_;
  const std::size_t turn_;
  std::list<LiveStream*>::iterator place_{};  // within its network, unless it is leaving
  bool is_leaving_ = false;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::string unread_;
  bool is_cut_ = false;
  bool has_ended_ = false;
};

// The open pages and the events for their sessions. Outlives its streams. Thread-safe.
//
// Opening pages needs only a link, so their number is limited by token and by network. Beyond `most` in all,
// the oldest page of the network with the most ends: it polls instead and reconnects later.
class LivePages {
 public:
  static constexpr std::size_t kStreamsOfTokenMax = 8;
  // Carriers have many payers behind one address.
  static constexpr std::size_t kStreamsOfNetworkMax = 256;
  using Clock = std::chrono::steady_clock;
  // Comments keep proxies from closing idle streams. Each stream has a turn, with few streams each, so that
  // writing never delays other work: thousands at once would add to the API's latency.
  static constexpr std::chrono::milliseconds kCommentEvery{15'000};
  static constexpr std::chrono::milliseconds kTurn{20};
  static constexpr std::size_t kTurns = kCommentEvery / kTurn;

  explicit LivePages(std::size_t most) : most_(most) {}
  ~LivePages();
  LivePages(const LivePages&) = delete;
  LivePages& operator=(const LivePages&) = delete;

  // Opens a stream of the token's session. Null if the token or the network has too many.
  std::shared_ptr<LiveStream> open(const std::string& token, const std::string& network);

  void tell(std::string_view session, std::string_view event);
  void tell_all(std::string_view event);
  // Writes a comment to each stream whose turn came since the last call, at most once. Returns when to call
  // again.
  std::chrono::milliseconds comment(Clock::time_point now);
  void end_all();

  std::size_t count() const { return count_; }
  std::uint64_t cut() const { return cut_; }
  std::uint64_t ended_for_others() const { return ended_for_others_; }

 private:
  friend class LiveStream;
  using Streams = std::unordered_set<LiveStream*>;

  void forget(LiveStream& stream);
  void note_cut() { ++cut_; }
  void make_room();
  void leave_network(LiveStream& stream);

  const std::size_t most_;

  std::mutex mutex_;
  std::unordered_map<std::string, Streams> by_session_;
  std::unordered_map<std::string, std::list<LiveStream*>> by_network_;  // oldest first, without ending ones
  std::array<Streams, kTurns> by_turn_;
  std::size_t next_turn_ = 0;  // the next to get comments
  Clock::time_point next_turn_at_{};
  std::size_t given_turn_ = 0;
  bool has_ended_ = false;
  std::size_t staying_ = 0;  // without those that are ending
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> cut_{0};
  std::atomic<std::uint64_t> ended_for_others_{0};
};

}  // namespace pixledger::web
