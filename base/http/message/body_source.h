#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace pixledger::http {

// The body of a reply that is made while it is sent: asked for more whenever there is room for it, so that it
// is never made faster than it is read. Used by the loop that has the connection, and destroyed by it when
// the reply has ended or its peer has gone.
class BodySource {
 public:
  enum class Then {
    kMore,   // ask again as soon as there is room
    kLater,  // nothing now: ask again when `wake` was called
    kEnd,    // that was all
    kCut     // the reply cannot be completed, or its reader is too slow: the connection is cut
  };

  virtual ~BodySource() = default;
  // Called once, before anything else. `wake` may be called from any thread, also when the reply has ended.
  virtual void begin(std::function<void()> wake) = 0;
  // Appends about `room` bytes at most.
  virtual Then append_to(std::string& bytes, std::size_t room) = 0;
};

}  // namespace pixledger::http
