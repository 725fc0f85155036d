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

// What is to be sent now, shared out fairly among the receivers, and what came of it. Holds a window of each
// channel's due deliveries; the database holds them all. One keeper fills it and takes the results, many
// senders empty it. Thread-safe.
class SendQueue {
 public:
  static constexpr std::size_t kReadyPerChannelMax = 256;

  // A host that answers later than that is slow.
  static constexpr std::chrono::milliseconds kPromptAnswer{2'000};
  // The states of so many hosts are remembered.
  static constexpr std::size_t kHostsMax = 10'000;

  // A host that answers promptly may have a quarter of the senders. One that is new, slow or broke off last
  // time may have two, one that kept silent a single one, and all of these together half of the senders, so
  // that receivers that are slow or down never hold up the others.
  explicit SendQueue(std::size_t senders)
      : host_senders_max_(std::max<std::size_t>(2, senders / 4)),
        doubtful_senders_max_(std::max<std::size_t>(1, senders / 2)) {}

  // --- the reader and the keeper ---

  // The database has something to send to this channel from then on.
  void wake(const domain::ChannelId& channel, Timestamp from);

  struct Refill {
    domain::ChannelId channel;
    std::size_t
        limit;  // deliveries to read: room, and those already here, which the database still counts as due
  };
  struct Work {
    std::vector<stores::AttemptRecord> results;
    std::vector<Refill> refills;
  };
  // Waits until there may be something to do, at most so long. nullopt: closed, and nothing is left.
  std::optional<Work> wait_for_work(Timestamp now, std::chrono::milliseconds timeout);

  // The answer to a refill. Deliveries that are here already are left out. `next_due`: when the database has
  // more.
  void put(const domain::ChannelId& channel, const std::string& host, std::vector<stores::Delivery> due,
           std::optional<Timestamp> next_due);

  // The channel takes nothing anymore: what is here for it is not sent. What is being sent is.
  void drop(const domain::ChannelId& channel);
  // This delivery has changed: it is not sent as it is here. If it is being sent, that goes on.
  void drop(const domain::ChannelId& channel, const domain::DeliveryId& delivery);

  // The results are in the database: the deliveries may come again.
  void forget(const std::vector<stores::AttemptRecord>& recorded);

  // --- the senders ---

  // Waits; nullopt when the queue has stopped.
  std::optional<stores::Delivery> take();
  // The sender takes again or has stopped: nobody else is woken for the room that it leaves.
  void finish(stores::AttemptRecord result);

  // How many senders a host may have now.
  std::size_t senders_max(const std::string& host) const;

  // --- the end: first stop(), then, when no sender is left, close() ---

  // No further take(); the results of what was taken still come.
  void stop();
  // No further results: wait_for_work() hands out those that are left, then nullopt.
  void close();

 private:
  struct Channel {
    std::string host;
    std::deque<stores::Delivery> ready;
    std::size_t known = 0;             // ready, being sent, or sent and not recorded yet
    std::optional<Timestamp> wake_at;  // the database has more from then on
    bool refilling = false;
    std::uint64_t served = 0;  // when it last got a sender, to take turns
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
  std::unordered_set<domain::ChannelId> active_;  // channels with something ready
  std::unordered_map<std::string, Host> hosts_;
  std::unordered_set<std::int64_t> known_;
  std::vector<stores::AttemptRecord> results_;
  std::size_t doubtful_sending_ = 0;  // senders at doubtful hosts
  std::uint64_t turn_ = 0;
  std::size_t waiting_ = 0;  // senders
  bool poked_ = false;       // the keeper has to look again
  bool stopped_ = false;
  bool closed_ = false;
};

}  // namespace pixledger::workers
