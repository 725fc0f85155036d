#include "tools/operations/restart_policy.h"

#include <algorithm>

namespace pixledger::tools {

void RestartPolicy::note_end(std::chrono::steady_clock::duration ran) {
  const bool stayed_up = ran >= kStaysUp;
  stayed_up_ = stayed_up_ || stayed_up;
  failures_ = stayed_up ? 1 : failures_ + 1;
}

std::chrono::milliseconds RestartPolicy::pause() const {
  auto pause = kFirstPause;
  for (unsigned i = 1; i < failures_ && pause < kLongestPause; ++i) pause *= 2;
  return std::min(pause, kLongestPause);
}

}  // namespace pixledger::tools
