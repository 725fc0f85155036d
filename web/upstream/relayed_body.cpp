#include "web/upstream/relayed_body.h"

#include <algorithm>
#include <utility>

namespace pixledger::web {

void RelayedBody::begin(std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  wake_ = std::move(wake);
}

http::BodySource::Then RelayedBody::append_to(std::string& bytes, std::size_t room) {
  bool has_room = false;
  auto then = Then::kMore;
  {
    const std::lock_guard lock(mutex_);
    if (is_cut_) return Then::kCut;
    const auto taken = std::min(room, unread_.size());
    bytes.append(unread_, 0, taken);
    unread_.erase(0, taken);
    if (unread_.empty()) {
      unread_ = {};
      then = has_ended_ ? Then::kEnd : Then::kLater;
    }
    has_room = unread_.size() < kUnreadBytesMax && std::exchange(is_waited_for_, false);
  }
  if (has_room) wants_more_();
  return then;
}

bool RelayedBody::add(std::string& bytes) {
  bool has_room = false;
  change([&] {
    has_room = unread_.size() < kUnreadBytesMax;
    is_waited_for_ = !has_room;
    if (has_room) unread_.append(bytes);
  });
  if (has_room) bytes.clear();
  return has_room;
}

void RelayedBody::end() {
  change([this] { has_ended_ = true; });
}

void RelayedBody::cut() {
  change([this] {
    is_cut_ = true;
    unread_ = {};
  });
}

void RelayedBody::change(const std::function<void()>& what) {
  const std::lock_guard lock(mutex_);
  what();
  if (wake_) wake_();
}

}  // namespace pixledger::web
