#pragma once

#include <filesystem>

#include "domain/values/cuid.h"
#include "eventstore/executor/executor.h"
#include "eventstore/ledger.h"
#include "eventstore/lmdb/lmdb_log.h"

namespace pixledger::tests {

// Opens a data directory that a command made, and adds charges as the API would.
class LedgerWithCharges {
 public:
  explicit LedgerWithCharges(const std::filesystem::path& data);

  // A sandbox charge of the sample customer.
  domain::ChargeId create_charge(const domain::ProjectId& project);
  void pay(const domain::ProjectId& project, const domain::ChargeId& charge);
  // A live charge, paid.
  domain::ChargeId create_paid_live_charge(const domain::ProjectId& project, unsigned payment);
  void refund(const domain::ProjectId& project, const domain::ChargeId& charge);

  eventstore::LmdbLog& log() { return dynamic_cast<eventstore::LmdbLog&>(*ledger_.log); }

  // The document's token, which names the customer.
  domain::DocumentToken token_of(const domain::ProjectId& project, const std::string& document) const;
  // Throws if the command is not done.
  eventstore::Completed execute(domain::Command command, const std::string& actor = "key-test",
                                const std::string& request = "req_test");

 private:
  SystemClock clock_;
  SystemEntropy entropy_;
  eventstore::Ledger ledger_;
  eventstore::Executor executor_;
};

}  // namespace pixledger::tests
