#include "workers/webhooks/send_queue.h"

#include <iterator>
#include <tuple>
#include <utility>

// The database holds everything that is due; the queue holds a window of it, so that senders never wait for
// SQLite.
//
// A channel sleeps until `wake_at`. It is refilled with at most kReadyPerChannelMax deliveries when its
// window is less than half full, and is in `active_` while it has ready ones. A delivery is `known_` from its
// refill until its result is recorded: until then the database still counts it as due and would return it
// again.
//
// A sender takes from the channel whose host has the fewest senders, and among those from the one served
// longest ago. A host's limit of senders changes with each answer: one more after a prompt one, down to two
// or one after others. Doubtful hosts together have at most half of the senders, so a receiver that is down
// does not delay others. Each sender that finds work wakes one more, never all.
namespace pixledger::workers {

using stores::AttemptRecord;
using stores::Delivery;

void SendQueue::wake(const domain::ChannelId& id, Timestamp from) {
  const std::lock_guard lock(mutex_);
  auto& channel = channels_[id];
  channel.wake_at = channel.wake_at ? std::min(*channel.wake_at, from) : from;
  poke();
}

void SendQueue::poke() {
  poked_ = true;
  work_.notify_one();
}

bool SendQueue::wants_refill(const Channel& channel, Timestamp now) const {
  return !stopped_ && !channel.refilling && channel.wake_at && *channel.wake_at <= now &&
         channel.ready.size() < kReadyPerChannelMax / 2;
}

std::vector<SendQueue::Refill> SendQueue::start_refills(Timestamp now) {
  std::vector<Refill> refills;
  for (auto& [id, channel] : channels_) {
    if (!wants_refill(channel, now)) continue;
    channel.refilling = true;
    channel.wake_at.reset();
    refills.push_back({id, kReadyPerChannelMax - channel.ready.size() + channel.known});
  }
  return refills;
}

std::chrono::milliseconds SendQueue::time_to_next_wake(Timestamp now,
                                                       std::chrono::milliseconds at_most) const {
  auto wait = at_most;
  for (const auto& [id, channel] : channels_) {
    const bool has_room = !channel.refilling && channel.ready.size() < kReadyPerChannelMax / 2;
    if (!channel.wake_at || !has_room) continue;
    wait = std::min(
        wait, std::chrono::milliseconds(std::max<std::int64_t>(0, channel.wake_at->millis() - now.millis())));
  }
  return wait;
}

std::optional<SendQueue::Work> SendQueue::wait_for_work(Timestamp now, std::chrono::milliseconds timeout) {
  std::unique_lock lock(mutex_);
  Work work{std::exchange(results_, {}), start_refills(now)};
  if (!work.results.empty() || !work.refills.empty()) return work;
  if (closed_) return std::nullopt;
  const auto wait = stopped_ ? timeout : time_to_next_wake(now, timeout);
  work_.wait_for(lock, wait, [this] { return poked_; });
  poked_ = false;
  return work;
}

void SendQueue::put(const domain::ChannelId& id, const std::string& host, std::vector<Delivery> due,
                    std::optional<Timestamp> next_due) {
  const std::lock_guard lock(mutex_);
  auto& channel = channels_[id];
  // Deliveries being sent count under the host they were taken for.
  if (channel.known == 0) channel.host = host;
  channel.refilling = false;
  if (next_due) channel.wake_at = channel.wake_at ? std::min(*channel.wake_at, *next_due) : *next_due;
  for (auto& delivery : due) {
    if (!known_.insert(delivery.number).second) continue;
    ++channel.known;
    channel.ready.push_back(std::move(delivery));
  }
  if (!channel.ready.empty()) active_.insert(id);
  if (channel.known == 0 && !channel.wake_at) channels_.erase(id);
  ready_.notify_one();
}

void SendQueue::drop(const domain::ChannelId& id) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(id);
  if (found == channels_.end()) return;
  auto& channel = found->second;
  for (const auto& delivery : channel.ready) known_.erase(delivery.number);
  channel.known -= channel.ready.size();
  channel.ready.clear();
  active_.erase(id);
}

void SendQueue::drop(const domain::ChannelId& id, const domain::DeliveryId& delivery) {
  const std::lock_guard lock(mutex_);
  const auto found = channels_.find(id);
  if (found == channels_.end()) return;
  auto& channel = found->second;
  const auto it = std::find_if(channel.ready.begin(), channel.ready.end(),
                               [&delivery](const Delivery& ready) { return ready.id == delivery; });
  if (it == channel.ready.end()) return;
  known_.erase(it->number);
  --channel.known;
  channel.ready.erase(it);
  if (channel.ready.empty()) active_.erase(id);
}

void SendQueue::forget(const std::vector<AttemptRecord>& recorded) {
  const std::lock_guard lock(mutex_);
  for (const auto& record : recorded) {
    if (known_.erase(record.delivery_number) != 0) --channels_[record.channel].known;
  }
}

bool SendQueue::has_room(const Host& host) const {
  if (host.doubtful && doubtful_sending_ >= doubtful_senders_max_) return false;
  return host.sending < host.senders_max;
}

std::optional<domain::ChannelId> SendQueue::next_channel() const {
  std::optional<domain::ChannelId> best;
  std::tuple<std::size_t, std::uint64_t> best_rank;
  for (const auto& id : active_) {
    const auto& channel = channels_.at(id);
    const auto host = hosts_.find(channel.host);
    const auto& state = host == hosts_.end() ? Host{} : host->second;
    if (!has_room(state)) continue;
    const std::tuple rank(state.sending, channel.served);
    if (best && rank >= best_rank) continue;
    best = id;
    best_rank = rank;
  }
  return best;
}

std::optional<Delivery> SendQueue::take() {
  std::unique_lock lock(mutex_);
  std::optional<domain::ChannelId> id;
  ++waiting_;
  ready_.wait(lock, [&] { return stopped_ || (id = next_channel()); });
  --waiting_;
  if (stopped_) return std::nullopt;
  auto& channel = channels_.at(*id);
  auto delivery = std::move(channel.ready.front());
  channel.ready.pop_front();
  channel.served = ++turn_;
  auto& host = hosts_[channel.host];
  ++host.sending;
  if (host.doubtful) ++doubtful_sending_;
  if (channel.ready.empty()) active_.erase(*id);
  if (channel.wake_at && channel.ready.size() == kReadyPerChannelMax / 2 - 1) poke();
  // Each sender that finds work wakes the next one, instead of waking all for one delivery.
  if (waiting_ > 0 && next_channel()) ready_.notify_one();
  return delivery;
}

void SendQueue::judge(Host& host, const stores::DeliveryAttempt& attempt) {
  const bool answered = attempt.http_status != 0;
  const bool quick = attempt.latency_ms < kPromptAnswer.count();
  const bool prompt = answered && quick;
  if (prompt == host.doubtful) {
    if (prompt)
      doubtful_sending_ -= host.sending;
    else
      doubtful_sending_ += host.sending;
    host.doubtful = !prompt;
  }
  if (prompt)
    host.senders_max = std::min(host.senders_max + 1, host_senders_max_);
  else
    host.senders_max = answered || quick ? kDoubtfulHostSenders : kSilentHostSenders;
}

std::size_t SendQueue::senders_max(const std::string& host) const {
  const std::lock_guard lock(mutex_);
  const auto found = hosts_.find(host);
  return found == hosts_.end() ? Host{}.senders_max : found->second.senders_max;
}

void SendQueue::forget_idle_hosts() {
  for (auto host = hosts_.begin(); host != hosts_.end();)
    host = host->second.sending == 0 ? hosts_.erase(host) : std::next(host);
}

void SendQueue::finish(AttemptRecord result) {
  const std::lock_guard lock(mutex_);
  auto& host = hosts_[channels_.at(result.channel).host];
  --host.sending;
  if (host.doubtful) --doubtful_sending_;
  if (result.attempt) judge(host, *result.attempt);
  if (hosts_.size() > kHostsMax) forget_idle_hosts();
  results_.push_back(std::move(result));
  poke();
}

void SendQueue::stop() {
  const std::lock_guard lock(mutex_);
  stopped_ = true;
  ready_.notify_all();
  poke();
}

void SendQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  poke();
}

}  // namespace pixledger::workers
