#include "http/services/sign_in_watch.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace pixledger::http {
namespace {

// Streams ask every few seconds, readers of pages within half a minute.
constexpr std::chrono::minutes kForgetAfter{1};
// A lower bound, however many callers wait.
constexpr std::chrono::milliseconds kSignInsLookEveryMin{5};
constexpr std::chrono::milliseconds kAnswerWaitMax{1'000};

constexpr std::size_t kRowsAtOnce = 200;
constexpr std::chrono::minutes kEvery{1};
// Between two steps, so that sign-ins get their turn.
constexpr std::chrono::milliseconds kPause{50};

}  // namespace

SignInWatch::SignInWatch(const stores::AccountRepository& accounts, const pixledger::Clock& clock,
                         Logger& logger, Times times)
    : accounts_(accounts), clock_(clock), logger_(logger), times_(times), thread_([this] { run(); }) {}

SignInWatch::~SignInWatch() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  told_.notify_all();
  thread_.join();
}

SignInWatch::Watched& SignInWatch::watch(const stores::SignInId& id, Clock::time_point now) {
  const auto [found, is_new] = watched_.try_emplace(id, Watched{now, now});
  found->second.asked_at = now;
  if (is_new) changed_.notify_all();
  return found->second;
}

std::shared_ptr<const void> SignInWatch::hold(const stores::SignInId& id) {
  const std::lock_guard lock(mutex_);
  auto& watched = watch(id, Clock::now());
  ++watched.holds;
  return {&watched, [this](Watched* held) {
            const std::lock_guard lock_again(mutex_);
            --held->holds;
            held->asked_at = Clock::now();
          }};
}

SignInWatch::Verdict SignInWatch::ask(const stores::SignInId& id) {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  const auto& watched = watch(id, now);
  if (watched.has_ended) return Verdict::kHasEnded;
  return now - watched.known_at < times_.known_for ? Verdict::kGoesOn : Verdict::kUnknown;
}

bool SignInWatch::is_told(const stores::SignInId& id, Clock::time_point since) {
  const auto& watched = watch(id, Clock::now());
  if (watched.has_ended || watched.known_at >= since) return true;
  if (!std::exchange(is_wanted_, true)) changed_.notify_all();
  return false;
}

bool SignInWatch::is_told_since(const stores::SignInId& id, Clock::time_point since) {
  const std::lock_guard lock(mutex_);
  return is_told(id, since);
}

bool SignInWatch::wait_until_told(const stores::SignInId& id, Clock::time_point since,
                                  std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  return told_.wait_for(lock, patience, [&] { return stopping_ || is_told(id, since); }) && !stopping_;
}

void SignInWatch::ask_now() {
  const auto since = Clock::now();
  std::unique_lock lock(mutex_);
  if (watched_.empty()) return;
  is_wanted_ = true;
  changed_.notify_all();
  told_.wait_for(lock, kAnswerWaitMax, [&] { return stopping_ || told_as_of_ >= since; });
}

void SignInWatch::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point looked_at{};
  while (!stopping_) {
    changed_.wait(lock, [this] { return stopping_ || !watched_.empty(); });
    changed_.wait_for(lock, times_.every, [this] { return stopping_ || is_wanted_; });
    changed_.wait_until(lock, looked_at + kSignInsLookEveryMin, [this] { return stopping_; });
    if (stopping_) return;
    is_wanted_ = false;
    looked_at = Clock::now();
    lock.unlock();
    look();
    lock.lock();
  }
}

void SignInWatch::look() {
  const auto began_at = Clock::now();
  auto ids = forget_and_list();
  std::string fault;
  try {
    for (auto from = ids.begin(); from != ids.end();) {
      const auto left = static_cast<std::size_t>(ids.end() - from);
      const auto to = from + static_cast<std::ptrdiff_t>(std::min(left, stores::kSignInsAskedMax));
      const std::vector<stores::SignInId> asked(from, to);
      const auto at = Clock::now();
      note(asked, accounts_.going_on(asked, clock_.now()), at);
      from = to;
    }
    const std::lock_guard lock(mutex_);
    told_as_of_ = began_at;
  } catch (const std::exception& error) {
    fault = error.what();
  }
  told_.notify_all();
  // Logged once, not every second.
  if (fault != fault_ && !fault.empty())
    logger_.warning("it cannot be told whose sign-in has ended: streams under one end, too",
                    {{"fault", fault}});
  fault_ = fault;
}

std::vector<stores::SignInId> SignInWatch::forget_and_list() {
  const auto now = Clock::now();
  const std::lock_guard lock(mutex_);
  std::erase_if(watched_, [now](const auto& one) {
    return one.second.holds == 0 && now - one.second.asked_at >= kForgetAfter;
  });
  std::vector<stores::SignInId> ids;
  for (const auto& [id, watched] : watched_)
    if (!watched.has_ended) ids.push_back(id);
  return ids;
}

void SignInWatch::note(const std::vector<stores::SignInId>& asked,
                       const std::vector<stores::SignInId>& going_on, Clock::time_point at) {
  const std::lock_guard lock(mutex_);
  for (const auto& id : asked) {
    const auto found = watched_.find(id);
    if (found == watched_.end()) continue;
    const bool goes_on = std::find(going_on.begin(), going_on.end(), id) != going_on.end();
    found->second.has_ended = !goes_on;
    found->second.known_at = at;
  }
}

AccountUpkeep::AccountUpkeep(stores::AccountRepository& accounts, const Clock& clock, Logger& logger)
    : accounts_(accounts),
      clock_(clock),
      logger_(logger),
      thread_(Periodic::kAtOnce, [this] { return prune(); }) {}

Periodic::Wait AccountUpkeep::prune() {
  std::string fault;
  bool has_more = false;
  try {
    has_more = accounts_.prune(clock_.now(), kRowsAtOnce) >= kRowsAtOnce;
  } catch (const std::exception& error) {
    fault = error.what();
  }
  // Logged once, not every minute.
  if (fault != fault_ && !fault.empty())
    logger_.warning("what is over cannot be removed from the accounts", {{"fault", fault}});
  fault_ = fault;
  return has_more ? kPause : kEvery;
}

}  // namespace pixledger::http
