#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "base/process/logging.h"
#include "domain/decisions/command.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "tests/support/bank/simulated_bank.h"
#include "tests/support/fixed_clock.h"
#include "tests/support/memory_log.h"
#include "tests/support/seeded_entropy.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// Bugs of a worker, planted to show that the simulation finds them.
enum class PlantedBug {
  kNone,
  kNewIdOnRetry,        // a retry after a lost answer requests the devolução under a new id
  kCursorBeforeCommit,  // an account's cursor moves before its payments are in the ledger
  kNoProjectCheck,      // a payment pays the charge of its txid, even if another project's account got it
  kPutWithoutGet,       // a retry sends without reading the bank's state first
};

struct BankSimulationOptions {
  std::uint64_t seed = 1;
  PlantedBug bug = PlantedBug::kNone;
  bool sweeps = true;                   // at the end accounts are read 100 days back
  std::int64_t lag_ms_max = 3'600'000;  // the longest time until a bank shows a payment
};

// Two merchants, each with an account at a bank of their own, and two who share an account; their payers, the
// banks' faults, the API, the worker that calls the banks, and its crashes. All of it runs in virtual time on
// one thread. The ledger, its decisions and the worker's parts are the real ones.
class BankSimulation {
 public:
  explicit BankSimulation(const BankSimulationOptions& options);
  ~BankSimulation();

  void run(unsigned steps);
  // Runs without faults until nothing is left to do.
  void come_to_rest();
  // Returns what does not add up after come_to_rest().
  std::vector<std::string> problems() const;
  // Counts what happened, so that a test notices a run that did nothing.
  struct Tally {
    std::size_t payments = 0;
    std::size_t devolucoes = 0;
    std::size_t paid = 0;
    std::size_t added = 0;  // further payments of a charge that is paid
    std::size_t deaths = 0;
  };
  Tally tally() const;

 private:
  struct Merchant;
  struct Worker;

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  std::optional<eventstore::Completed> execute(domain::Command command);
  // A connection's own settings at its bank.
  struct Terms {
    std::string key;
    std::string client;
  };
  void add_merchant(unsigned number, const std::string& host, SimulatedBank& bank, const Terms& terms);
  SimulatedBank& add_bank(const std::string& host, bool names_keys);
  void set_weather(bool good);
  void plant(PlantedBug bug);

  void step();
  void create(Merchant& merchant);
  void pay(Merchant& merchant);
  void ask_for_refund(Merchant& merchant);
  void refund_by_hand(Merchant& merchant, const domain::Charge& charge);
  void operate(Merchant& merchant);
  void let_waits_end();
  void expire_overdue();

  // Steps of the worker, each of which may kill it.
  void with_worker(const std::function<void(Worker&)>& work);
  void read_events(Worker& worker);
  bool carry_out_one(Worker& worker);
  void read_kept_payments(Worker& worker);
  void look_at_accounts(Worker& worker, std::chrono::milliseconds back);
  void report_whoevers(Worker& worker);

  const BankSimulationOptions options_;
  std::mt19937_64 random_;
  FixedClock clock_;
  SeededEntropy entropy_;
  TemporaryDirectory directory_;
  const eventstore::Keyring& keyring_;
  Logger logger_;
  eventstore::MemoryLog log_;
  eventstore::Executor executor_;
  SimulatedBanks network_;
  std::vector<std::unique_ptr<SimulatedBank>> banks_;
  std::vector<std::unique_ptr<Merchant>> merchants_;
  std::unique_ptr<Worker> worker_;
  std::size_t deaths_ = 0;
  unsigned orders_ = 0;
};

}  // namespace pixledger::tests
