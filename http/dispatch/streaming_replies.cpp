#include "http/dispatch/streaming_replies.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "http/front/caller_confirmation.h"

namespace pixledger::http {
namespace {

// With fewer unread bytes than this, the next piece is made.
constexpr std::size_t kUnreadBytesMax = 32 * 1024;

}  // namespace

// A reply's share of the limits, released on destruction.
class StreamingReplies::Place {
 public:
  Place(StreamingReplies& streams, std::string line, bool is_heavy)
      : streams_(streams), line_(std::move(line)), is_heavy_(is_heavy) {}
  ~Place() { streams_.leave(line_, is_heavy_); }
  Place(const Place&) = delete;
  Place& operator=(const Place&) = delete;

  const std::string& line() const { return line_; }

 private:
  StreamingReplies& streams_;
  const std::string line_;
  const bool is_heavy_;
};

// Passes pieces from the pool to the loop that sends them. The pool holds it weakly, so no pieces are made
// after the reader has gone.
class StreamingReplies::Body final : public BodySource, public std::enable_shared_from_this<Body> {
 public:
  Body(StreamingReplies& streams, const Responder& responder, std::unique_ptr<Place> place,
       std::shared_ptr<Pieces> pieces)
      : streams_(streams), responder_(responder), place_(std::move(place)), pieces_(std::move(pieces)) {}

  void begin(std::function<void()> wake) override {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

  Then append_to(std::string& bytes, std::size_t room) override {
    bool asks = false;
    Then then = Then::kLater;
    {
      const std::lock_guard lock(mutex_);
      if (!unread_.empty() && !judge_.may_be_sent(made_at_)) return Then::kCut;
      const auto taken = std::min(room, unread_.size());
      bytes.append(unread_, 0, taken);
      unread_.erase(0, taken);
      asks = !is_asked_ && ending_ == Pieces::Then::kMore && unread_.size() < kUnreadBytesMax;
      if (asks) is_asked_ = true;
      if (!unread_.empty())
        then = Then::kMore;
      else if (ending_ != Pieces::Then::kMore)
        then = ending_ == Pieces::Then::kEnd ? Then::kEnd : Then::kCut;
    }
    if (asks) ask();
    return then;
  }

 private:
  void ask() {
    streams_.pool_.go_on(place_->line(), [weak = weak_from_this()] {
      if (const auto body = weak.lock()) body->make();
    });
  }

  void make() {
    std::string text;
    const auto made_at = judge_.now();
    auto then = Pieces::Then::kCut;
    try {
      then = pieces_->append_to(text);
    } catch (const std::exception& error) {
      streams_.log_fault_(responder_.request(), error.what());
    }
    std::function<void()> wake;
    {
      const std::lock_guard lock(mutex_);
      if (unread_.empty()) made_at_ = made_at;
      unread_ += text;
      ending_ = then;
      is_asked_ = false;
      wake = wake_;
    }
    if (wake) wake();
  }

  StreamingReplies& streams_;
  const Responder responder_;  // keeps the request, which pieces use
  const std::unique_ptr<Place> place_;
  const UnreadJudge judge_{streams_.services_, responder_.request()};
  const std::shared_ptr<Pieces> pieces_;  // called by one thread at a time
  std::mutex mutex_;                      // guards the members below
  std::function<void()> wake_;
  std::string unread_;
  std::uint64_t made_at_ = 0;  // UnreadJudge::now() before the first unread piece
  bool is_asked_ = false;
  Pieces::Then ending_ = Pieces::Then::kMore;
};

std::optional<Reply> StreamingReplies::begin(const Responder& responder, std::string line,
                                             std::shared_ptr<Pieces> pieces) {
  const bool is_heavy = pieces->is_heavy();
  {
    const std::lock_guard lock(mutex_);
    auto& of_line = lines_[line];
    const bool is_full = under_way_ >= kMax || (is_heavy && heavy_ >= kHeavyMax);
    if (is_full || of_line >= kOfProjectMax) {
      if (of_line == 0) lines_.erase(line);
      return std::nullopt;
    }
    ++of_line;
    ++under_way_;
    heavy_ += is_heavy ? 1U : 0U;
  }
  auto place = std::make_unique<Place>(*this, std::move(line), is_heavy);
  auto reply = pieces->head();
  reply.source = std::make_shared<Body>(*this, responder, std::move(place), std::move(pieces));
  return reply;
}

std::size_t StreamingReplies::under_way() const {
  const std::lock_guard lock(mutex_);
  return under_way_;
}

void StreamingReplies::leave(const std::string& line, bool is_heavy) {
  const std::lock_guard lock(mutex_);
  --under_way_;
  heavy_ -= is_heavy ? 1U : 0U;
  const auto found = lines_.find(line);
  if (--found->second == 0) lines_.erase(found);
}

}  // namespace pixledger::http
