#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/net/resolver.h"
#include "base/process/logging.h"
#include "eventstore/executor/executor.h"
#include "eventstore/keys/keyring.h"
#include "tests/support/memory_log.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// Resolves the names of a table, and no others.
class FakeResolver final : public Resolver {
 public:
  FakeResolver() = default;
  explicit FakeResolver(std::map<std::string, std::vector<std::string>> table) : table_(std::move(table)) {}
  std::vector<IpAddress> resolve(const std::string& host) const override;

 private:
  std::map<std::string, std::vector<std::string>> table_;
};

// Polls the condition for at most 20 s. Returns whether it held.
bool eventually(const std::function<bool()>& condition);

// A log in memory with a project, and an executor for it.
class LedgerInMemory {
 public:
  LedgerInMemory();

  const domain::ProjectId& project() const { return project_; }
  // Throws if the command is not done.
  eventstore::Completed execute(domain::Command command);

  // Returns the channel's secret.
  std::string add_channel(const domain::ChannelId& id, const std::string& url,
                          domain::WebhookVersion version = domain::WebhookVersion::kV2,
                          domain::WebhookEventSet events = domain::WebhookEventSet::standard());
  domain::ChargeId create_charge();  // in the sandbox
  void pay(const domain::ChargeId& charge);
  void change_settings(std::function<void(domain::StoreSettings&)> change);

  // Dependencies of workers.
  SystemClock clock;
  SystemEntropy entropy;
  TemporaryDirectory directory;
  eventstore::MemoryLog log;
  eventstore::Keyring keyring;
  Logger logger;
  eventstore::Executor executor;

 private:
  domain::ProjectId project_;
};

}  // namespace pixledger::tests
