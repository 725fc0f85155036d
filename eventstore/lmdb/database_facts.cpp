#include "eventstore/lmdb/database_facts.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

#include "base/platform/descriptor.h"
#include "base/platform/owner_lock.h"
#include "eventstore/lmdb/checkpoint_file.h"
#include "eventstore/lmdb/lmdb_environment.h"
#include "eventstore/lmdb/lmdb_file_check.h"
#include "eventstore/lmdb/lock_file.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {
namespace {

constexpr MDB_dbi kDatabasesMax = 32;

bool is_open_elsewhere(const std::filesystem::path& directory) {
  try {
    return is_locked(directory / "lock.mdb");
  } catch (const std::system_error&) {
    return false;  // its locks could not be used either
  }
}

// After a loss of power its newest pages may be on the disk in part. LMDB names damaged meta pages itself.
void refuse_unclosed(const std::filesystem::path& directory) {
  if (!CheckpointFile::exists(directory)) return;
  const auto checkpoint = CheckpointFile::newest_in(directory);
  const auto state = newest_meta_in(directory);
  if (checkpoint.meta.empty() || !state || state->transaction == checkpoint.transaction) return;
  throw DatabaseNotClosed(directory.string() +
                          " was not closed: the next program that opens it takes in what its journal has");
}

}  // namespace

UntouchedDatabase::UntouchedDatabase(const std::filesystem::path& directory, std::size_t map_bytes)
    : has_locks_(is_open_elsewhere(directory)) {
  const auto file = directory / "data.mdb";
  check_file_is_not_empty(file);
  refuse_lost_lock_file(directory);
  if (!has_locks_) refuse_unclosed(directory);
  int code = open(directory, map_bytes, has_locks_ ? 0 : MDB_NOLOCK);
  if (code == EACCES && has_locks_) {
    has_locks_ = false;
    code = open(directory, map_bytes, MDB_NOLOCK);
  }
  try {
    if (code != MDB_SUCCESS) throw_cannot_open(directory, map_bytes, code);
    const Descriptor data_file(file, O_RDONLY);
    if (!data_file) throw LmdbError("cannot open " + file.string(), errno);
    check_file_is_whole(environment_, data_file.number(), file);
  } catch (...) {
    mdb_env_close(environment_);
    throw;
  }
}

UntouchedDatabase::~UntouchedDatabase() {
  if (transaction_) mdb_txn_abort(transaction_);
  mdb_env_close(environment_);
}

int UntouchedDatabase::open(const std::filesystem::path& directory, std::size_t map_bytes, unsigned flags) {
  if (environment_) mdb_env_close(environment_);
  environment_ = nullptr;
  check_lmdb(mdb_env_create(&environment_), "mdb_env_create");
  mdb_env_set_mapsize(environment_, map_bytes);
  mdb_env_set_maxdbs(environment_, kDatabasesMax);
  return mdb_env_open(environment_, directory.c_str(), flags | MDB_RDONLY | MDB_NOTLS, 0600);
}

MDB_txn* UntouchedDatabase::transaction() {
  if (!transaction_) check_lmdb(SettledReaders(environment_).take(transaction_), "mdb_txn_begin");
  return transaction_;
}

MDB_dbi UntouchedDatabase::database(const char* name) {
  MDB_dbi database = 0;
  check_lmdb(mdb_dbi_open(transaction(), name, 0, &database), "mdb_dbi_open");
  return database;
}

std::optional<std::string> UntouchedDatabase::find(const char* database_name, std::string_view key) {
  const auto value = lmdb_get(transaction(), database(database_name), key);
  return value ? std::optional(std::string(*value)) : std::nullopt;
}

namespace {

std::string get(UntouchedDatabase& database, const char* name) {
  auto value = database.find("meta", name);
  if (!value) throw std::runtime_error("the ledger has no " + std::string(name));
  return *std::move(value);
}

// LMDB passes one line "pid thread transaction" for each slot, with "-" for an idle reader. Headings do not
// begin with a number.
int note_reader(const char* line, void* context) {
  auto& facts = *static_cast<DatabaseFacts*>(context);
  std::istringstream words(line);
  int pid = 0;
  std::string thread;
  if (!(words >> pid >> thread) || pid <= 0) return 0;
  if (::kill(pid, 0) != 0 && errno == ESRCH) facts.dead_readers->push_back(pid);
  std::uint64_t transaction = 0;
  auto& oldest = facts.old_reader;
  if (words >> transaction && (!oldest || transaction < oldest->transaction))
    oldest = OldReader{pid, transaction, 0};
  return 0;
}

void note_readers(const UntouchedDatabase& database, std::uint64_t newest, DatabaseFacts& facts) {
  facts.dead_readers.emplace();
  mdb_reader_list(database.environment(), note_reader, &facts);
  if (facts.old_reader && facts.old_reader->transaction < newest)
    facts.old_reader->behind = newest - facts.old_reader->transaction;
  else
    facts.old_reader.reset();
}

DatabaseFacts facts_of(const UntouchedDatabase& database) {
  DatabaseFacts facts;
  MDB_envinfo info{};
  check_lmdb(mdb_env_info(database.environment(), &info), "mdb_env_info");
  MDB_stat pages{};
  check_lmdb(mdb_env_stat(database.environment(), &pages), "mdb_env_stat");
  facts.page_bytes = pages.ms_psize;
  facts.map_bytes = info.me_mapsize;
  facts.used_bytes = (info.me_last_pgno + 1) * pages.ms_psize;
  if (database.has_locks()) note_readers(database, info.me_last_txnid, facts);
  return facts;
}

}  // namespace

DatabaseFacts inspect_database(const std::filesystem::path& directory, std::size_t map_bytes) {
  return facts_of(UntouchedDatabase(directory, map_bytes));
}

LedgerFacts inspect_ledger(const std::filesystem::path& directory, std::size_t map_bytes) {
  UntouchedDatabase database(directory, map_bytes);
  LedgerFacts facts;
  facts.database = facts_of(database);
  facts.format = from_big_endian(get(database, "format"));
  facts.identity.ledger_id = get(database, "ledger_id");
  facts.identity.epoch = static_cast<std::uint32_t>(from_big_endian(get(database, "epoch")));
  if (const auto head = database.find("meta", "head"); head && head->size() >= 16) {
    const std::string_view bytes = *head;
    facts.head.position = Position(from_big_endian(bytes.substr(0, 8)));
    facts.head.time = Timestamp(static_cast<std::int64_t>(from_big_endian(bytes.substr(8, 8))));
  }
  if (const auto keyring = database.find("meta", "keyring"); keyring && keyring->size() == sizeof(Digest))
    facts.keyring = digest_from_bytes(*keyring);
  if (const auto clock = database.find("meta", "clock_accepted"); clock && clock->size() > 8)
    facts.accepted =
        ClockReading{clock->substr(8), static_cast<std::int64_t>(from_big_endian(clock->substr(0, 8)))};
  return facts;
}

std::optional<Digest> leaf_hash_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                   Position position) {
  UntouchedDatabase database(ledger, map_bytes);
  const auto record = database.find("tree", big_endian(position.value()));
  if (!record || record->size() < sizeof(Digest)) return std::nullopt;
  return digest_from_bytes(std::string_view(*record).substr(0, sizeof(Digest)));
}

std::vector<StoredEvent> stream_events_in(const std::filesystem::path& ledger, std::size_t map_bytes,
                                          const std::string& name_begin) {
  UntouchedDatabase database(ledger, map_bytes);
  std::vector<StoredEvent> events;
  const auto stored_events = database.database("events");
  LmdbCursor cursor(database.transaction(), database.database("streams"));
  for (bool more = cursor.seek(name_begin); more && cursor.key().substr(0, name_begin.size()) == name_begin;
       more = cursor.move(MDB_NEXT)) {
    const auto stored = lmdb_get(database.transaction(), stored_events, cursor.value());
    if (!stored) throw LogCorrupt("a stream names a position that the log does not have");
    events.push_back(to_stored_event(Position(from_big_endian(cursor.value())), *stored, ""));
  }
  return events;
}

}  // namespace pixledger::eventstore
