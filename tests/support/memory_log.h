#pragma once

#include <map>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eventstore/log/ledger_log.h"
#include "eventstore/log/log_import.h"
#include "eventstore/tree/merkle.h"

namespace pixledger::eventstore {

// The contents of a log in memory.
struct MemoryContents {
  Head head;
  std::uint32_t id_counter = 0;
  std::vector<StoredEvent> events;                      // from position 1
  std::vector<std::string> tree_records;                // from position 1
  std::map<StreamName, std::vector<Position>> streams;  // from version 1
  std::map<std::string, StreamName> claims;
  std::map<Digest, std::string> idempotency;
  std::set<std::pair<Timestamp, Digest>> idempotency_times;
  Frontier frontier;
  ClockAcceptance clock_acceptance;
  std::optional<Digest> keyring;
  std::vector<EndedEpoch> ended_epochs;

  std::uint32_t version_of(const StreamName& stream) const;
  std::vector<StoredEvent> read_after(Position after, std::size_t max) const;
  StreamBatch read_stream(const StreamName& stream, std::uint32_t after_version, Position up_to,
                          ReadAllowance& allowance) const;
  std::optional<StreamName> claim_holder(const ClaimName& claim) const;
  std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(const std::string& prefix) const;
  std::optional<std::string> idempotency_record(const Digest& key) const;
  // Appends the event at the next position, ignoring the event's own.
  void append(const StreamName& stream, StoredEvent event, const std::vector<ClaimName>& claims);
  void remember(const Batch& batch);
};

// A log without a disk, for tests and trials. For one process; its contents end with the object.
class MemoryLog final : public LedgerLog {
 public:
  explicit MemoryLog(LogIdentity identity, MemoryContents contents = {})
      : identity_(std::move(identity)), contents_(std::move(contents)) {}

  const LogIdentity& identity() const override { return identity_; }
  std::unique_ptr<LogWrite> begin_write() override;
  Head head() const override;
  Head catch_up() const override { return head(); }
  std::uint32_t version_of(const StreamName& stream) const override;
  std::vector<StoredEvent> read_after(Position after, std::size_t max) const override;
  StreamBatch read_stream(const StreamName& stream, std::uint32_t after_version,
                          Position up_to) const override;
  std::optional<StreamName> claim_holder(const ClaimName& claim) const override;
  std::vector<std::pair<ClaimName, StreamName>> claims_with_prefix(const std::string& prefix) const override;
  std::optional<Digest> leaf_hash(Position position) const override;
  std::optional<std::string> tree_record(Position position) const override;
  ClockAcceptance clock_acceptance() const override;
  void accept_clock(const ClockReading& clock) override;
  bool wait_past_or(Position position, std::chrono::milliseconds timeout,
                    const WakeSignal::Condition& other) const override;
  void wake() const override { committed_.raise(); }
  // A copy of everything.
  std::unique_ptr<LogSnapshot> snapshot() const override;
  void remove_personal(const std::vector<Position>& positions) override;
  // Does nothing: memory is never written to a disk.
  void scrub_buffers() override {}
  void scrub(std::chrono::milliseconds) override {}

 private:
  class Write;

  const LogIdentity identity_;
  std::mutex write_mutex_;             // held by the writer; acquired before contents_mutex_
  mutable std::mutex contents_mutex_;  // held for single calls only
  mutable WakeSignal committed_;
  MemoryContents contents_;
};

class MemoryLogImport final : public LogImport {
 public:
  void append(const AppendedEvent& event) override;
  void add(const IdempotencyEntry& entry) override;
  Digest finish(const LogIdentity& identity, const LogEnd& end) override;

  // The imported log.
  MemoryLog& log() { return *log_; }

 private:
  MemoryContents contents_;
  std::unique_ptr<MemoryLog> log_;
};

}  // namespace pixledger::eventstore
