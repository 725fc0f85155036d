#pragma once

#include <array>
#include <cstddef>

#include "workers/banks/api_pix/boot_time.h"

namespace pixledger::workers {

// Leaves a bank alone that does not work: open after 5 faults in a row, or when half of the last 20 requests
// were faults. From then on one request is let through as a probe, after 5 s and then after twice as long
// each time, at most 60 s; when one goes well all is as before. Faults are transport failures and statuses
// from 500 on. Not for several threads.
class Breaker {
 public:
  static constexpr std::size_t kFaultsInARow = 5;
  static constexpr std::size_t kWindow = 20;
  static constexpr std::chrono::seconds kFirstProbe{5};
  static constexpr std::chrono::seconds kProbeMax{60};

  enum class Pass { kGo, kProbe, kNo };

  // Whether a request may begin. What became of it is told with the pass that it got, unless that was kNo.
  Pass admit(BootTime now);
  void succeeded(Pass pass);
  void failed(Pass pass, BootTime now);
  // It was never sent. Changes nothing for one whose end was told.
  void cancelled(Pass pass);

  bool is_open() const { return open_; }
  // When the next probe may begin; while open.
  BootTime probe_at() const { return probe_at_; }

 private:
  void count(bool fault);
  void close();

  bool open_ = false;
  bool probing_ = false;
  BootTime probe_at_{0};
  BootTime probe_after_{0};
  std::size_t in_a_row_ = 0;
  std::array<bool, kWindow> faults_{};  // of the last requests, a ring
  std::size_t seen_ = 0;
};

}  // namespace pixledger::workers
