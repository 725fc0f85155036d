#pragma once

#include <chrono>
#include <filesystem>
#include <vector>

#include "stores/status/provider_state.h"
#include "tests/workers/banks/bank_fixture.h"
#include "workers/banks/payment_poll.h"

namespace pixledger::tests {

struct PollFixture : BankFixture {
  bool look(std::chrono::milliseconds back = std::chrono::minutes(15)) {
    return poll.look({connection, ledger.project()}, {.every = std::chrono::seconds(10), .back = back},
                     workers::BankPriority::kPoll);
  }
  std::vector<stores::BankLook> looks() const {
    const auto workers = ledger.directory.path() / "workers";
    if (!std::filesystem::exists(workers)) {
      std::filesystem::create_directories(workers);
      std::filesystem::create_directory_symlink(ledger.directory.path(), workers / "providers");
    }
    return stores::bank_states(workers).looks;
  }
  bool stopping = false;
  const workers::PaymentPoll poll{{.clock = ledger.clock,
                                   .logger = agents_log.logger,
                                   .banks = banks,
                                   .database = database,
                                   .intake = intake,
                                   .is_stopping = [this] { return stopping; }}};
};

// How many times the account was asked for a page.
inline std::size_t pages_of(const FakeBank& bank) {
  const auto asked = bank.asked();
  std::size_t pages = 0;
  for (auto at = asked.find("GET /pix"); at != std::string::npos; at = asked.find("GET /pix", at + 1))
    ++pages;
  return pages;
}

}  // namespace pixledger::tests
