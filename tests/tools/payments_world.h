#pragma once

#include <catch2/catch.hpp>
#include <string>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/time_zone.h"
#include "domain/aggregates/charge.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "tests/support/domain/sample_values.h"
#include "tests/support/one_gigabyte.h"
#include "tests/support/servers/pixledger_command.h"
#include "tests/tools/doctor_findings.h"

namespace pixledger::tests {

using Words = std::vector<std::string>;

// A project with a connection to a bank, and payments that arrived there.
class PaymentsWorld {
 public:
  PaymentsWorld() {
    auto bank = sample_bank_connection("banco", domain::Environment::kLive);
    bank.project = project_id();
    execute(bank);
  }

  void arrive(unsigned payment, std::int64_t cents = 10'000) const {
    execute(domain::RecordUnmatchedPayment{.project = project_id(),
                                           .connection = sample_bank_id(),
                                           .end_to_end_id = sample_end_to_end_id(payment),
                                           .amount = domain::Cents(cents),
                                           .paid_at = SystemClock().now(),
                                           .txid = std::nullopt,
                                           .reason = domain::UnmatchedReason::kNoTxid});
  }
  std::string create(domain::Environment environment = domain::Environment::kLive,
                     const std::string& other = "") const {
    auto command = sample_creation(environment);
    command.project = other.empty() ? project_id() : parsed<domain::ProjectId>(other);
    return std::string(execute(command).events().back().stream.key());
  }
  eventstore::Completed execute(const domain::Command& command) const {
    const auto options = tests::one_gigabyte();
    const auto ledger = eventstore::Ledger::open({pixledger.data()}, options);
    const SystemClock clock;
    SystemEntropy entropy;
    eventstore::Executor executor(*ledger.log, clock, entropy);
    auto completed = std::get<eventstore::Completed>(
        executor.execute({command, "worker-providers", std::nullopt, "", std::nullopt}));
    REQUIRE(completed.outcome.done());
    return completed;
  }

  Words of(const std::string& command, unsigned payment, const Words& more = {}) const {
    Words words{"payment", command,           "--project",
                project,   "--end-to-end-id", sample_end_to_end_id(payment).text(),
                "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  std::string list(const std::string& state) const {
    return pixledger.done({"payment", "list", "--project", project, "--state", state, "--json"});
  }
  std::string create_project() const {
    return json_at(
        pixledger.done({"project", "create", "--name", "Loja", "--pix-key", "loja@example.com", "--json"}),
        "/projectId");
  }

  PixledgerCommand pixledger;
  std::string project = create_project();

 private:
  domain::ProjectId project_id() const { return parsed<domain::ProjectId>(project); }
};

}  // namespace pixledger::tests
