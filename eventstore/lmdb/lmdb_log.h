#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/descriptor.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/lmdb/journal.h"
#include "eventstore/lmdb/ledger_keeper.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/write_gate.h"
#include "eventstore/log/copy_write.h"
#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

// The log in an LMDB environment, `ledger/` of a data directory. Several processes may have it open and
// write. docs/reference/event-format.md names every stored byte.
//
// With a journal (LmdbOptions::journal), a commit is durable by its record there, before LMDB shows it; LMDB
// writes without syncs, and checkpoints make its state durable. Commits that are no batch return after a
// checkpoint. See lmdb_log_recovery.cpp.
struct LmdbOpening;

class LmdbLog final : public LedgerLog {
 public:
  // Makes an empty ledger, bound to a keyring unless that is null. Throws if there is a ledger already.
  static void create(const std::filesystem::path& directory, Entropy& entropy,
                     const LmdbOptions& options = {}, const Keyring* keyring = nullptr);

  // Whether a directory holds a ledger.
  static bool is_in(const std::filesystem::path& directory);

  // Recovers the ledger if no other process has it open. Throws std::runtime_error if there is no ledger, or
  // a newer release wrote it, and LogCorrupt if acknowledged batches are missing. With `read_only` nothing
  // below the directory is written. `format_of` returns the lowest format that an event needs; appending the
  // event raises the ledger's format to it. Without it the ledger keeps its format.
  explicit LmdbLog(const std::filesystem::path& directory, const LmdbOptions& options = {},
                   FormatOf format_of = {});
  ~LmdbLog() override;

  const LogIdentity& identity() const override { return identity_; }
  std::unique_ptr<LogWrite> begin_write() override;
  // For a copy: its append() counts as the commit after the newest one.
  std::unique_ptr<CopyWrite> begin_copy_write();
  // A copy's newest commit taken in, and the last event at the same moment; 0: none.
  struct Copied {
    std::uint64_t batch;
    Position last;
  };
  Copied copied() const;
  std::uint64_t stored_format() const;
  // Whether it is a copy of a shared ledger.
  bool is_copy() const;
  // Throws LogCorrupt if the events do not match their leaves in the tree.
  void check(const std::vector<StoredEvent>& events) const;
  // Makes the log a copy that has everything up to the commit that `publish` returns. It is marked as a copy
  // before `publish` runs, so that an interruption leaves no process that uses it as its own log. Other
  // writers are blocked meanwhile, and refused afterwards. If `publish` throws, the log becomes again what it
  // was, except after LogOutcomeUnknown.
  void become_copy(const std::function<std::uint64_t()>& publish);
  // Makes a copy a log of its own again. `check` runs with writers blocked and throws if the ledger is
  // published.
  void be_no_copy(const std::function<void()>& check);
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
  std::unique_ptr<LogSnapshot> snapshot() const override;
  void remove_personal(const std::vector<Position>& positions) override;
  void scrub_buffers() override;
  void scrub(std::chrono::milliseconds patience) override;
  std::string recovered() const override { return recovered_; }
  std::optional<std::string> problem_of_files() const override;

  struct Databases {
    MDB_dbi events, personal, streams, claims, tree, idempotency, idempotency_times, meta;
  };
  const LmdbEnvironment& environment() const { return environment_; }
  // For checks of the stored records only; use the functions above for everything else.
  const Databases& databases() const { return databases_; }

  // Whether this process may write the ledger in a directory. If not, it can still read one that no process
  // writes, with `read_only`.
  static bool may_be_written(const std::filesystem::path& directory);

 private:
  class Write;

  LmdbLog(const std::filesystem::path& directory, std::unique_ptr<LmdbOpening> opening, FormatOf format_of);
  void finish_opening(const LmdbOpening& opening, bool wants_journal);
  void adopt_journal();
  void use_journal();
  void recover(const LmdbCheckpoint& checkpoint);
  std::optional<std::string> find_problem_of_journal(const LmdbCheckpoint& checkpoint) const;
  // The records after a checkpoint.
  JournalReader journal_reader(const LmdbCheckpoint& checkpoint) const;
  // `place`: of the record, for errors.
  void take_in(const JournalRecord& record, const JournalPlace& next, const std::string& place);
  // Begins an exclusive write, to be called with the gate held. Throws LmdbError and LogUnavailable.
  std::unique_ptr<LmdbWrite> begin_exclusive();
  // Returns when the commit with that number of LMDB is durable. To be called without the gate.
  void make_durable(std::uint64_t transaction);
  std::uint64_t last_commit() const;

  void clear_stale_readers_at_times();
  // Waits for its turn among all writers and runs `work` inside an exclusive write, which it may commit.
  void in_turn(const std::function<void(LmdbWrite&)>& work);
  // Requires a log that is not read-only.
  const WriteGate& gate() const;
  // Returns false if LMDB refuses all further writes.
  bool can_write();
  // Returns LMDB's number of the commit.
  std::uint64_t note_format(std::uint64_t format);

  const FormatOf format_of_;
  // Both outlive the environment.
  std::unique_ptr<Descriptor> mark_;  // LmdbOpening::mark; null without checkpoints
  std::unique_ptr<KeeperOffice> office_;
  LmdbEnvironment environment_;
  Databases databases_;
  LogIdentity identity_;
  std::optional<WriteGate> gate_;  // nullopt: read-only
  std::atomic<std::chrono::steady_clock::time_point> next_reader_check_{};
  const std::chrono::milliseconds look_every_;
  mutable WakeSignal committed_;
  // Both are null without a journal.
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<LedgerKeeper> keeper_;
  std::string recovered_;
};

}  // namespace pixledger::eventstore
