#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "base/http/message/body_source.h"

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

}  // namespace pixledger::web
