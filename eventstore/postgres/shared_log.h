#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/platform/last_words.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/cluster.h"
#include "eventstore/log/ledger_log.h"
#include "eventstore/postgres/copy_follower.h"
#include "eventstore/postgres/copy_guard.h"
#include "eventstore/postgres/node_presence.h"
#include "eventstore/postgres/pg_client.h"
#include "eventstore/postgres/shared_node.h"

namespace pixledger::eventstore {

// A log that several machines share: PostgreSQL decides the order, and this node's complete copy answers all
// reads. A write takes a turn among all nodes, brings the copy to the head and decides on it; its commit is
// durable once a standby has it, too. Events read from the copy are checked against their leaves in its tree.
// A bad copy ends the process (CopyGuard). Thread-safe.
class SharedLog final : public LedgerLog, public Cluster {
 public:
  // `copy`: of the same ledger, as open_copy() has opened it. Throws what CopyGuard does.
  SharedLog(std::unique_ptr<LmdbLog> copy, SharedNode node);
  ~SharedLog() override;

  const LmdbLog& copy() const { return *copy_; }
  const SharedNode& node() const { return node_; }

  const LogIdentity& identity() const override { return copy_->identity(); }
  std::unique_ptr<LogWrite> begin_write() override;
  Head head() const override {
    return guard_.watch([&] { return copy_->head(); });
  }
  Head catch_up() const override;
  std::optional<Head> begin_catch_up(TellHead told) const override;
  std::uint32_t version_of(const StreamName& stream) const override {
    return guard_.watch([&] { return copy_->version_of(stream); });
  }
  std::vector<StoredEvent> read_after(Position after, std::size_t max) const override;
  StreamBatch read_stream(const StreamName& stream, std::uint32_t after_version,
                          Position up_to) const override;
  std::optional<StreamName> claim_holder(const ClaimName& claim) const override {
    return guard_.watch([&] { return copy_->claim_holder(claim); });
  }
  std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(const std::string& prefix) const override {
    return guard_.watch([&] { return copy_->claims_with_prefix(prefix); });
  }
  std::optional<Digest> leaf_hash(Position position) const override {
    return guard_.watch([&] { return copy_->leaf_hash(position); });
  }
  std::optional<std::string> tree_record(Position position) const override {
    return guard_.watch([&] { return copy_->tree_record(position); });
  }
  // What was accepted of the primary's clock, for all nodes.
  ClockAcceptance clock_acceptance() const override;
  void accept_clock(const ClockReading& clock) override;
  bool wait_past_or(Position position, std::chrono::milliseconds timeout,
                    const WakeSignal::Condition& other) const override {
    return guard_.watch([&] { return copy_->wait_past_or(position, timeout, other); });
  }
  void wake() const override { copy_->wake(); }

  // Only its beginning is watched. Reads of it are not: their callers compare the whole copy.
  std::unique_ptr<LogSnapshot> snapshot() const override {
    return guard_.watch([&] { return copy_->snapshot(); });
  }
  // Removes in PostgreSQL and here. Other nodes do their part when they follow the erasure.
  void remove_personal(const std::vector<Position>& positions) override;
  void scrub_buffers() override {
    guard_.watch([&] { copy_->scrub_buffers(); });
  }
  // First has the node's other processes, which write to the same copy, scrub their buffers. Throws
  // SnapshotInUse also if one of them stands still for longer than `patience`.
  void scrub(std::chrono::milliseconds patience) override;

  const std::string& node_name() const override { return node_.name; }
  std::string fault() const override;
  std::uint64_t lag_events() const override;
  std::vector<std::string> leases() const override { return presence_->seen().leases; }
  std::optional<Timestamp> time_there() const override { return presence_->time_there(); }
  TurnWaits turn_waits() const override;
  std::uint64_t unknown_commits() const override { return unknown_commits_; }
  std::vector<LostHistory> lost_histories() const override { return presence_->seen().losses; }
  std::string write_stop() const override;
  void continue_after_loss() override { stops_for_losses_ = false; }
  void tell_end_to(std::function<void(const std::string& reason)> tell) const override {
    last_words_.tell_to(std::move(tell));
  }
  Redundancy redundancy() const override;
  std::vector<NodeState> nodes() const override;
  std::string excess_rights() const override;
  std::optional<RowDifference> find_difference(const RowComparisonOptions& options) const override;
  Position erased() const override;
  std::optional<SeenErased> seen_erased() const override { return presence_->seen().erased; }
  void note_erased(Position position) override;

 private:
  // Returns a usable client; requires the mutex. A caller may keep it when another has replaced it.
  std::shared_ptr<PgClient> client() const;
  enum class Use { kReading, kWriting };
  std::unique_ptr<PgClient> connect(const PgTimeouts& times, Use use = Use::kReading) const;
  void count_turn(std::chrono::steady_clock::duration waited);
  // The condition that the row is this node's.
  std::string own_row() const;
  // Changes this node's row in one transaction. Returns the statement's result.
  pqxx::result change_node(const std::string& change);

  const SharedNode node_;
  mutable DeadlineWatch watch_;
  mutable LastWords last_words_;
  std::atomic<bool> stops_for_losses_{true};
  const std::unique_ptr<LmdbLog> copy_;
  const CopyGuard guard_;
  std::unique_ptr<NodePresence> presence_;
  std::atomic<std::uint64_t> own_commit_{0};
  std::atomic<std::uint64_t> replicated_{0};
  std::unique_ptr<CopyFollower> follower_;
  mutable std::recursive_mutex mutex_;  // for the client; held during a write, which may lock it again
  mutable std::shared_ptr<PgClient> client_;
  std::atomic<std::uint64_t> unknown_commits_{0};
  mutable std::mutex waits_mutex_;
  TurnWaits waits_;
};

}  // namespace pixledger::eventstore
