#include "tools/operations/restore.h"

#include "base/platform/durable_files.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/key_copy.h"
#include "eventstore/backup/restored_directory.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/postgres/share_mark.h"
#include "stores/databases/account_store.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/status/worker_databases.h"
#include "tools/operations/backup_directory.h"
#include "tools/operations/lies_within.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;
using eventstore::BackupPiece;
using eventstore::BackupRefused;

using RestoreLocks = std::vector<std::unique_ptr<DirectoryLock>>;

// A run that adds to a backup removes what it replaces.
RestoreLocks share(const std::vector<fs::path>& pieces) {
  RestoreLocks locks;
  for (const auto& piece : pieces) {
    if (!fs::is_directory(piece)) continue;
    locks.push_back(DirectoryLock::try_share(piece));
    if (!locks.back()) throw BackupRefused("a backup into " + piece.string() + " is under way");
  }
  return locks;
}

class RestoreRun {
 public:
  RestoreRun(const DataDirectory& data, const RestoreRequest& request, Entropy& entropy)
      : data_(data),
        request_(request),
        entropy_(entropy),
        locks_(share(request.pieces)),
        pieces_(eventstore::read_pieces(request.pieces)) {}

  Restore run() {
    check_target();
    check_end();
    const auto keys = find_keys();
    if (keys) check_keys(*keys);
    const auto directory = eventstore::begin_restore(data_);
    const auto& made = directory->unfinished();
    restored_.made_at = newest().manifest.made_at;
    restored_.log =
        restore_log(pieces_, *eventstore::Ledger::import_log(made, request_.lmdb), entropy_, request_.log);
    restore_workers(made);
    restore_accounts(made);
    if (keys) eventstore::copy_keys(*keys, made.keys());
    restored_.has_keys = keys.has_value();
    verify(made);
    if (request_.to_share) eventstore::write_share_mark(made, *request_.to_share);
    directory->commit();
    return std::move(restored_);
  }

 private:
  const BackupPiece& newest() const { return pieces_.back(); }
  std::string state_path(const std::string& name) const {
    return newest().manifest.state_directory() + '/' + name;
  }

  // It would be taken for a part of the backup, or removed by the next run that adds to it.
  void check_target() const {
    for (const auto& piece : pieces_) {
      if (lies_within(data_.root, piece.directory))
        throw BackupRefused(data_.root.string() + " lies in the backup " + piece.directory.string() +
                            ": restore into a directory elsewhere");
    }
  }

  void check_end() const {
    const auto last = newest().manifest.last;
    if (request_.log.until.value_or(last) <= last) return;
    throw BackupRefused("the backup ends with position " + std::to_string(last.value()) +
                        ", before the one to restore until");
  }

  std::optional<fs::path> find_keys() const {
    if (request_.keys) return request_.keys;
    const auto in_backup = newest().directory / state_path(eventstore::kKeysInBackup);
    return fs::exists(in_backup) ? std::optional(in_backup) : std::nullopt;
  }

  void check_keys(const fs::path& keys) const {
    const auto& manifest = newest().manifest;
    check_state_files(newest().directory, manifest);
    const auto code = eventstore::Keyring::open(keys).code_of_ledger(manifest.ledger.ledger_id);
    if (manifest.keyring && !equal_in_constant_time(bytes_of(*manifest.keyring), bytes_of(code)))
      throw eventstore::KeyringError("the keys in " + keys.string() + " do not belong to the ledger in " +
                                     newest().directory.string());
  }

  void restore_workers(const DataDirectory& made) {
    for (const auto& database : stores::kWorkerDatabases) {
      const auto* found = newest().manifest.find(state_path(std::string(database.worker) + ".sqlite"));
      if (!found) continue;
      fs::create_directories(made.worker(database.worker));
      const auto file = database.in(made.workers());
      if (eventstore::copy_file(newest().directory / found->file, file) != found->facts)
        throw eventstore::damaged(newest().directory / found->file, "it was changed meanwhile");
      stores::cut_database(database, file, restored_.log.last, restored_.log.leaf_hash);
      if (database.worker == stores::kWebhookDatabase.worker) erase_answers(file);
      if (const auto cursor = stores::cursor_of_database(file))
        restored_.workers.push_back({std::string(database.worker), cursor->position});
    }
  }

  // Nobody is signed in any more.
  void restore_accounts(const DataDirectory& made) {
    const auto* found = newest().manifest.find(state_path(kAccountsInBackup));
    if (!found) return;
    fs::create_directory(made.accounts());
    fs::permissions(made.accounts(), fs::perms::owner_all);
    const auto file = made.accounts() / stores::kAccountsFile;
    if (eventstore::copy_file(newest().directory / found->file, file) != found->facts)
      throw eventstore::damaged(newest().directory / found->file, "it was changed meanwhile");
    fs::permissions(file, fs::perms::owner_read | fs::perms::owner_write);
    stores::end_all_sign_ins(made, newest().manifest.made_at);
    restored_.has_accounts = true;
  }

  // The database was copied before the ledger's end was fixed, so an erasure may have come in between.
  void erase_answers(const fs::path& file) const {
    if (restored_.log.erased_charges.empty()) return;
    stores::DeliveryRepository(file).erase_answers(restored_.log.erased_charges);
  }

  void verify(const DataDirectory& made) {
    const auto log = eventstore::Ledger::open_log(made, request_.lmdb);
    VerifyOptions options;
    options.progress = request_.verify_progress;
    restored_.verification = verify_log(*log, options);
    if (const auto& finding = restored_.verification.finding)
      throw BackupRefused("the ledger in the backup is not consistent, and so it was before: at position " +
                          std::to_string(finding->position.value()) + ": " + finding->problem);
  }

  const DataDirectory& data_;
  const RestoreRequest& request_;
  Entropy& entropy_;
  const RestoreLocks locks_;
  const std::vector<BackupPiece> pieces_;
  Restore restored_;
};

}  // namespace

Restore restore(const DataDirectory& data, const RestoreRequest& request, Entropy& entropy) {
  return RestoreRun(data, request, entropy).run();
}

}  // namespace pixledger::tools
