#include "base/platform/last_words.h"

#include <cstdio>
#include <cstdlib>

namespace pixledger {

void LastWords::tell_to(Tell tell) {
  const std::lock_guard lock(mutex_);
  tell_ = std::move(tell);
}

void LastWords::end(const std::string& reason) const {
  const std::lock_guard lock(mutex_);
  if (tell_)
    tell_(reason);
  else
    std::fprintf(stderr, "pixledger: %s\n", reason.c_str());
  std::_Exit(3);
}

}  // namespace pixledger
