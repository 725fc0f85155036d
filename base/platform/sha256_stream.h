#pragma once

#include <memory>
#include <string_view>

#include "base/platform/sha256.h"

namespace pixledger {

// SHA-256 of what comes bit by bit. Not for several threads at once.
class Sha256Stream {
 public:
  Sha256Stream();
  ~Sha256Stream();
  Sha256Stream(const Sha256Stream&) = delete;
  Sha256Stream& operator=(const Sha256Stream&) = delete;

  void update(std::string_view bytes);
  // Of everything so far. To be called once, last.
  Digest finish();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace pixledger
