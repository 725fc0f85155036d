#include "workers/banks/api_pix/call_limits.h"

#include <algorithm>
#include <numeric>
#include <utility>

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

namespace {

constexpr std::int64_t kRequest = 1'000'000;  // in tokens
constexpr std::int64_t kSlowest = 16;         // the least part of the nominal rate
constexpr BootTime kAskOwnerEvery{100};       // whether the gate's owner is to stop

bool is_patient(BankPriority priority) { return priority >= BankPriority::kPoll; }

std::int64_t burst_of(std::int64_t nominal) { return nominal * (kRequest / 1'000); }

}  // namespace

RatePlan::RatePlan(int per_second, BootTime now)
    : nominal_(std::int64_t{per_second} * 1'000),
      slowed_to_(nominal_),
      slowed_at_(now - kRecovery),
      tokens_(burst_of(nominal_)),
      counted_at_(now) {}

void RatePlan::advance(BootTime now) {
  // A rate of thousandths a second times milliseconds is millionths of a request.
  const auto passed = std::clamp<BootTime>(now - counted_at_, BootTime(0), kRecovery).count();
  tokens_ = std::min(burst_of(nominal_), tokens_ + rate(now) * passed);
  counted_at_ = std::max(counted_at_, now);
}

std::optional<BootTime> RatePlan::earliest(BankPriority priority, BootTime now) {
  if (in_flight_ == kInFlightMax) return std::nullopt;
  if (is_patient(priority) && patient_in_flight_ == kPatientInFlightMax) return std::nullopt;
  advance(now);
  const auto missing = std::max<std::int64_t>(kRequest - tokens_, 0);
  const auto current = rate(now);
  return std::max(now + BootTime((missing + current - 1) / current), paused_until_);
}

void RatePlan::begin(BankPriority priority, BootTime now) {
  advance(now);
  tokens_ -= kRequest;
  ++in_flight_;
  if (is_patient(priority)) ++patient_in_flight_;
}

void RatePlan::end(BankPriority priority) {
  --in_flight_;
  if (is_patient(priority)) --patient_in_flight_;
}

void RatePlan::slow_down(BootTime now, std::optional<std::chrono::milliseconds> retry_after) {
  advance(now);
  const auto pause = std::min<BootTime>(retry_after.value_or(kUsualPause), kRetryAfterMax);
  paused_until_ = std::max(paused_until_, now + pause);
  tokens_ = std::min<std::int64_t>(tokens_, 0);
  // Requests under way together report together.
  if (now - slowed_at_ < kUsualPause) return;
  slowed_to_ = std::max(rate(now) / 2, nominal_ / kSlowest);
  slowed_at_ = now;
}

std::int64_t RatePlan::rate(BootTime now) const {
  const auto passed = std::clamp<BootTime>(now - slowed_at_, BootTime(0), kRecovery).count();
  return std::min(nominal_, slowed_to_ + nominal_ * passed / BootTime(kRecovery).count());
}

RateGate::RateGate(const Clock& clock, int per_second, std::function<bool()> is_stopping)
    : clock_(clock), is_stopping_(std::move(is_stopping)), plan_(per_second, boot_time(clock)) {}

RateGate::Pass::~Pass() {
  if (gate_ != nullptr) gate_->leave(priority_);
}

bool RateGate::is_first(BankPriority priority) const {
  const auto* const own = waiting_.begin() + static_cast<std::ptrdiff_t>(priority);
  return std::all_of(waiting_.begin(), own, [](std::size_t count) { return count == 0; });
}

std::variant<RateGate::Pass, BootTime> RateGate::enter(BankPriority priority, BootTime begin_by) {
  std::unique_lock lock(mutex_);
  auto& waiting = waiting_[static_cast<std::size_t>(priority)];
  ++waiting;
  std::optional<BootTime> too_late;
  while (true) {
    const auto now = boot_time(clock_);
    const auto earliest = plan_.earliest(priority, now);
    const bool stopping = is_stopping_ && is_stopping_();
    if (!stopping && earliest && *earliest <= now && is_first(priority)) break;
    if (earliest && *earliest > begin_by) too_late = *earliest;
    if (stopping || now >= begin_by) too_late = std::max(earliest.value_or(now), now);
    if (too_late) break;
    const auto until = earliest && *earliest > now ? std::min(*earliest, begin_by) : begin_by;
    changed_.wait_for(lock, is_stopping_ ? std::min(until - now, kAskOwnerEvery) : until - now);
  }
  --waiting;
  changed_.notify_all();
  if (too_late) return *too_late;
  plan_.begin(priority, boot_time(clock_));
  return Pass(*this, priority);
}

std::size_t RateGate::waiting() const {
  const std::lock_guard lock(mutex_);
  return std::accumulate(waiting_.begin(), waiting_.end(), std::size_t{0});
}

void RateGate::leave(BankPriority priority) {
  {
    const std::lock_guard lock(mutex_);
    plan_.end(priority);
  }
  changed_.notify_all();
}

void RateGate::slow_down(std::optional<std::chrono::milliseconds> retry_after) {
  const std::lock_guard lock(mutex_);
  plan_.slow_down(boot_time(clock_), retry_after);
}

}  // namespace pixledger::workers
