#include "web/live/live_pages.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "web/session/page_token.h"

namespace pixledger::web {
namespace {

constexpr std::string_view kComment = ":\n\n";
constexpr std::chrono::milliseconds kLookForPagesEvery{1'000};
// Proxies pass the head on once something follows it; and a browser comes back soon after a stream has ended.
constexpr std::string_view kFirst = "retry: 1000\n\n";

}  // namespace

LiveStream::LiveStream(LivePages& pages, std::string token, std::size_t turn)
    : pages_(pages), token_(std::move(token)), turn_(turn), unread_(kFirst) {}

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

std::shared_ptr<LiveStream> LivePages::open(const std::string& token) {
  const std::string session(session_of(token));
  const std::lock_guard lock(mutex_);
  auto& of_session = by_session_[session];
  const auto of_token = std::count_if(of_session.begin(), of_session.end(),
                                      [&](const LiveStream* stream) { return stream->token_ == token; });
  if (has_ended_ || static_cast<std::size_t>(of_token) >= kStreamsOfTokenMax) {
    if (of_session.empty()) by_session_.erase(session);
    return nullptr;
  }
  auto stream = std::make_shared<LiveStream>(*this, token, given_turn_++ % kTurns);
  of_session.insert(stream.get());
  by_turn_[stream->turn_].insert(stream.get());
  ++count_;
  return stream;
}

void LivePages::forget(LiveStream& stream) {
  const std::lock_guard lock(mutex_);
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
    for (auto* stream : by_turn_[next_turn_]) stream->write(kComment);
    next_turn_ = (next_turn_ + 1) % kTurns;
  }
  // Without pages there is nobody to wake up for.
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
