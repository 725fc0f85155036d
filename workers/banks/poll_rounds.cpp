#include "workers/banks/poll_rounds.h"

#include <algorithm>

#include "eventstore/log/log.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;

// How often new accounts are looked up.
constexpr milliseconds kListEvery{1'000};
// Accounts polled in parallel.
constexpr std::size_t kOfFirstTier = 32;
constexpr std::size_t kOfOtherTiers = 4;
constexpr std::chrono::minutes kAgainAfter{10};
constexpr milliseconds kShortestPause{100};
// A bank counts as calling back if it did so within this time.
constexpr std::int64_t kCallsBackMs = 3'600'000;

}  // namespace

PollRounds::PollRounds(const Parts& parts, const PollPlan& plan) : parts_(parts) {
  std::vector<stores::AccountLook> looks;
  for (const auto& tier : plan.tiers())
    looks.push_back({.every_ms = tier.every.count(), .back_ms = tier.back.count()});
  parts_.database.keep_looks(looks);
  for (const auto& tier : plan.tiers()) {
    const bool is_first = rounds_.empty();
    rounds_.push_back({.tier = tier,
                       .priority = is_first ? BankPriority::kPoll : BankPriority::kSweep,
                       .threads = is_first ? kOfFirstTier : kOfOtherTiers});
  }
}

void PollRounds::start(WorkerThreads& threads) {
  for (auto& round : rounds_)
    for (std::size_t i = 0; i < round.threads; ++i)
      running_.push_back(threads.start([this, &round] { run(round); }));
}

void PollRounds::probe(const domain::ConnectionId& connection) {
  const std::lock_guard lock(mutex_);
  auto& accounts = rounds_.front().accounts;
  const auto account = accounts.find(connection);
  if (account == accounts.end()) return;
  account->second.next = std::min(account->second.next, Clock::now() + Breaker::kFirstProbe);
  changed_.notify_all();
}

void PollRounds::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (auto& round : rounds_) round.idle->notify_all();
}

void PollRounds::join() {
  for (auto& thread : running_) thread.join();
  running_.clear();
}

bool PollRounds::is_stopping() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

void PollRounds::run(Round& round) {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto now = Clock::now();
    add_new_accounts(now);
    auto* const account = find_due(round, now);
    if (!account && round.has_lookout) {
      round.idle->wait(lock);
      continue;
    }
    if (!account) {
      auto soonest = now + kListEvery;
      for (const auto& [id, other] : round.accounts)
        if (!other.in_work) soonest = std::min(soonest, other.next);
      round.has_lookout = true;
      changed_.wait_until(lock, soonest);
      round.has_lookout = false;
      continue;
    }
    // This thread was the timer: wake another one to take over.
    if (!round.has_lookout) round.idle->notify_one();
    account->in_work = true;
    const auto bank = account->bank;
    const bool waits = may_wait(round, *account, now);
    lock.unlock();
    const bool saw_all = waits || look(round, bank);
    const auto pause = pause_after(round, bank, saw_all);
    lock.lock();
    account->in_work = false;
    // A failed poll does not count.
    if (!waits && saw_all) account->looked_at = now;
    account->next = Clock::now() + pause;
    changed_.notify_all();  // it may be due before what the lookout waits for
  }
}

void PollRounds::add_new_accounts(Clock::time_point now) {
  if (listed_at_ != Clock::time_point() && now - listed_at_ < kListEvery) return;
  listed_at_ = now;
  for (const auto& bank : parts_.database.banks())
    for (auto& round : rounds_)
      round.accounts.try_emplace(bank.connection, Account{.bank = bank, .next = now});
}

// Returns the account that has been due longest, or null.
PollRounds::Account* PollRounds::find_due(Round& round, Clock::time_point now) {
  Account* due = nullptr;
  for (auto& [id, account] : round.accounts)
    if (!account.in_work && account.next <= now && (!due || account.next < due->next)) due = &account;
  return due;
}

// True if callbacks report new payments and no charge waits for one.
bool PollRounds::may_wait(const Round& round, const Account& account, Clock::time_point now) const {
  if (&round != &rounds_.front() || account.looked_at == Clock::time_point()) return false;
  return now - account.looked_at < kQuietEvery &&
         parts_.database.is_quiet(account.bank.connection, parts_.clock.now().plus_millis(-kCallsBackMs));
}

bool PollRounds::look(const Round& round, const stores::NotedBank& bank) const {
  try {
    return parts_.poll.look(bank, round.tier, round.priority);
  } catch (const eventstore::LogUnavailable& fault) {
    parts_.logger.warning("the ledger could not be read for now", {{"fault", fault.what()}});
    return false;
  }
}

milliseconds PollRounds::pause_after(const Round& round, const stores::NotedBank& bank, bool saw_all) const {
  if (saw_all) return round.tier.every;
  const auto pause = std::min<milliseconds>(round.tier.every, kAgainAfter);
  if (&round != &rounds_.front()) return pause;
  // No caller waits for a bank that is left alone, so this poll may be the only request to probe it.
  const auto probe_at = probe_at_of(bank);
  if (!probe_at) return pause;
  return std::clamp<milliseconds>(*probe_at - boot_time(parts_.clock), kShortestPause, pause);
}

std::optional<BootTime> PollRounds::probe_at_of(const stores::NotedBank& bank) const {
  try {
    const auto at_hand = parts_.banks.find(bank.project, bank.connection);
    return at_hand ? at_hand->client->probe_at() : std::nullopt;
  } catch (const eventstore::LogUnavailable&) {
    return std::nullopt;  // look() has logged it
  }
}

}  // namespace pixledger::workers
