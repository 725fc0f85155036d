#include "workers/providers/provider_worker.h"

#include <algorithm>
#include <atomic>
#include <cassert>

#include "workers/providers/work_maker.h"

namespace pixledger::workers {
namespace {

using projections::BankWork;
using std::chrono::milliseconds;

// How long a thread waits before it looks whether the clock was set.
constexpr milliseconds kLookAroundEvery{1'000};
// Accounts looked at side by side: one that hangs holds up no other.
constexpr std::size_t kPollsMax = 4;
constexpr std::chrono::minutes kSweepAgainAfter{10};

projections::LogCursor cursor_of(const projections::ProviderRepository& database) {
  auto cursor = database.cursor();
  assert(cursor.has_value());
  return *std::move(cursor);
}

std::tuple<int, std::string, std::string> key_of(const projections::BankWorkId& id) {
  return {static_cast<int>(id.kind), id.about.text(), id.refund};
}

}  // namespace

ProviderWorker::ProviderWorker(const ProviderWorkerParts& parts, ProviderWorkerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      subscription_(parts.log, cursor_of(parts.database)),
      banks_(parts.log, parts.keyring, parts.logger,
             {.clock = parts.clock, .entropy = parts.entropy, .network = parts.network}),
      ledger_(parts.executor),
      payments_(parts.log, parts.clock, parts.logger, ledger_),
      agent_({.log = parts.log,
              .clock = parts.clock,
              .logger = parts.logger,
              .banks = banks_,
              .ledger = ledger_,
              .payments = payments_}),
      poll_(parts.clock, parts.logger, banks_, parts.database, payments_),
      threads_([this] { request_stop(); }) {
  reader_ = threads_.start([this] { read(); });
  poller_ = threads_.start([this] { poll(); });
  for (unsigned i = 0; i < options_.agents; ++i) agents_.push_back(threads_.start([this] { act(); }));
}

ProviderWorker::~ProviderWorker() { stop(); }

void ProviderWorker::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  parts_.log.wake();
}

void ProviderWorker::stop() {
  if (!reader_.joinable()) return;
  request_stop();
  reader_.join();
  poller_.join();
  for (auto& agent : agents_) agent.join();
}

// --- the reader: events → work ---

void ProviderWorker::read() {
  const auto is_stopping = [this] {
    const std::lock_guard lock(mutex_);
    return stopping_;
  };
  while (!is_stopping())
    if (!subscription_.step(*this)) subscription_.wait(kLookAroundEvery, is_stopping);
}

void ProviderWorker::handle(const std::vector<domain::RecordedEvent>& events,
                            const projections::LogCursor& after) {
  std::vector<projections::BankChange> changes;
  for (const auto& event : events)
    for (auto& change : bank_changes_of(event, parts_.log)) changes.push_back(std::move(change));
  parts_.database.apply(changes, after);
  if (changes.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    look_again_ = true;
  }
  changed_.notify_all();
}

// --- the agents: work → the bank → commands ---

void ProviderWorker::act() {
  while (const auto work = take()) {
    std::optional<milliseconds> again = milliseconds(kLookAroundEvery);
    try {
      again = agent_.carry_out(*work);
    } catch (const eventstore::LogUnavailable& fault) {
      parts_.logger.warning("the ledger could not be read for now", {{"fault", fault.what()}});
    }
    finish(*work, again);
  }
}

std::optional<BankWork> ProviderWorker::take() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    while (!queue_.empty()) {
      auto next = std::move(queue_.back());
      queue_.pop_back();
      auto& of_connection = of_connection_[next.connection.text()];
      if (of_connection >= kOfConnectionMax || !in_work_.insert(key_of(next.id)).second) continue;
      ++of_connection;
      // Whoever looked out has work now: another has to.
      if (!one_looks_out_) changed_.notify_all();
      return next;
    }
    if (std::exchange(look_again_, false) && refill()) continue;
    const auto has_news = [this] { return stopping_ || look_again_ || !queue_.empty(); };
    if (one_looks_out_) {
      changed_.wait(lock, [&] { return has_news() || !one_looks_out_; });
      continue;
    }
    const auto now = parts_.clock.now();
    const auto next = parts_.database.next_due(now);
    const auto wait =
        next ? std::clamp(milliseconds(next->millis() - now.millis()), milliseconds(0), kLookAroundEvery)
             : kLookAroundEvery;
    one_looks_out_ = true;
    if (!changed_.wait_for(lock, wait, has_news)) look_again_ = true;
    one_looks_out_ = false;
  }
  return std::nullopt;
}

// With what is due and not in work. False when there is nothing.
bool ProviderWorker::refill() {
  auto due = parts_.database.due(parts_.clock.now(), 2 * kOfConnectionMax);
  std::erase_if(due, [this](const BankWork& work) { return in_work_.contains(key_of(work.id)); });
  std::reverse(due.begin(), due.end());
  queue_ = std::move(due);
  if (queue_.size() > 1) changed_.notify_all();
  return !queue_.empty();
}

void ProviderWorker::finish(const BankWork& work, std::optional<milliseconds> again) {
  if (again)
    parts_.database.postpone(work, parts_.clock.now().plus_millis(again->count()));
  else
    parts_.database.drop(work);
  {
    const std::lock_guard lock(mutex_);
    in_work_.erase(key_of(work.id));
    const auto of_connection = of_connection_.find(work.connection.text());
    if (--of_connection->second == 0) of_connection_.erase(of_connection);
    look_again_ = true;
  }
  changed_.notify_one();
}

// --- the poller: accounts → commands ---

bool ProviderWorker::sleep_until(std::unique_lock<std::mutex>& lock, Clock::time_point until) {
  changed_.wait_until(lock, until, [this] { return stopping_; });
  return !stopping_;
}

void ProviderWorker::poll() {
  std::vector<Tier> tiers;
  for (const auto& tier : options_.polls.tiers()) tiers.push_back({tier, Clock::now()});
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    for (auto& [tier, next] : tiers) {
      if (Clock::now() < next) continue;
      lock.unlock();
      const bool saw_all =
          look_at_accounts(tier, &tier == &tiers.front().tier ? BankPriority::kPoll : BankPriority::kSweep);
      lock.lock();
      next = Clock::now() + (saw_all ? tier.every : std::min<milliseconds>(tier.every, kSweepAgainAfter));
      if (stopping_) return;
    }
    auto soonest = tiers.front().next;
    for (const auto& tier : tiers) soonest = std::min(soonest, tier.next);
    if (!sleep_until(lock, std::min(soonest, Clock::now() + kLookAroundEvery))) return;
  }
}

bool ProviderWorker::look_at_accounts(const PollTier& tier, BankPriority priority) {
  const auto banks = parts_.database.banks();
  std::atomic<std::size_t> next{0};
  std::atomic<bool> saw_all{true};
  std::vector<std::thread> threads;
  const auto look = [&] {
    for (auto i = next++; i < banks.size(); i = next++) {
      {
        const std::lock_guard lock(mutex_);
        if (stopping_) return;
      }
      try {
        if (!poll_.look(banks[i], tier.back, priority)) saw_all = false;
      } catch (const eventstore::LogUnavailable& fault) {
        parts_.logger.warning("the ledger could not be read for now", {{"fault", fault.what()}});
        saw_all = false;
      }
    }
  };
  for (std::size_t i = 1; i < std::min(kPollsMax, banks.size()); ++i) threads.push_back(threads_.start(look));
  // On a thread as well, so that whatever it throws is kept for check() while the others are joined.
  threads.push_back(threads_.start(look));
  for (auto& thread : threads) thread.join();
  return saw_all;
}

}  // namespace pixledger::workers
