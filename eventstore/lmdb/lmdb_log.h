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
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/log/copy_write.h"
#include "eventstore/log/ledger_log.h"

namespace pixledger::eventstore {

// LMDB's writer lock is unfair: the thread that just released it takes it again, and a writer in another
// process waits for seconds. Those who pass this gate first take turns: hold it while waiting for LMDB's
// lock, release it once inside.
class WriteGate {
 public:
  explicit WriteGate(const std::filesystem::path& file);

  // Blocks for the gate; RAII releases it.
  class Pass {
   public:
    explicit Pass(const WriteGate& gate);
    ~Pass();
    Pass(const Pass&) = delete;
    Pass& operator=(const Pass&) = delete;

   private:
    const WriteGate& gate_;
  };

 private:
  Descriptor descriptor_;
};

// The log in an LMDB environment, `ledger/` of a data directory. Several processes may have it open and
// write. docs/EVENT_FORMAT.md names every stored byte.
class LmdbLog final : public LedgerLog {
 public:
  // Makes an empty ledger, bound to a keyring unless that is null; throws when there is one already.
  static void create(const std::filesystem::path& directory, Entropy& entropy,
                     const LmdbOptions& options = {}, const Keyring* keyring = nullptr);

  // Whether a directory holds one.
  static bool is_in(const std::filesystem::path& directory);

  // Throws std::runtime_error when there is no ledger, or one that a newer release wrote. With `read_only` it
  // can only be read, and nothing below the directory is written. `format_of`: the least format that an event
  // needs, which the ledger gets with it; none: it keeps the one that it has.
  explicit LmdbLog(const std::filesystem::path& directory, const LmdbOptions& options = {},
                   FormatOf format_of = {});
  ~LmdbLog() override;

  const LogIdentity& identity() const override { return identity_; }
  std::unique_ptr<LogWrite> begin_write() override;
  // Of a log that is a copy: its append() counts as the commit after the newest one.
  std::unique_ptr<CopyWrite> begin_copy_write();
  // The newest commit that a copy has taken in, and the last event then, at one moment; 0: none.
  struct Copied {
    std::uint64_t batch;
    Position last;
  };
  Copied copied() const;
  std::uint64_t stored_format() const;
  // Whether it is a copy of a log that machines share.
  bool is_copy() const;
  // Throws LogCorrupt where what was read of them is not what the tree has leaves of.
  void check(const std::vector<StoredEvent>& events) const;
  // From now on it is one, which has all up to the commit that `publish` returns. It is one from before that
  // is called, so that nobody goes on with it as its own whatever stops this; nobody else writes it
  // meanwhile, and who waited to is refused. Where publish throws it is again what it was, unless that is
  // LogOutcomeUnknown.
  void become_copy(const std::function<std::uint64_t()>& publish);
  // The other way round, once `check` has found, while nobody writes it, that it is not published.
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

  struct Databases {
    MDB_dbi events, personal, streams, claims, tree, idempotency, idempotency_times, meta;
  };
  const LmdbEnvironment& environment() const { return environment_; }
  // For who checks what lies there; everything else goes by the functions above.
  const Databases& databases() const { return databases_; }

  // Whether this process may write the ledger in a directory. Where it may not it can still read one that
  // nobody writes, with `read_only`.
  static bool may_be_written(const std::filesystem::path& directory);

 private:
  class Write;

  void clear_stale_readers_at_times();
  // Runs `work` inside an exclusive write, which it may commit, when it is its turn among all writers.
  void in_turn(const std::function<void(LmdbWrite&)>& work);
  // Of a log that is not read-only.
  const WriteGate& gate() const;
  // False when LMDB has given the environment up.
  bool can_write();
  // Durable on return.
  void note_format(std::uint64_t format);

  const FormatOf format_of_;
  LmdbEnvironment environment_;
  Databases databases_;
  LogIdentity identity_;
  std::optional<WriteGate> gate_;  // none: read-only
  std::atomic<std::chrono::steady_clock::time_point> next_reader_check_{};
  const std::chrono::milliseconds look_every_;
  mutable WakeSignal committed_;
};

}  // namespace pixledger::eventstore
