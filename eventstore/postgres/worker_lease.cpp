#include "eventstore/postgres/worker_lease.h"

#include "eventstore/postgres/client_start.h"

namespace pixledger::eventstore {
namespace {

using Monotonic = std::chrono::steady_clock;

constexpr std::chrono::seconds kRenewEvery{2};

constexpr PreparedStatement kTake{
    "take",
    "INSERT INTO turn AS t (worker, node, epoch, until) "
    "VALUES ($1, $2, 1, clock_timestamp() + $3::interval) ON CONFLICT (worker) DO UPDATE "
    "SET node = $2, epoch = t.epoch + 1, until = clock_timestamp() + $3::interval "
    "WHERE t.until < clock_timestamp() RETURNING epoch"};
constexpr PreparedStatement kRenew{
    "renew",
    "UPDATE turn SET until = clock_timestamp() + $3::interval WHERE worker = $1 AND epoch = $2 RETURNING 1"};
constexpr PreparedStatement kLeave{
    "leave", "UPDATE turn SET until = clock_timestamp() WHERE worker = $1 AND epoch = $2 RETURNING 1"};

std::string interval() { return std::to_string(WorkerLease::kTime.count()) + " seconds"; }

// Answers after the lease was given up are useless.
SharedNode hasty(SharedNode node) {
  node.times.connect = std::chrono::seconds(3);
  node.times.answer = std::chrono::seconds(4);
  node.times.commit = std::chrono::seconds(4);
  return node;
}

std::unique_ptr<PgClient> begin(const SharedNode& node, DeadlineWatch& watch) {
  auto client = std::make_unique<PgClient>(node.uri, node.times, watch);
  check_settings(*client);
  return client;
}

}  // namespace

std::unique_ptr<WorkerLease> WorkerLease::try_take(const SharedNode& node, std::string worker,
                                                   std::function<void()> lost) {
  std::unique_ptr<WorkerLease> lease(new WorkerLease(hasty(node), std::move(worker), std::move(lost)));
  if (!lease->take()) return nullptr;
  return lease;
}

WorkerLease::WorkerLease(const SharedNode& node, std::string worker, std::function<void()> lost)
    : node_(node), worker_(std::move(worker)), lost_(std::move(lost)) {}

WorkerLease::~WorkerLease() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  stop_.notify_all();
  thread_.join();
  timer_.join();
}

bool WorkerLease::take() {
  // Taken before the request: the lease may be granted from then on.
  renewed_at_ = Monotonic::now();
  client_ = begin(node_, watch_);
  client_->run("BEGIN");
  const auto is_idle = client_->run("SELECT pg_try_advisory_xact_lock(" + lock_of(worker_) + ")");
  if (!is_idle.at(0).at(0).as<bool>()) {
    client_->roll_back();
    return false;
  }
  const auto taken = client_->run_prepared(kTake, worker_, node_.name, interval());
  client_->commit();
  if (taken.empty()) return false;
  epoch_ = taken.at(0).at(0).as<std::int64_t>();
  thread_ = std::thread([this] { renew_until_stopped(); });
  timer_ = std::thread([this] { give_up_in_time(); });
  return true;
}

void WorkerLease::renew_until_stopped() {
  std::unique_lock lock(mutex_);
  while (!stop_.wait_for(lock, kRenewEvery, [this] { return stopping_; })) {
    lock.unlock();
    const auto asked_at = Monotonic::now();
    const bool renewed = renew();
    lock.lock();
    if (renewed) renewed_at_ = asked_at;
  }
  lock.unlock();
  try {
    if (client_ && client_->is_usable()) client_->run_prepared(kLeave, worker_, epoch_);
  } catch (const std::exception&) {
    // The lease expires by itself.
  }
}

void WorkerLease::give_up_in_time() {
  std::unique_lock lock(mutex_);
  while (!stopping_) {
    const auto end = renewed_at_ + kGivenUpAfter;
    if (Monotonic::now() >= end) {
      lock.unlock();
      return lost_();
    }
    stop_.wait_until(lock, end);
  }
}

bool WorkerLease::renew() {
  try {
    if (!client_ || !client_->is_usable()) client_ = begin(node_, watch_);
    client_->run("BEGIN");
    const bool renewed = !client_->run_prepared(kRenew, worker_, epoch_, interval()).empty();
    client_->commit();
    return renewed;
  } catch (const std::exception&) {
    client_.reset();
    return false;
  }
}

}  // namespace pixledger::eventstore
