#include "workers/banks/provider_worker.h"

#include <algorithm>
#include <cassert>

#include "workers/banks/work_maker.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using stores::BankWork;

// How long a thread waits before it looks whether the clock was set.
constexpr milliseconds kKeepCountsEvery{1'000};

eventstore::LogCursor cursor_of(const stores::ProviderRepository& database) {
  auto cursor = database.cursor();
  assert(cursor.has_value());
  return *std::move(cursor);
}

std::tuple<int, std::string, std::string> key_of(const stores::BankWorkId& id) {
  return {static_cast<int>(id.kind), id.about.text(), id.refund};
}

}  // namespace

void choose_start(stores::ProviderRepository& database, const eventstore::Log& log, Logger& logger) {
  try {
    const auto cursor = database.cursor();
    if (cursor) {
      eventstore::check_cursor(*cursor, log);
      // Whoever starts it anew has mended something, as likely as not.
      return database.make_all_due();
    }
  } catch (const eventstore::CursorMismatch& mismatch) {
    logger.warning("what is open at the banks is read anew, since the ledger was restored",
                   {{"reason", mismatch.what()}});
  }
  database.begin_anew(eventstore::cursor_at(log, Position(0)));
}

ProviderWorker::ProviderWorker(const ProviderWorkerParts& parts, ProviderWorkerOptions options)
    : parts_(parts),
      options_(std::move(options)),
      subscription_(parts.log, cursor_of(parts.database)),
      meters_(parts.directory, parts.database, parts.logger, parts.unsaved),
      banks_(parts.log, parts.keyring, parts.logger, meters_,
             {.clock = parts.clock,
              .entropy = parts.entropy,
              .network = parts.network,
              .is_stopping = [this] { return rounds_.is_stopping(); }}),
      ledger_(parts.executor),
      report_({.log = parts.log,
               .clock = parts.clock,
               .logger = parts.logger,
               .meters = meters_,
               .ledger = ledger_,
               .database = parts.database}),
      payments_({.log = parts.log,
                 .clock = parts.clock,
                 .logger = parts.logger,
                 .database = parts.database,
                 .report = report_,
                 .meters = meters_}),
      agent_({.log = parts.log,
              .clock = parts.clock,
              .logger = parts.logger,
              .banks = banks_,
              .meters = meters_,
              .database = parts.database,
              .ledger = ledger_,
              .payments = payments_}),
      payment_reader_({.clock = parts.clock,
                       .logger = parts.logger,
                       .banks = banks_,
                       .database = parts.database,
                       .intake = payments_}),
      payment_readers_(payment_reader_, parts.clock, parts.logger, parts.database),
      poll_({.clock = parts.clock,
             .logger = parts.logger,
             .banks = banks_,
             .database = parts.database,
             .intake = payments_,
             .is_stopping = [this] { return rounds_.is_stopping(); }}),
      rounds_({.clock = parts.clock,
               .logger = parts.logger,
               .banks = banks_,
               .database = parts.database,
               .poll = poll_},
              options_.polls),
      callbacks_({.clock = parts.clock,
                  .logger = parts.logger,
                  .banks = banks_,
                  .database = parts.database,
                  .meters = meters_,
                  .when_kept = [this] { payment_readers_.wake(); }}),
      threads_([this] { request_stop(); }) {
  meters_.when_left_alone([this](const domain::ConnectionId& connection) { rounds_.probe(connection); });
  reader_ = threads_.start([this] { read(); });
  keeper_ = threads_.start([this] { keep_counts(); });
  for (unsigned i = 0; i < options_.agents; ++i) agents_.push_back(threads_.start([this] { act(); }));
  payment_readers_.start(threads_);
  rounds_.start(threads_);
}

ProviderWorker::~ProviderWorker() { stop(); }

void ProviderWorker::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  stop_asked_.notify_all();
  payment_readers_.request_stop();
  rounds_.request_stop();
  parts_.log.wake();
}

void ProviderWorker::stop() {
  if (!reader_.joinable()) return;
  request_stop();
  reader_.join();
  for (auto& agent : agents_) agent.join();
  payment_readers_.join();
  rounds_.join();
  keeper_.join();
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
                            const eventstore::LogCursor& after) {
  std::vector<stores::BankChange> changes;
  for (const auto& event : events)
    for (auto& change : bank_changes_of(event, parts_.log)) changes.push_back(std::move(change));
  parts_.database.apply(changes, after);
  const auto is_work = [](const stores::BankChange& change) {
    return std::holds_alternative<stores::WorkBegun>(change) ||
           std::holds_alternative<stores::WorkHastened>(change) ||
           std::holds_alternative<stores::WorkEnded>(change);
  };
  if (std::none_of(changes.begin(), changes.end(), is_work)) return;
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

// --- the keeper: what is counted → the database ---

void ProviderWorker::keep_counts() {
  std::unique_lock lock(mutex_);
  bool stopping = false;
  while (!stopping) {
    stopping = stop_asked_.wait_for(lock, kKeepCountsEvery, [this] { return stopping_; });
    lock.unlock();
    meters_.save();
    lock.lock();
  }
}

}  // namespace pixledger::workers
