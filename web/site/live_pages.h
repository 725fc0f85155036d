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

// What one page is told, as server-sent events: made while it is sent.
class LiveStream final : public http::BodySource {
 public:
  // What nobody reads is kept up to here; then the stream is cut.
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
  std::list<LiveStream*>::iterator place_{};  // among those of the network, unless it is leaving
  bool is_leaving_ = false;
  std::mutex mutex_;
  std::function<void()> wake_;
  std::string unread_;
  bool is_cut_ = false;
  bool has_ended_ = false;
};

// The pages that are open: who is told what of which session. Outlives its streams. Thread-safe.
//
// An open page costs nothing but a link, so their number is bounded for each token and each network. Where
// there are `most` in all, the one that has been open for longest ends, of the network that has most of them:
// its page asks now and then instead, and comes back later.
class LivePages {
 public:
  static constexpr std::size_t kStreamsOfTokenMax = 8;
  // Carriers have many payers behind an address.
  static constexpr std::size_t kStreamsOfNetworkMax = 256;
  using Clock = std::chrono::steady_clock;
  // Comments keep proxies from closing what says nothing. Each stream has one of the turns, which are so
  // short that nothing else on the machine waits for the few streams that are written to in one: thousands at
  // once would show in the latency of the API.
  static constexpr std::chrono::milliseconds kCommentEvery{15'000};
  static constexpr std::chrono::milliseconds kTurn{20};
  static constexpr std::size_t kTurns = kCommentEvery / kTurn;

  explicit LivePages(std::size_t most) : most_(most) {}
  ~LivePages();
  LivePages(const LivePages&) = delete;
  LivePages& operator=(const LivePages&) = delete;

  // Null when the token or the network has as many as it may. Told of its session from then on.
  std::shared_ptr<LiveStream> open(const std::string& token, const std::string& network);

  void tell(std::string_view session, std::string_view event);
  void tell_all(std::string_view event);
  // Writes to those whose turn has come since the last call, each once at most. Wants to be called again
  // after what it returns.
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
  std::unordered_map<std::string, std::list<LiveStream*>> by_network_;  // the oldest first, none that ends
  std::array<Streams, kTurns> by_turn_;
  std::size_t next_turn_ = 0;  // to be commented
  Clock::time_point next_turn_at_{};
  std::size_t given_turn_ = 0;
  bool has_ended_ = false;
  std::size_t staying_ = 0;  // without those that have been told to end
  std::atomic<std::size_t> count_{0};
  std::atomic<std::uint64_t> cut_{0};
  std::atomic<std::uint64_t> ended_for_others_{0};
};

}  // namespace pixledger::web
