#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

#include "base/process/logging.h"
#include "eventstore/log/cluster.h"

namespace pixledger::http {

// Says in the log when a node of a shared ledger can no longer tell what that has, as without PostgreSQL or
// room for its copy, and when PostgreSQL has lost commits; and when each is over: once each, however often it
// looks meanwhile. Owns one thread.
class NodeWatch {
 public:
  // `cluster`, which outlives it as the logger does; null: the ledger is of this machine alone, and nothing
  // is watched.
  NodeWatch(const eventstore::Cluster* cluster, Logger& logger);
  ~NodeWatch();
  NodeWatch(const NodeWatch&) = delete;
  NodeWatch& operator=(const NodeWatch&) = delete;

 private:
  void run();
  void look();
  void look_for_losses();

  const eventstore::Cluster* const cluster_;
  Logger& logger_;
  std::string fault_;        // as last said
  bool has_losses_ = false;  // likewise
  std::mutex mutex_;
  std::condition_variable stop_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace pixledger::http
