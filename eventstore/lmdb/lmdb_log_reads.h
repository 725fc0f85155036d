#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eventstore/lmdb/journal_record.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/log/log.h"

// The keys and values of the ledger's databases, for the readers and the write of LmdbLog. Frozen:
// docs/reference/event-format.md, golden tests.
namespace pixledger::eventstore {

// For a ledger that is being made.
LmdbLog::Databases create_ledger_databases(LmdbEnvironment& environment);
// For an existing ledger. Throws LogCorrupt if a database is missing, and writes nothing: every ledger has
// them from the start, and writing to damaged pages destroys what could still be read.
LmdbLog::Databases find_ledger_databases(const LmdbEnvironment& environment);

// The value of meta["head"].
struct StoredHead {
  Position position;
  Timestamp time;
  std::uint32_t id_counter = 0;
};

std::string encode_head(const StoredHead& head);
StoredHead read_head(MDB_txn* transaction, const LmdbLog::Databases& databases);

std::uint64_t read_format(MDB_txn* transaction, const LmdbLog::Databases& databases);

// The number of the newest commit that a copy of a shared ledger has taken in.
constexpr std::string_view kCopiedBatch = "copied_batch";
std::uint64_t read_copied_batch(MDB_txn* transaction, const LmdbLog::Databases& databases);

// Of a ledger with a journal: the newest batch that was in the journal, and where the next record goes.
struct StoredJournal {
  std::uint64_t number = 0;
  JournalPlace next;
};
constexpr std::string_view kJournal = "journal";
std::string encode_journal(const StoredJournal& journal);
// nullopt: the ledger has never had one. Throws LogCorrupt.
std::optional<StoredJournal> read_journal(MDB_txn* transaction, const LmdbLog::Databases& databases);

// SHA-256 over all other records of `meta`; "check" holds it, to detect changed bytes.
Digest digest_of_meta(MDB_txn* transaction, const LmdbLog::Databases& databases);
// Must be called last in every write that changes one of them.
void seal_meta(MDB_txn* transaction, const LmdbLog::Databases& databases);
constexpr std::string_view kMetaCheck = "check";

ClockAcceptance read_clock_acceptance(MDB_txn* transaction, const LmdbLog::Databases& databases);

// The name, a zero byte, the version in four bytes: a stream's events sort by version.
std::string stream_key(const StreamName& stream, std::uint32_t version);
std::uint32_t read_version(MDB_txn* transaction, const LmdbLog::Databases& databases,
                           const StreamName& stream);
// Reads as far as the allowance permits, and deducts what it reads.
StreamBatch read_stream_events(MDB_txn* transaction, const LmdbLog::Databases& databases,
                               const StreamName& stream, std::uint32_t after_version, Position up_to,
                               ReadAllowance& allowance);

// See Log::read_after().
std::vector<StoredEvent> read_events_after(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                           Position after, std::size_t max);

// Throws LogCorrupt if an event's bytes do not match its leaf in the tree, or its personal bytes their
// digest.
void check_leaves(MDB_txn* transaction, const LmdbLog::Databases& databases,
                  const std::vector<StoredEvent>& events);

// Returns 0 if the key is not a position.
Position to_position(std::string_view key);
StreamName to_stream_name(std::string_view stored);
std::optional<StreamName> read_claim(MDB_txn* transaction, const LmdbLog::Databases& databases,
                                     const ClaimName& claim);

// One transaction on the ledger's databases.
class LmdbLogSnapshot final : public LogSnapshot {
 public:
  LmdbLogSnapshot(const LmdbEnvironment& environment, const LmdbLog::Databases& databases)
      : read_(environment), databases_(databases) {}

  LogEnd end() const override;
  std::unique_ptr<PositionCursor> events() const override;
  std::unique_ptr<PositionCursor> personal() const override;
  std::unique_ptr<PositionCursor> tree() const override;
  std::unique_ptr<StreamCursor> streams() const override;
  std::unique_ptr<EntryCursor<ClaimEntry>> claims() const override;
  std::uint64_t claim_count() const override;
  std::optional<std::string_view> claim_holder(const ClaimName& claim) const override;
  std::unique_ptr<EntryCursor<IdempotencyEntry>> idempotency(Timestamp from) const override;
  std::optional<std::string> problem_of_idempotency() const override;
  std::optional<std::string> problem_of_meta() const override;

 private:
  std::uint64_t entries(MDB_dbi database) const;

  LmdbRead read_;
  const LmdbLog::Databases& databases_;
};

// The record of `meta` that a restore makes: epoch and last position of each ended epoch. Frozen.
inline constexpr std::string_view kEndedEpochs = "ended_epochs";
std::string encode_ended_epochs(const std::vector<EndedEpoch>& epochs);
// Empty without a record. Throws LogCorrupt.
std::vector<EndedEpoch> read_ended_epochs(MDB_txn* transaction, const LmdbLog::Databases& databases);

}  // namespace pixledger::eventstore
