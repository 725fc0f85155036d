#include "workers/banks/api_pix/breaker.h"

#include <algorithm>

namespace pixledger::workers {

Breaker::Pass Breaker::admit(BootTime now) {
  if (!open_) return Pass::kGo;
  if (probing_ || now < probe_at_) return Pass::kNo;
  probing_ = true;
  return Pass::kProbe;
}

void Breaker::succeeded(Pass pass) {
  if (pass == Pass::kProbe) return close();
  if (!open_) count(false);
}

void Breaker::failed(Pass pass, BootTime now) {
  if (pass == Pass::kProbe) {
    probing_ = false;
    probe_after_ = std::min<BootTime>(2 * probe_after_, kProbeMax);
    probe_at_ = now + probe_after_;
    return;
  }
  if (open_) return;  // began before it opened
  count(true);
  const auto faults = static_cast<std::size_t>(std::count(faults_.begin(), faults_.end(), true));
  if (in_a_row_ < kFaultsInARow && (seen_ < kWindow || 2 * faults < kWindow)) return;
  open_ = true;
  probe_after_ = kFirstProbe;
  probe_at_ = now + probe_after_;
}

void Breaker::cancelled(Pass pass) {
  if (pass == Pass::kProbe) probing_ = false;
}

void Breaker::count(bool fault) {
  faults_[seen_ % kWindow] = fault;
  ++seen_;
  in_a_row_ = fault ? in_a_row_ + 1 : 0;
}

void Breaker::close() { *this = Breaker(); }

}  // namespace pixledger::workers
