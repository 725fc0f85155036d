#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "http/message/reply.h"

// Server-sent events (WHATWG HTML §9.2) that go on for as long as somebody reads them.
namespace pixledger::http {

inline constexpr std::string_view kStreamComment = ":\n\n";

// Between the thread that looks for events and the loop that sends them.
class StreamBody final : public BodySource {
 public:
  void begin(std::function<void()> wake) override {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
  }

  Then append_to(std::string& bytes, std::size_t room) override {
    const std::lock_guard lock(mutex_);
    const auto taken = std::min(room, unread_.size());
    bytes.append(unread_, 0, taken);
    unread_.erase(0, taken);
    if (!unread_.empty()) return Then::kMore;
    return has_ended_ ? Then::kEnd : Then::kLater;
  }

  std::size_t unread() const {
    const std::lock_guard lock(mutex_);
    return unread_.size();
  }

  void write(std::string_view bytes) {
    change([&] { unread_.append(bytes); });
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

  mutable std::mutex mutex_;
  std::function<void()> wake_;
  std::string unread_ = std::string(kStreamComment);  // proxies pass the head on once something follows it
  bool has_ended_ = false;
};

inline Reply stream_reply(std::shared_ptr<StreamBody> body) {
  Reply reply;
  reply.content_type = "text/event-stream";
  reply.headers.push_back({"X-Accel-Buffering", "no"});
  reply.source = std::move(body);
  return reply;
}

}  // namespace pixledger::http
