#include "workers/banks/payment_readers.h"

#include <algorithm>
#include <array>

#include "eventstore/log/log.h"
#include "workers/banks/bank_agent.h"
#include "workers/common/log_follower.h"

namespace pixledger::workers {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using stores::PaymentToRead;
using stores::ReadReason;

// Pauses before retries of an id that the bank does not know; then it is left to the account's polls.
constexpr std::array<seconds, 3> kUnknownPauses{seconds(2), seconds(10), seconds(60)};
constexpr seconds kReadTurn{10};
// About a day, with the pauses.
constexpr unsigned kTriesMax = 150;

std::pair<std::string, std::string> key_of(const PaymentToRead& payment) {
  return {payment.connection.text(), payment.id.text()};
}

}  // namespace

void PaymentReader::read(const Payment& payment) const {
  const auto bank = parts_.banks.find(payment.connection);
  if (!bank) return put_off(payment, kLongestPause);
  // After the first try it is no more urgent than a sweep, which finds it as well.
  const auto priority = payment.attempts == 0 ? BankPriority::kCallback : BankPriority::kSweep;
  const auto answer = bank->client->get_pix(payment.id, {priority, boot_time(parts_.clock) + kReadTurn});
  if (const auto* shown = std::get_if<BankPayment>(&answer)) {
    switch (parts_.intake.take(*bank, bank->project, *shown)) {
      case Taken::kYes:
        return parts_.database.drop(payment);
      case Taken::kInFuture:
        return parts_.database.postpone(payment, ReadReason::kInFuture,
                                        parts_.intake.again_at(shown->paid_at));
      // Retried without limit: nothing else would report it again.
      case Taken::kLater:
        return parts_.database.postpone(
            payment, ReadReason::kRefused,
            parts_.clock.now().plus_millis(pause_after(payment.attempts).count()));
      case Taken::kNotNow:
        return put_off(payment, pause_after(payment.attempts));
    }
  }
  if (std::holds_alternative<NotFound>(answer)) {
    if (payment.attempts < kUnknownPauses.size()) return put_off(payment, kUnknownPauses[payment.attempts]);
    if (payment.reason == ReadReason::kCalledBack) return give_up(payment);
    return put_off(payment, kLongestPause);
  }
  if (!std::holds_alternative<Unavailable>(answer))
    parts_.logger.error("a payment that a bank told of could not be read",
                        {{"connection", payment.connection.text()},
                         {"endToEndId", payment.id.text()},
                         {"outcome", outcome_name(answer)}});
  put_off(payment, pause_after(payment.attempts));
}

void PaymentReader::put_off(const Payment& payment, milliseconds pause) const {
  // Never gives up a payment that the bank itself has shown.
  if (payment.attempts >= kTriesMax && payment.reason == ReadReason::kCalledBack) return give_up(payment);
  parts_.database.postpone(payment, payment.reason, parts_.clock.now().plus_millis(pause.count()));
}

void PaymentReader::give_up(const Payment& payment) const {
  if (given_up_due_.due())
    parts_.logger.warning("a payment that a bank told of is left to the account's polls",
                          {{"connection", payment.connection.text()}, {"endToEndId", payment.id.text()}});
  parts_.database.drop(payment);
}

void PaymentReaders::start(WorkerThreads& threads) {
  for (std::size_t i = 0; i < kThreads; ++i) running_.push_back(threads.start([this] { run(); }));
}

void PaymentReaders::wake() {
  {
    const std::lock_guard lock(mutex_);
    look_again_ = true;
  }
  changed_.notify_all();
}

void PaymentReaders::request_stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

void PaymentReaders::join() {
  for (auto& thread : running_) thread.join();
  running_.clear();
}

void PaymentReaders::run() {
  while (const auto payment = take()) {
    try {
      reader_.read(*payment);
    } catch (const eventstore::LogUnavailable& fault) {
      logger_.warning("the ledger could not be read for now", {{"fault", fault.what()}});
    }
    finish(*payment);
  }
}

std::optional<PaymentToRead> PaymentReaders::take() {
  std::unique_lock lock(mutex_);
  const auto has_news = [this] { return stopping_ || look_again_ || !queue_.empty(); };
  while (!stopping_) {
    while (!queue_.empty()) {
      auto next = std::move(queue_.back());
      queue_.pop_back();
      auto& of_connection = of_connection_[next.connection.text()];
      if (of_connection >= kOfConnectionMax || !in_work_.insert(key_of(next)).second) continue;
      ++of_connection;
      // This thread was the timer: wake another one to take over.
      if (!one_looks_out_) changed_.notify_all();
      return next;
    }
    if (std::exchange(look_again_, false)) {
      queue_ = database_.payments_due(clock_.now(), 2 * kOfConnectionMax);
      std::erase_if(queue_, [this](const Payment& payment) { return in_work_.contains(key_of(payment)); });
      std::reverse(queue_.begin(), queue_.end());
      if (queue_.size() > 1) changed_.notify_all();
      if (!queue_.empty()) continue;
    }
    if (one_looks_out_) {
      changed_.wait(lock, [&] { return has_news() || !one_looks_out_; });
      continue;
    }
    one_looks_out_ = true;
    if (!changed_.wait_for(lock, kLookAroundEvery, has_news)) look_again_ = true;
    one_looks_out_ = false;
  }
  return std::nullopt;
}

void PaymentReaders::finish(const Payment& payment) {
  {
    const std::lock_guard lock(mutex_);
    in_work_.erase(key_of(payment));
    const auto of_connection = of_connection_.find(payment.connection.text());
    if (--of_connection->second == 0) of_connection_.erase(of_connection);
    look_again_ = true;
  }
  changed_.notify_one();
}

}  // namespace pixledger::workers
