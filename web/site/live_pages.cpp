#include "web/site/live_pages.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "web/common/payer_session.h"

namespace pixledger::web {
namespace {

constexpr std::chrono::milliseconds kLookForPagesEvery{1'000};
// Proxies forward the head once a byte follows it. Browsers reconnect soon after a stream ends.
constexpr std::string_view kFirst = "retry: 1000\n\n";
// For a stream that must end: the page polls meanwhile.
constexpr std::string_view kLater = "retry: 30000\n\n";

}  // namespace

LiveStream::LiveStream(LivePages& pages, std::string token, std::string network, std::size_t turn)
    : pages_(pages), token_(std::move(token)), network_(std::move(network)), turn_(turn), unread_(kFirst) {}

LiveStream::~LiveStream() { pages_.forget(*this); }

void LiveStream::begin(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

http::BodySource::Then LiveStream::append_to(std::string& bytes, std::size_t room) {
  const std::lock_guard lock(mutex_);
  if (is_cut_) return Then::kCut;
  const auto taken = std::min(room, unread_.size());
  bytes.append(unread_, 0, taken);
  unread_.erase(0, taken);
  if (unread_.empty()) unread_ = {};
  if (!unread_.empty()) return Then::kMore;
  return has_ended_ ? Then::kEnd : Then::kLater;
}

void LiveStream::write(std::string_view event) { change(false, event); }
void LiveStream::end() { change(true, {}); }

void LiveStream::change(bool ends, std::string_view more) {
  const std::lock_guard lock(mutex_);
  if (is_cut_) return;
  has_ended_ = has_ended_ || ends;
  unread_.append(more);
  if (unread_.size() > kUnreadBytesMax) {
    is_cut_ = true;
    unread_ = {};
    pages_.note_cut();
  }
  if (wake_) wake_();
}

LivePages::~LivePages() { assert(count_ == 0); }

std::shared_ptr<LiveStream> LivePages::open(const std::string& token, const std::string& network) {
  const std::string session(session_of(token));
  const std::lock_guard lock(mutex_);
  auto& of_session = by_session_[session];
  auto& of_network = by_network_[network];
  const auto of_token = std::count_if(of_session.begin(), of_session.end(),
                                      [&](const LiveStream* stream) { return stream->token_ == token; });
  if (has_ended_ || static_cast<std::size_t>(of_token) >= kStreamsOfTokenMax ||
      of_network.size() >= kStreamsOfNetworkMax) {
    if (of_session.empty()) by_session_.erase(session);
    if (of_network.empty()) by_network_.erase(network);
    return nullptr;
  }
  auto stream = std::make_shared<LiveStream>(*this, token, network, given_turn_++ % kTurns);
  of_session.insert(stream.get());
  stream->place_ = of_network.insert(of_network.end(), stream.get());
  by_turn_[stream->turn_].insert(stream.get());
  ++count_;
  if (++staying_ > most_) make_room();
  return stream;
}

// The newcomer counts already, so the network with the most pays for its own. A stream leaves once its end is
// sent.
void LivePages::make_room() {
  const auto most = std::max_element(
      by_network_.begin(), by_network_.end(),
      [](const auto& left, const auto& right) { return left.second.size() < right.second.size(); });
  if (most == by_network_.end()) return;
  auto& oldest = *most->second.front();
  leave_network(oldest);
  ++ended_for_others_;
  oldest.write(kLater);
  oldest.end();
}

void LivePages::leave_network(LiveStream& stream) {
  if (std::exchange(stream.is_leaving_, true)) return;
  --staying_;
  const auto found = by_network_.find(stream.network_);
  found->second.erase(stream.place_);
  if (found->second.empty()) by_network_.erase(found);
}

void LivePages::forget(LiveStream& stream) {
  const std::lock_guard lock(mutex_);
  leave_network(stream);
  by_turn_[stream.turn_].erase(&stream);
  const auto found = by_session_.find(std::string(session_of(stream.token_)));
  found->second.erase(&stream);
  if (found->second.empty()) by_session_.erase(found);
  --count_;
}

void LivePages::tell(std::string_view session, std::string_view event) {
  const std::lock_guard lock(mutex_);
  const auto found = by_session_.find(std::string(session));
  if (found == by_session_.end()) return;
  for (auto* stream : found->second) stream->write(event);
}

void LivePages::tell_all(std::string_view event) {
  const std::lock_guard lock(mutex_);
  for (auto& streams : by_turn_) {
    for (auto* stream : streams) stream->write(event);
  }
}

std::chrono::milliseconds LivePages::comment(Clock::time_point now) {
  const std::lock_guard lock(mutex_);
  if (now - next_turn_at_ > kCommentEvery) next_turn_at_ = now - kCommentEvery + kTurn;
  for (; next_turn_at_ <= now; next_turn_at_ += kTurn) {
    for (auto* stream : by_turn_[next_turn_]) stream->write(http::kStreamComment);
    next_turn_ = (next_turn_ + 1) % kTurns;
  }
  // Without pages fewer wake-ups suffice.
  return count_ == 0 ? kLookForPagesEvery : kTurn;
}

void LivePages::end_all() {
  const std::lock_guard lock(mutex_);
  has_ended_ = true;
  for (auto& streams : by_turn_) {
    for (auto* stream : streams) stream->end();
  }
}

}  // namespace pixledger::web
