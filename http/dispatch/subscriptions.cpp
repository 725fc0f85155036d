#include "http/dispatch/subscriptions.h"

#include <algorithm>

#include "base/http/json/error_reply.h"

namespace pixledger::http {
namespace {

// The least time between two looks: on a busy ledger one look finds several batches.
constexpr std::chrono::milliseconds kSubscriptionsLookEveryMin{10};
// Looks for one project before the next one's turn.
constexpr std::size_t kLooksPerTurn = 32;

// Empty for all projects: no project's id is.
std::string line_of(const Subscription::Owner& owner) {
  return owner.project ? owner.project->text() : std::string();
}

}  // namespace

Subscriptions::Subscriptions(LogFault log_fault)
    : log_fault_(std::move(log_fault)), thread_([this] { run(); }) {}

Subscriptions::~Subscriptions() { stop(); }

bool Subscriptions::enter(const Responder& responder, std::shared_ptr<Subscription> subscription, Give give) {
  const auto& owner = subscription->owner();
  responder.share();
  const auto entry = std::make_shared<Entry>(responder, std::move(subscription), std::move(give));
  {
    const std::lock_guard lock(mutex_);
    const auto known = lines_.find(line_of(owner));
    const auto of_line = known == lines_.end() ? 0 : known->second.entries.size();
    const auto of_test_keys = known == lines_.end() ? 0 : known->second.of_test_keys;
    const bool is_test = owner.of_key == domain::Environment::kSandbox;
    if (stopping_ || of_line >= (owner.project ? kOfProjectMax : kOfAllMax)) return false;
    if (owner.project && waiting_ >= kMax) return false;
    if (is_test && of_test_keys >= kOfTestKeysMax) return false;
    auto& line = lines_[line_of(owner)];
    line.entries.push_back(entry);
    line.of_test_keys += is_test ? 1 : 0;
    waiting_ += owner.project ? 1 : 0;
    // Events applied since its last look were announced before it was in the list.
    has_news_ = entry->has_news = true;
  }
  changed_.notify_one();
  const auto left = [this, entry] { leave(*entry); };
  if (auto reply = entry->subscription->begin()) {
    // The subscription ends when its stream is destroyed.
    auto inner = std::move(reply->source);
    auto* const source = inner.get();
    reply->source =
        std::shared_ptr<BodySource>(source, [inner = std::move(inner), left](BodySource*) mutable {
          inner.reset();
          left();
        });
    responder(*std::move(reply));
  } else {
    responder.allow_more(entry->subscription->wait_max());
    responder.on_gone(left);
  }
  return true;
}

void Subscriptions::leave(Entry& entry) {
  if (entry.has_left.exchange(true)) return;
  const auto& owner = entry.subscription->owner();
  const std::lock_guard lock(mutex_);
  const auto line = lines_.find(line_of(owner));
  std::erase_if(line->second.entries, [&entry](const auto& other) { return other.get() == &entry; });
  if (owner.of_key == domain::Environment::kSandbox) --line->second.of_test_keys;
  if (line->second.entries.empty()) lines_.erase(line);
  if (owner.project) --waiting_;
}

void Subscriptions::on_applied(const std::vector<domain::RecordedEvent>& events) {
  {
    const std::lock_guard lock(mutex_);
    if (lines_.empty()) return;
    bool found = false;
    const auto tell = [&](const std::string& name) {
      const auto line = lines_.find(name);
      if (line == lines_.end()) return;
      found = true;
      for (const auto& entry : line->second.entries) entry->has_news = true;
    };
    for (const auto& event : events) tell(event.project.text());
    tell(std::string());
    if (!found) return;
    has_news_ = true;
  }
  changed_.notify_one();
}

std::vector<Subscriptions::Entries> Subscriptions::take_due(Clock::time_point now, Clock::time_point& next) {
  std::vector<Entries> due;
  for (auto& [project, line] : lines_) {
    Entries of_project;
    for (const auto& entry : line.entries) {
      const auto at =
          entry->has_news ? entry->looked_at + kSubscriptionsLookEveryMin : entry->subscription->next_look();
      if (at > now) {
        next = std::min(next, at);
        continue;
      }
      entry->has_news = false;
      of_project.push_back(entry);
    }
    if (!of_project.empty()) due.push_back(std::move(of_project));
  }
  return due;
}

void Subscriptions::run() {
  std::unique_lock lock(mutex_);
  Clock::time_point next = Clock::time_point::max();
  Clock::time_point looked_around_at{};
  for (;;) {
    const auto is_time = [this] { return stopping_ || has_news_; };
    if (next == Clock::time_point::max())
      changed_.wait(lock, is_time);
    else
      changed_.wait_until(lock, next, is_time);
    changed_.wait_until(lock, looked_around_at + kSubscriptionsLookEveryMin, [this] { return stopping_; });
    if (stopping_) break;
    looked_around_at = Clock::now();
    has_news_ = false;
    next = Clock::time_point::max();
    auto due = take_due(Clock::now(), next);
    lock.unlock();
    std::size_t looked_at = 0;
    for (bool some = true; some; looked_at += kLooksPerTurn) {
      some = false;
      for (const auto& entries : due) {
        const auto end = std::min(entries.size(), looked_at + kLooksPerTurn);
        for (auto i = looked_at; i < end; ++i) look(*entries[i], Subscription::Time::kGoesOn);
        some = some || end < entries.size();
      }
    }
    if (!due.empty()) next = Clock::time_point::min();  // their next looks are not known yet
    due.clear();
    lock.lock();
  }
  Entries last;
  for (const auto& [project, line] : lines_)
    last.insert(last.end(), line.entries.begin(), line.entries.end());
  lock.unlock();
  for (const auto& entry : last) look(*entry, Subscription::Time::kIsOver);
}

void Subscriptions::look(Entry& entry, Subscription::Time time) {
  if (entry.has_left) return;
  entry.looked_at = Clock::now();
  Subscription::Looked looked;
  const auto fault = [&](std::string_view what) {
    log_fault_(entry.responder.request(), what);
    looked = {.reply = transport_error_reply(entry.responder.request(), 503,
                                             "The server could not process the request; try again."),
              .has_ended = true};
  };
  try {
    looked = entry.subscription->look(time);
  } catch (const std::exception& error) {
    fault(error.what());
  }
  if (looked.has_ended || looked.reply) leave(entry);
  if (looked.reply) entry.give(entry.responder, *std::move(looked.reply));
}

std::size_t Subscriptions::waiting() const {
  const std::lock_guard lock(mutex_);
  return waiting_;
}

void Subscriptions::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) thread_.join();
}

}  // namespace pixledger::http
