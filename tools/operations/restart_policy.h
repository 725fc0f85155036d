#pragma once

#include <chrono>

namespace pixledger::tools {

// What the ends of one program say about it: whether it is ever going to stay up, and how long to wait before
// it is started again.
class RestartPolicy {
 public:
  // Whoever runs this long has started well. A server waits 10 s for read models that another process holds
  // before it fails, besides what opening the ledger takes: that must not count.
  static constexpr std::chrono::seconds kStaysUp{30};
  static constexpr unsigned kFailuresAtStart = 5;  // of a program that has never stayed up
  static constexpr std::chrono::milliseconds kFirstPause{200};
  static constexpr std::chrono::milliseconds kLongestPause{30'000};

  // It ended after so long.
  void note_end(std::chrono::steady_clock::duration ran);
  // Has failed at every start, and often enough.
  bool is_hopeless() const { return !stayed_up_ && failures_ >= kFailuresAtStart; }
  // Doubles while it keeps failing.
  std::chrono::milliseconds pause() const;

 private:
  unsigned failures_ = 0;  // ends in a row without having stayed up
  bool stayed_up_ = false;
};

}  // namespace pixledger::tools
