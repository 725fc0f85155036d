#include "workers/banks/provider_worker.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "domain/aggregates/charge.h"
#include "eventstore/reading/state_reader.h"

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
      // An operator who restarts the worker has probably repaired something.
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
      follower_(parts.log, cursor_of(parts.database)),
      meters_(parts.directory, parts.database, parts.logger, parts.unsaved),
      banks_(parts.log, parts.keyring, parts.logger, meters_,
             {.clock = parts.clock,
              .entropy = parts.entropy,
              .network = parts.network,
              .is_stopping = [this] { return rounds_.is_stopping(); },
              .traces = parts.traces}),
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
              .payments = payments_,
              .traces = parts.traces}),
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
    if (!follower_.step(*this)) follower_.wait(kLookAroundEvery, is_stopping);
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
      // This thread was the timer: wake another one to take over.
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

// Fills the queue with due work that is not in work. Returns false if no work is due.
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

namespace {

using stores::BankChange;
using stores::BankNoted;
using stores::BankWorkId;
using stores::BankWorkKind;
using stores::ChargeClosed;
using stores::ChargeWaits;
using stores::CodeDecided;
using stores::WorkBegun;
using stores::WorkEnded;
using stores::WorkHastened;

struct ChangesOf {
  const domain::RecordedEvent& recorded;
  const eventstore::Log& log;
  using Result = std::vector<BankChange>;

  // A template takes groups of events and nothing else: no event that is missing below becomes a group again.
  template <class... Events>
  Result operator()(const std::variant<Events...>& event) const {
    return std::visit(*this, event);
  }

  Result operator()(const domain::ProjectCreated&) const { return {}; }
  Result operator()(const domain::StoreSettingsChanged&) const { return {}; }
  Result operator()(const domain::ConnectionAdded& event) const { return noted(event.connection); }
  Result operator()(const domain::ConnectionChanged& event) const {
    auto changes = noted(event.connection);
    if (!changes.empty()) changes.push_back(WorkHastened{event.connection.id});
    return changes;
  }
  Result operator()(const domain::DefaultConnectionSet&) const { return {}; }

  Result operator()(const domain::ChargeCreated& event) const {
    if (!event.through_bank) return {};
    Result changes{ChargeWaits{event.id, event.connection}};
    if (event.code_awaited_until)
      changes.push_back(WorkBegun{.id = {BankWorkKind::kMakeCode, recorded.stream},
                                  .connection = event.connection,
                                  .since = recorded.recorded_at});
    else
      changes.push_back(CodeDecided{event.connection, domain::to_string(domain::CodeKind::kStatic)});
    return changes;
  }
  Result operator()(const domain::ChargeCodeSet& event) const {
    Result changes{ended(BankWorkKind::kMakeCode),
                   CodeDecided{charge().connection, domain::to_string(event.kind)}};
    // The bank may have made a code nevertheless, which no payer was given.
    if (event.kind == domain::CodeKind::kStatic) changes.push_back(begun(BankWorkKind::kRemoveCode));
    return changes;
  }
  Result operator()(const domain::ChargeCancelRequested&) const { return {begun(BankWorkKind::kTakeBack)}; }
  Result operator()(const domain::ChargeCancelDropped&) const { return {ended(BankWorkKind::kTakeBack)}; }
  Result operator()(const domain::ChargeCancelled&) const {
    return {ended(BankWorkKind::kTakeBack), no_longer_waits()};
  }
  Result operator()(const domain::ChargeExpired&) const { return closed(); }
  Result operator()(const domain::ChargeFailed&) const {
    auto changes = closed();
    const auto about = charge();
    if (about.through_bank && about.code_awaited_until)
      changes.push_back(CodeDecided{about.connection, "none"});
    return changes;
  }
  Result operator()(const domain::RefundRequested& event) const {
    const auto about = charge();
    if (!about.payment)
      throw eventstore::LogCorrupt("a refund of " + recorded.stream.text() + ", which was not paid");
    const auto account = account_of(about, domain::payment_of(about, event.end_to_end_id));
    return {return_begun(BankWorkKind::kRefund, event.id, account)};
  }
  Result operator()(const domain::RefundDone& event) const {
    return {return_ended(BankWorkKind::kRefund, event.id)};
  }
  Result operator()(const domain::RefundFailed& event) const {
    return {return_ended(BankWorkKind::kRefund, event.id)};
  }
  Result operator()(const domain::UnappliedReturnRequested& event) const {
    return {return_begun(BankWorkKind::kSendBack, event.id, account_of(charge(), event.end_to_end_id))};
  }
  Result operator()(const domain::UnappliedReturnFailed& event) const {
    return {return_ended(BankWorkKind::kSendBack, event.id)};
  }
  Result operator()(const domain::UnappliedPaymentReturned& event) const {
    if (!event.id) return {};
    return {return_ended(BankWorkKind::kSendBack, *event.id)};
  }
  Result operator()(const domain::ChargePaid&) const { return paid(); }
  Result operator()(const domain::UnappliedPaymentAccepted&) const { return paid(); }

  Result operator()(const domain::PaymentReturnRequested& event) const {
    const auto payment = state<domain::UnmatchedPayment>(recorded.stream);
    if (!payment) throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " has no payment");
    return {return_begun(BankWorkKind::kSendBack, event.id, payment->connection)};
  }
  Result operator()(const domain::PaymentReturned& event) const {
    return {return_ended(BankWorkKind::kSendBack, event.id)};
  }
  Result operator()(const domain::PaymentReturnFailed& event) const {
    return {return_ended(BankWorkKind::kSendBack, event.id)};
  }
  Result operator()(const domain::PaymentUnmatched&) const { return {}; }
  Result operator()(const domain::PaymentAssigned&) const { return {}; }
  Result operator()(const domain::PaymentClosed&) const { return {}; }

  Result operator()(const domain::ChargeProcessingStarted&) const { return {}; }
  Result operator()(const domain::ChargeRefunded&) const { return {}; }
  Result operator()(const domain::PaymentLeftUnapplied&) const { return {}; }
  Result operator()(const domain::PaymentReversed&) const { return {}; }
  Result operator()(const domain::UnappliedPaymentReversed&) const { return {}; }
  Result operator()(const domain::UnappliedPaymentAdded&) const { return {}; }
  Result operator()(const domain::UnmatchedPaymentReversed&) const { return {}; }

  Result operator()(const domain::ApiKeyEvent&) const { return {}; }
  Result operator()(const domain::ChannelEvent&) const { return {}; }
  Result operator()(const domain::BlocklistEvent&) const { return {}; }
  Result operator()(const domain::CustomerEvent&) const { return {}; }
  Result operator()(const domain::RefusalEvent&) const { return {}; }
  Result operator()(const domain::ConnectionConfigured& event) const { return {WorkHastened{event.id}}; }
  Result operator()(const domain::CallbackRegistered&) const { return {}; }
  Result operator()(const domain::CallbackRemoved&) const { return {}; }
  Result operator()(const domain::CheckoutEvent&) const { return {}; }
  Result operator()(const domain::TeamEvent&) const { return {}; }

 private:
  // As of the event.
  template <class Aggregate>
  std::optional<Aggregate> state(const domain::StreamName& stream) const {
    return eventstore::fold_as<Aggregate>(log, stream, recorded.position);
  }
  domain::Charge charge() const {
    auto charge = state<domain::Charge>(recorded.stream);
    if (!charge)
      throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " does not begin with a charge");
    return *std::move(charge);
  }
  // Returns the connection that holds a payment's money: an assigned payment may have come through another
  // one.
  domain::ConnectionId account_of(const domain::Charge& charge, const domain::EndToEndId& payment) const {
    const auto unmatched = state<domain::UnmatchedPayment>(domain::payment_stream(payment));
    // If another project reported it first, the money lies where this project's connection has read it.
    const bool is_own = unmatched && unmatched->project == charge.project;
    return is_own ? unmatched->connection : charge.connection;
  }
  WorkBegun begun(BankWorkId id, const domain::ConnectionId& connection) const {
    return {.id = std::move(id), .connection = connection, .since = recorded.recorded_at};
  }
  WorkBegun begun(BankWorkKind kind) const { return begun({kind, recorded.stream}, charge().connection); }
  WorkEnded ended(BankWorkKind kind) const { return {{kind, recorded.stream}}; }
  WorkBegun return_begun(BankWorkKind kind, const domain::RefundId& id,
                         const domain::ConnectionId& connection) const {
    return begun({kind, recorded.stream, id.text()}, connection);
  }
  WorkEnded return_ended(BankWorkKind kind, const domain::RefundId& id) const {
    return {{kind, recorded.stream, id.text()}};
  }
  Result noted(const domain::Connection& connection) const {
    if (!connection.api_pix) return {};
    return {BankNoted{connection.id, recorded.project, recorded.recorded_at}};
  }
  ChargeClosed no_longer_waits() const {
    const auto id = domain::ChargeId::parse(recorded.stream.key());
    if (!id)
      throw eventstore::LogCorrupt("the stream " + recorded.stream.text() + " is not that of a charge");
    return {*id};
  }
  // A closed charge must not be paid: removes the bank's code, or one that it may have made without our
  // learning of it.
  Result closed() const {
    const auto about = charge();
    if (!about.through_bank) return {};
    Result changes{ended(BankWorkKind::kMakeCode), no_longer_waits()};
    const bool awaited_code = about.code_fallback.has_value();
    if (awaited_code)
      changes.push_back(begun({BankWorkKind::kRemoveCode, recorded.stream}, about.connection));
    return changes;
  }
  // If the payment came by the bank's own code, the bank has closed that code. A code that no payer was given
  // stays.
  Result paid() const {
    const bool by_banks_code =
        recorded.actor == kProvidersActor && charge().code_kind == domain::CodeKind::kDynamic;
    return by_banks_code ? Result{no_longer_waits()} : closed();
  }
};

}  // namespace

std::vector<BankChange> bank_changes_of(const domain::RecordedEvent& event, const eventstore::Log& log) {
  return std::visit(ChangesOf{event, log}, event.event);
}

}  // namespace pixledger::workers
