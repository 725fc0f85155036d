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

// Mistakes that a worker could make, for the simulation to show that it finds them.
enum class PlantedBug {
  kNone,
  kNewIdOnRetry,        // a devolução is asked for under another id when the first answer was lost
  kCursorBeforeCommit,  // an account counts as looked at before its payments are in the ledger
  kNoProjectCheck,      // a payment pays the charge of its txid, even if another project's account got it
  kPutWithoutGet,       // nothing is read before it is sent again
};

struct BankSimulationOptions {
  std::uint64_t seed = 1;
  PlantedBug bug = PlantedBug::kNone;
  bool sweeps = true;                   // accounts are looked at 100 days back in the end
  std::int64_t lag_ms_max = 3'600'000;  // until a bank shows a payment
};

// Two merchants, each with an account at a bank of his own, and two who share one, their payers, the banks'
// weather, the API, the worker that speaks to the banks, and its deaths: all of it in virtual time, one thing
// after the other. The ledger, its decisions and the worker's parts are the real ones.
class BankSimulation {
 public:
  explicit BankSimulation(const BankSimulationOptions& options);
  ~BankSimulation();

  void run(unsigned steps);
  // Good weather until nothing is left to do.
  void come_to_rest();
  // What does not add up then; nothing: all does.
  std::vector<std::string> problems() const;
  // How much has happened, so that a run that did nothing is noticed: payments at the banks, devoluções,
  // charges paid, deaths.
  struct Tally {
    std::size_t payments = 0;
    std::size_t devolucoes = 0;
    std::size_t paid = 0;
    std::size_t added = 0;  // payments beside a charge's first
    std::size_t deaths = 0;
  };
  Tally tally() const;

 private:
  struct Merchant;
  struct Worker;

  std::uint64_t draw(std::uint64_t below) { return random_() % below; }
  std::optional<eventstore::Completed> execute(domain::Command command);
  // What the connection of that number has beside its account at the bank.
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

  // The worker, which may die at each of these.
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
