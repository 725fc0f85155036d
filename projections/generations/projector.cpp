#include "projections/generations/projector.h"

#include <algorithm>

#include "eventstore/codec/codec.h"
#include "eventstore/lmdb/lmdb_damage.h"
#include "projections/generations/generation.h"

namespace pixledger::projections {
namespace {

// Longest wait for the log; any work wakes the thread earlier.
constexpr std::chrono::minutes kWait{1};
// Most batches of this process that may wait; later ones are read from the log again.
constexpr std::size_t kBatchesMax = 64;
constexpr std::chrono::milliseconds kRetryEvery{200};

}  // namespace

Projector::Projector(ViewDatabase& database, const eventstore::Log& log, Applied on_applied)
    : database_(&database),
      log_(log),
      on_applied_(std::move(on_applied)),
      applied_(database.cursor().position.value()) {
  thread_ = std::thread([this] { run(); });
}

Projector::~Projector() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  log_.wake();
  thread_.join();
}

// The end of the write wakes this thread and those of other processes.
void Projector::on_commit(const eventstore::RecordedEvents& events) {
  const std::lock_guard lock(mutex_);
  if (batches_.size() < kBatchesMax) batches_.push_back(events);
}

Projector::Ticket Projector::when_applied(Position position, std::function<void()> callback) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = ++last_ticket_;
    if (applied() < position) {
      waiting_.push_back({ticket, position, std::move(callback)});
      return ticket;
    }
  }
  callback();
  return ticket;
}

void Projector::forget(Ticket ticket) {
  const std::lock_guard lock(mutex_);
  std::erase_if(waiting_, [ticket](const Waiting& waiting) { return waiting.ticket == ticket; });
}

bool Projector::wait_applied(Position position, std::chrono::milliseconds timeout) {
  if (applied() >= position) return true;
  auto reached = std::make_shared<std::promise<void>>();
  auto future = reached->get_future();
  const auto ticket = when_applied(position, [reached] { reached->set_value(); });
  if (future.wait_for(timeout) == std::future_status::ready) return true;
  forget(ticket);
  return false;
}

void Projector::exchange_database(ViewDatabase& next, std::function<void()> exchanged) {
  auto asked = std::make_shared<Exchange>(Exchange{next, std::move(exchanged), {}});
  auto done = asked->done.get_future();
  {
    const std::lock_guard lock(mutex_);
    exchange_ = std::move(asked);
  }
  log_.wake();
  done.get();
}

std::string Projector::fault() const {
  const std::lock_guard lock(mutex_);
  return fault_;
}

void Projector::run() {
  while (true) {
    try {
      follow();
      return;
    } catch (const std::exception& fault) {
      // Retries without end: a full disk may be freed, and a cursor is never ahead of its rows.
      std::unique_lock lock(mutex_);
      fault_ = eventstore::refusal_by_system(fault).value_or(eventstore::text_by_system(fault));
      stop_.wait_for(lock, kRetryEvery, [this] { return stopping_; });
      if (stopping_) return;
    }
  }
}

void Projector::exchange_if_asked() {
  std::shared_ptr<Exchange> asked;
  {
    const std::lock_guard lock(mutex_);
    asked = exchange_;
  }
  if (!asked) return;
  std::exception_ptr fault;
  try {
    if (!try_exchange(*asked)) return;
  } catch (const std::exception&) {
    fault = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    exchange_.reset();
  }
  if (fault) {
    asked->done.set_exception(fault);
    return;
  }
  wake_waiting();
  asked->done.set_value();
}

bool Projector::try_exchange(const Exchange& exchange) {
  catch_up(exchange.next, log_, {}, applied());
  const auto position = exchange.next.cursor().position;
  if (position > applied() && fault().empty()) return false;
  exchange.exchanged();
  database_ = &exchange.next;
  applied_.store(position.value(), std::memory_order_release);
  return true;
}

bool Projector::is_asked_something() const {
  const std::lock_guard lock(mutex_);
  return stopping_ || exchange_ || !batches_.empty();
}

void Projector::follow() {
  while (true) {
    exchange_if_asked();
    log_.wait_past_or(applied(), kWait, [this] { return is_asked_something(); });
    eventstore::RecordedEvents batch;
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
      if (!batches_.empty()) {
        batch = std::move(batches_.front());
        batches_.pop_front();
      }
    }
    const auto next = applied().next();
    if (batch && batch->front().position == next) {
      apply(*batch);
    } else if (log_.head().position >= next) {
      // Another process has appended events, or a batch was dropped: read them from the log.
      std::vector<domain::RecordedEvent> events;
      for (const auto& stored : log_.read_after(applied(), 1024))
        events.push_back(eventstore::decode(stored));
      if (!events.empty()) apply(events);
    }
  }
}

void Projector::apply(const std::vector<domain::RecordedEvent>& events) {
  const auto last = events.back().position;
  database_->apply(events, log_.leaf_hash(last).value());
  note_erasures(events);
  if (on_applied_) on_applied_(*database_, events);
  applied_.store(last.value(), std::memory_order_release);
  wake_waiting();
}

void Projector::note_erasures(const std::vector<domain::RecordedEvent>& events) {
  for (const auto& event : events) {
    const auto* change = std::get_if<domain::CustomerEvent>(&event.event);
    if (!change || !std::holds_alternative<domain::CustomerErased>(*change)) continue;
    last_erasure_ms_ = event.recorded_at.millis();
    ++erasures_;
  }
}

void Projector::wake_waiting() {
  std::vector<Waiting> reached;
  {
    const std::lock_guard lock(mutex_);
    fault_.clear();
    const auto first_reached =
        std::partition(waiting_.begin(), waiting_.end(),
                       [this](const Waiting& waiting) { return waiting.position > applied(); });
    reached.assign(std::make_move_iterator(first_reached), std::make_move_iterator(waiting_.end()));
    waiting_.erase(first_reached, waiting_.end());
  }
  for (auto& waiting : reached) waiting.callback();
}

}  // namespace pixledger::projections
