#pragma once

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "stores/deliveries/delivery.h"

namespace pixledger::workers {

// Due deliveries, shared fairly among receivers, and the results. Holds a window of each channel's due
// deliveries; the database holds all. One keeper fills it and takes the results; many senders empty it.
// Thread-safe.
class SendQueue {
 public:
  static constexpr std::size_t kReadyPerChannelMax = 256;

  // A host that answers later is slow.
  static constexpr std::chrono::milliseconds kPromptAnswer{2'000};
  // Number of hosts whose state is remembered.
  static constexpr std::size_t kHostsMax = 10'000;

  // A host that answers promptly may use a quarter of the senders. A host that is new, slow or broke off last
  // time may use two; one that did not answer may use one. All of these together may use half of the senders,
  // so that slow receivers never block the others.
  explicit SendQueue(std::size_t senders)
      : host_senders_max_(std::max<std::size_t>(2, senders / 4)),
        doubtful_senders_max_(std::max<std::size_t>(1, senders / 2)) {}

  // --- the reader and the keeper ---

  // From this time on the database has deliveries for this channel.
  void wake(const domain::ChannelId& channel, Timestamp from);

  struct Refill {
    domain::ChannelId channel;
    std::size_t limit;  // deliveries to read: free space plus those already here, which the database still
                        // counts as due
  };
  struct Work {
    std::vector<stores::AttemptRecord> results;
    std::vector<Refill> refills;
  };
  // Waits up to `timeout` for work. Nullopt: closed, and nothing is left.
  std::optional<Work> wait_for_work(Timestamp now, std::chrono::milliseconds timeout);

  // The result of a refill. Skips deliveries that are here already. `next_due` is when the database has more.
  void put(const domain::ChannelId& channel, const std::string& host, std::vector<stores::Delivery> due,
           std::optional<Timestamp> next_due);

  // The channel was stopped: drops its queued deliveries. Those being sent continue.
  void drop(const domain::ChannelId& channel);
  // This delivery has changed: drops its queued copy. If it is being sent, that continues.
  void drop(const domain::ChannelId& channel, const domain::DeliveryId& delivery);

  // The results are in the database: the deliveries may be queued again.
  void forget(const std::vector<stores::AttemptRecord>& recorded);

  // --- the senders ---

  // Blocks; nullopt once the queue has stopped.
  std::optional<stores::Delivery> take();
  // The sender will call take() again or has stopped, so no other sender is woken for the freed slot.
  void finish(stores::AttemptRecord result);

  // How many senders a host may use now.
  std::size_t senders_max(const std::string& host) const;

  // --- shutdown: first stop(), then close() once no sender is left ---

  // Ends take(); results of deliveries already taken are still accepted.
  void stop();
  // No further results: wait_for_work() returns the remaining ones, then nullopt.
  void close();

 private:
  struct Channel {
    std::string host;
    std::deque<stores::Delivery> ready;
    std::size_t known = 0;             // ready, being sent, or sent and not recorded yet
    std::optional<Timestamp> wake_at;  // when the database has more
    bool refilling = false;
    std::uint64_t served = 0;  // when it last got a sender, for taking turns
  };
  struct Host {
    std::size_t sending = 0;
    std::size_t senders_max = kDoubtfulHostSenders;
    bool doubtful = true;  // it has not answered yet, or not promptly
  };
  static constexpr std::size_t kDoubtfulHostSenders = 2;
  static constexpr std::size_t kSilentHostSenders = 1;

  bool wants_refill(const Channel& channel, Timestamp now) const;
  std::vector<Refill> start_refills(Timestamp now);
  std::chrono::milliseconds time_to_next_wake(Timestamp now, std::chrono::milliseconds at_most) const;
  void poke();
  std::optional<domain::ChannelId> next_channel() const;
  bool has_room(const Host& host) const;
  void judge(Host& host, const stores::DeliveryAttempt& attempt);
  void forget_idle_hosts();

  const std::size_t host_senders_max_;
  const std::size_t doubtful_senders_max_;
  mutable std::mutex mutex_;
  std::condition_variable ready_;
  std::condition_variable work_;
  std::unordered_map<domain::ChannelId, Channel> channels_;
  std::unordered_set<domain::ChannelId> active_;  // channels with ready deliveries
  std::unordered_map<std::string, Host> hosts_;
  std::unordered_set<std::int64_t> known_;
  std::vector<stores::AttemptRecord> results_;
  std::size_t doubtful_sending_ = 0;  // senders at doubtful hosts
  std::uint64_t turn_ = 0;
  std::size_t waiting_ = 0;  // senders
  bool poked_ = false;       // wakes the keeper
  bool stopped_ = false;
  bool closed_ = false;
};

}  // namespace pixledger::workers
