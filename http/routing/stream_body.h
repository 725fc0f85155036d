#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "base/http/message/reply.h"

// Endless server-sent events (WHATWG HTML §9.2).
namespace pixledger::http {

// Passes events from the thread that finds them to the loop that sends them.
class StreamBody final : public BodySource {
 public:
  // Whether unread events made at `made_at` may still be sent. Called on the loop's thread.
  using MayBeSent = std::function<bool(std::uint64_t made_at)>;

  explicit StreamBody(MayBeSent may_be_sent = {}) : may_be_sent_(std::move(may_be_sent)) {}

  void begin(std::function<void()> wake) override {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

  Then append_to(std::string& bytes, std::size_t room) override {
    const std::lock_guard lock(mutex_);
    if (has_events_ && may_be_sent_ && !may_be_sent_(made_at_)) return Then::kCut;
    const auto taken = std::min(room, unread_.size());
    bytes.append(unread_, 0, taken);
    unread_.erase(0, taken);
    if (!unread_.empty()) return Then::kMore;
    has_events_ = false;
    return has_ended_ ? Then::kEnd : Then::kLater;
  }

  std::size_t unread() const {
    const std::lock_guard lock(mutex_);
    return unread_.size();
  }

  // Writes a comment of the stream.
  void write(std::string_view bytes) {
    change([&] { unread_.append(bytes); });
  }
  void write_events(std::string_view events, std::uint64_t made_at) {
    change([&] {
      unread_.append(events);
      if (!std::exchange(has_events_, true)) made_at_ = made_at;
    });
  }
  void end() {
    change([this] { has_ended_ = true; });
  }

 private:
  template <class Change>
  void change(const Change& change) {
    std::function<void()> wake;
    {
      const std::lock_guard lock(mutex_);
      change();
      wake = wake_;
    }
    if (wake) wake();
  }

  const MayBeSent may_be_sent_;
  mutable std::mutex mutex_;
  std::function<void()> wake_;
  bool has_events_ = false;  // among the unread bytes; the first was made at `made_at_`
  std::uint64_t made_at_ = 0;
  std::string unread_ = std::string(kStreamComment);  // proxies forward the head once a byte follows it
  bool has_ended_ = false;
};

inline Reply stream_reply(std::shared_ptr<StreamBody> body) {
  Reply reply;
  reply.content_type = kEventStream;
  reply.headers.push_back({"X-Accel-Buffering", "no"});
  reply.source = std::move(body);
  return reply;
}

}  // namespace pixledger::http
