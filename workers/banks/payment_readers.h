#pragma once

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/process/logging.h"
#include "stores/banks/provider_repository.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/payment_intake.h"
#include "workers/common/worker_threads.h"

namespace pixledger::workers {

// Reads single payments at their bank and records what it shows: payments from callbacks, and payments whose
// time lay in the future. A callback proves nothing, and may come before the bank itself knows the payment.
class PaymentReader {
 public:
  // All outlive it.
  struct Parts {
    const Clock& clock;
    Logger& logger;
    BankDirectory& banks;
    stores::ProviderRepository& database;
    const PaymentIntake& intake;
  };
  explicit PaymentReader(const Parts& parts) : parts_(parts) {}

  // Reads once, and stores in the database what is left to do and when. Thread-safe.
  void read(const stores::PaymentToRead& payment) const;

 private:
  using Payment = stores::PaymentToRead;
  void give_up(const Payment& payment) const;
  // Gives up after about a day if only a callback has named the payment.
  void put_off(const Payment& payment, std::chrono::milliseconds pause) const;

  const Parts parts_;
  // Callbacks may name any number of ids.
  mutable AtMostEvery given_up_due_{std::chrono::seconds(1)};
};

// The threads that read payments, at most kOfConnectionMax payments of a connection at a time.
class PaymentReaders {
 public:
  static constexpr std::size_t kThreads = 8;
  static constexpr std::size_t kOfConnectionMax = 2;

  // All outlive it; the owner of `threads` joins these by stop().
  PaymentReaders(const PaymentReader& reader, const Clock& clock, Logger& logger,
                 const stores::ProviderRepository& database)
      : reader_(reader), clock_(clock), logger_(logger), database_(database) {}

  void start(WorkerThreads& threads);
  // Signals that there may be more to read. Thread-safe.
  void wake();
  // Stop the threads of start(): request_stop() returns at once, join() waits.
  void request_stop();
  void join();

 private:
  using Payment = stores::PaymentToRead;
  void run();
  std::optional<Payment> take();
  void finish(const Payment& payment);

  const PaymentReader& reader_;
  const Clock& clock_;
  Logger& logger_;
  const stores::ProviderRepository& database_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::set<std::pair<std::string, std::string>> in_work_;
  std::map<std::string, std::size_t> of_connection_;  // in work
  std::vector<Payment> queue_;                        // the most urgent last
  bool look_again_ = true;
  bool one_looks_out_ = false;  // an idle thread waits for the next due work; the others sleep
  bool stopping_ = false;
  std::vector<std::thread> running_;
};

}  // namespace pixledger::workers
