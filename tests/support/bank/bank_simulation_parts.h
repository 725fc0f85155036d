#pragma once

#include "eventstore/reading/state_reader.h"
#include "stores/banks/provider_repository.h"
#include "tests/support/bank/bank_simulation.h"
#include "workers/banks/bank_agent.h"
#include "workers/banks/bank_directory.h"
#include "workers/banks/bank_meters.h"
#include "workers/banks/payment_intake.h"
#include "workers/banks/payment_poll.h"
#include "workers/banks/payment_readers.h"
#include "workers/banks/provider_worker.h"

// Parts shared by bank_simulation.cpp, bank_simulation_people.cpp and bank_simulation_audit.cpp.
namespace pixledger::tests {

inline std::optional<domain::Charge> charge_in(const eventstore::Log& log, const domain::ChargeId& id) {
  return eventstore::fold_as<domain::Charge>(log, domain::charge_stream(id));
}

struct BankSimulation::Merchant {
  domain::ProjectId project;
  domain::ConnectionId connection;
  std::string key;
  SimulatedBank& bank;
  std::vector<domain::ChargeId> charges;
};

struct BankSimulation::Worker {
  explicit Worker(BankSimulation& world)
      : database(world.directory_.path() / stores::kProvidersFile),
        meters(world.directory_.path(), database, world.logger_),
        banks(
            world.log_, world.keyring_, world.logger_, meters,
            {.clock = world.clock_, .entropy = world.entropy_, .network = world.network_, .may_wait = false}),
        ledger(world.executor_),
        report({.log = world.log_,
                .clock = world.clock_,
                .logger = world.logger_,
                .meters = meters,
                .ledger = ledger,
                .database = database}),
        intake({.log = world.log_,
                .clock = world.clock_,
                .logger = world.logger_,
                .database = database,
                .report = report,
                .meters = meters}),
        agent({.log = world.log_,
               .clock = world.clock_,
               .logger = world.logger_,
               .banks = banks,
               .meters = meters,
               .database = database,
               .ledger = ledger,
               .payments = intake}),
        reader({.clock = world.clock_,
                .logger = world.logger_,
                .banks = banks,
                .database = database,
                .intake = intake}),
        poll({.clock = world.clock_,
              .logger = world.logger_,
              .banks = banks,
              .database = database,
              .intake = intake,
              .is_stopping = [] { return false; }}) {
    workers::choose_start(database, world.log_, world.logger_);
  }

  stores::ProviderRepository database;
  workers::BankMeters meters;
  workers::BankDirectory banks;
  workers::CommandSubmitter ledger;
  workers::PaymentReport report;
  workers::PaymentIntake intake;
  workers::BankAgent agent;
  workers::PaymentReader reader;
  workers::PaymentPoll poll;
};

}  // namespace pixledger::tests
