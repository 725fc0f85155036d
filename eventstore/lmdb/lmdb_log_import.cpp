#include "eventstore/lmdb/lmdb_log_import.h"

#include <algorithm>

#include "base/platform/durable_files.h"
#include "eventstore/lmdb/lmdb_idempotency.h"
#include "eventstore/lmdb/lmdb_log_reads.h"
#include "eventstore/log/log.h"

namespace pixledger::eventstore {
namespace {

constexpr std::uint64_t kEventsPerCommit = 5000;

const std::filesystem::path& made(const std::filesystem::path& directory) {
  std::filesystem::create_directory(directory);
  std::filesystem::permissions(directory, std::filesystem::perms::owner_all);
  return directory;
}

}  // namespace

LmdbLogImport::LmdbLogImport(const std::filesystem::path& directory, LmdbOptions options, FormatOf format_of)
    : format_of_(std::move(format_of)),
      environment_(made(directory), without_sync(options)),
      databases_(create_ledger_databases(environment_)) {}

void LmdbLogImport::append(const AppendedEvent& event) {
  if (!write_) begin();
  try {
    appender_->append(event);
  } catch (const LmdbError& error) {
    if (error.code() != MDB_KEYEXIST) throw;
    throw ImportConflict("the event's version, or a name that it states, is there already");
  }
  last_ = appender_->last();
  if (format_of_ && format_ < kLedgerFormat)
    format_ = std::max(format_, format_of_(to_stored_event(last_, event.leaf, event.personal)));
  if (last_.value() % kEventsPerCommit == 0) commit();
}

void LmdbLogImport::add(const IdempotencyEntry& entry) {
  if (!write_) begin();
  put_idempotency_record(write_->get(), databases_, entry.time, entry.key, entry.record, MDB_NOOVERWRITE);
}

Digest LmdbLogImport::finish(const LogIdentity& identity, const LogEnd& end) {
  if (!write_) begin();
  const auto root = appender_->root();
  const auto put = [&](std::string_view name, std::string_view value) {
    lmdb_put(write_->get(), databases_.meta, name, value);
  };
  put("ledger_id", identity.ledger_id);
  put("epoch", big_endian(identity.epoch));
  put("head", encode_head({end.head.position, end.head.time, end.id_counter}));
  if (end.keyring) put("keyring", bytes_of(*end.keyring));
  if (!end.ended_epochs.empty()) put(kEndedEpochs, encode_ended_epochs(end.ended_epochs));
  put("format", big_endian(std::uint64_t{format_}));
  seal_meta(write_->get(), databases_);
  commit();
  environment_.sync();
  sync_directory(environment_.directory());
  return root;
}

void LmdbLogImport::begin() {
  write_ = std::make_unique<LmdbWrite>(environment_);
  appender_.emplace(write_->get(), databases_, last_);
}

void LmdbLogImport::commit() {
  appender_.reset();
  write_->commit();
  write_.reset();
}

}  // namespace pixledger::eventstore
