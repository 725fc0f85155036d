#pragma once

#include <filesystem>

#include "eventstore/postgres/ledger_uri.h"
#include "tests/support/temporary_directory.h"

namespace pixledger::tests {

// A PostgreSQL cluster of a test's own, with a synchronous standby: for tests that break it or need two
// servers.
class OwnCluster {
 public:
  OwnCluster();
  ~OwnCluster();
  OwnCluster(const OwnCluster&) = delete;
  OwnCluster& operator=(const OwnCluster&) = delete;

  eventstore::LedgerUri primary() const { return uri_in("uri"); }
  eventstore::LedgerUri standby() const { return uri_in("standby"); }
  void stop_standby() const;

 private:
  std::filesystem::path told() const { return directory_.path() / "cluster"; }
  eventstore::LedgerUri uri_in(const char* file) const;

  const TemporaryDirectory directory_;
};

}  // namespace pixledger::tests
