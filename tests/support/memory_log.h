#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/log/log.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

// The log without a disk: for tests and for trying things out. One process, and gone with the object.
class MemoryLog final : public Log {
 public:
  explicit MemoryLog(LogIdentity identity) : identity_(std::move(identity)) {}

  const LogIdentity& identity() const override { return identity_; }
  std::unique_ptr<LogWrite> begin_write() override;
  Head head() const override;
  std::uint32_t version_of(const StreamName& stream) const override;
  std::vector<StoredEvent> read_after(Position after, std::size_t max) const override;
  std::vector<StoredEvent> read_stream(const StreamName& stream, std::uint32_t after_version,
                                       Position up_to) const override;
  std::optional<StreamName> claim_holder(const ClaimName& claim) const override;
  std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(const std::string& prefix) const override;
  std::optional<Digest> leaf_hash(Position position) const override;
  std::optional<std::string> tree_record(Position position) const override;
  ClockAcceptance clock_acceptance() const override;
  void accept_clock(const ClockReading& clock) override;
  bool wait_past(Position position, std::chrono::milliseconds timeout) const override;

 private:
  class Write;

  // What is committed.
  struct Contents {
    Head head;
    std::uint32_t id_counter = 0;
    std::vector<StoredEvent> events;                      // position 1 first
    std::vector<std::string> tree_records;                // the same
    std::map<StreamName, std::vector<Position>> streams;  // version 1 first
    std::map<std::string, StreamName> claims;
    std::map<Digest, std::string> idempotency;
    std::set<std::pair<Timestamp, Digest>> idempotency_times;
    Frontier frontier;
    ClockAcceptance clock_acceptance;

    std::uint32_t version_of(const StreamName& stream) const;
    std::vector<StoredEvent> read_stream(const StreamName& stream, std::uint32_t after_version,
                                         Position up_to) const;
    std::optional<StreamName> claim_holder(const ClaimName& claim) const;
    std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(const std::string& prefix) const;
    std::optional<std::string> idempotency_record(const Digest& key) const;
    void append(const Batch& batch);
    void append(const NewRecord& record);
    void remember(const Batch& batch);
  };

  const LogIdentity identity_;
  std::mutex write_mutex_;             // the writer's turn; taken before contents_mutex_
  mutable std::mutex contents_mutex_;  // held for single calls only
  mutable std::condition_variable committed_;
  Contents contents_;
};

}  // namespace pixledger::eventstore
