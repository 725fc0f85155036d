#include "http/metrics/redundancy_watch.h"

#include <algorithm>

namespace pixledger::http {
namespace {

constexpr std::chrono::seconds kRedundancyLookEvery{15};

std::string hosts_of(const eventstore::Redundancy& seen) {
  std::string hosts;
  for (const auto& host : seen.hosts)
    if (!host.problem.empty()) hosts += (hosts.empty() ? "" : "; ") + host.name + ": " + host.problem;
  return hosts;
}

}  // namespace

std::uint64_t missing_hosts(const eventstore::Redundancy& seen) {
  return static_cast<std::uint64_t>(std::count_if(seen.hosts.begin(), seen.hosts.end(),
                                                  [](const auto& host) { return !host.problem.empty(); }));
}

std::uint64_t missing_standbys(const eventstore::Redundancy& seen) {
  return seen.standbys_wanted - std::min(seen.standbys, seen.standbys_wanted);
}

RedundancyWatch::RedundancyWatch(const eventstore::Cluster* cluster, Logger& logger)
    : cluster_(cluster), logger_(logger) {
  if (cluster_) thread_ = std::thread([this] { run(); });
}

RedundancyWatch::~RedundancyWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

std::optional<eventstore::Redundancy> RedundancyWatch::last() const {
  const std::lock_guard lock(mutex_);
  return last_;
}

void RedundancyWatch::run() {
  std::unique_lock lock(mutex_);
  do {
    lock.unlock();
    auto seen = cluster_->redundancy();
    tell(seen);
    lock.lock();
    last_ = std::move(seen);
  } while (!stop_.wait_for(lock, kRedundancyLookEvery, [this] { return stopping_; }));
}

void RedundancyWatch::tell(const eventstore::Redundancy& seen) {
  const auto standbys = missing_standbys(seen);
  const auto hosts = hosts_of(seen);
  const auto missing = std::to_string(missing_hosts(seen)) + " " + std::to_string(standbys);
  const bool is_whole = hosts.empty() && standbys == 0;
  if (missing == told_ || (is_whole && told_.empty())) return;
  told_ = is_whole ? std::string() : missing;
  if (is_whole) return logger_.info("no machine of the ledger's database is missing any more");
  logger_.warning("machines of the ledger's database are missing",
                  {{"hosts", hosts}, {"standbys", seen.standbys}, {"standbysWanted", seen.standbys_wanted}});
}

}  // namespace pixledger::http
