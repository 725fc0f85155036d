#include "http/services/node_watch.h"

#include <algorithm>

namespace pixledger::http {
namespace {

constexpr std::chrono::milliseconds kNodesLookEvery{500};

}  // namespace

NodeWatch::NodeWatch(const eventstore::Cluster* cluster, Logger& logger)
    : cluster_(cluster), logger_(logger) {
  if (cluster_) thread_ = std::thread([this] { run(); });
}

NodeWatch::~NodeWatch() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_one();
  thread_.join();
}

void NodeWatch::run() {
  std::unique_lock lock(mutex_);
  do {
    look();
    look_for_losses();
  } while (!stop_.wait_for(lock, kNodesLookEvery, [this] { return stopping_; }));
}

// What it says of one fault may change from try to try.
void NodeWatch::look() {
  auto fault = cluster_->fault();
  if (fault.empty() == fault_.empty()) return;
  if (!fault.empty())
    logger_.error("this node cannot tell what the ledger has, and answers 503", {{"fault", fault}});
  else
    logger_.info("this node answers again");
  fault_ = std::move(fault);
}

void NodeWatch::look_for_losses() {
  const auto losses = cluster_->lost_histories();
  if (losses.empty() != has_losses_) return;
  has_losses_ = !losses.empty();
  if (!has_losses_) return logger_.info("the loss of commits was accepted");
  std::string kept_by;
  std::uint64_t events = 0;
  for (const auto& loss : losses) {
    kept_by += (kept_by.empty() ? "" : " ") + loss.node;
    events = std::max(events, loss.events);
  }
  logger_.error("PostgreSQL has lost commits that were acknowledged",
                {{"keptBy", kept_by},
                 {"events", events},
                 {"writes", cluster_->write_stop().empty() ? "go on" : "are refused"}});
}

}  // namespace pixledger::http
