#include "tools/operations/backup_directory.h"

#include <Poco/Exception.h>
#include <algorithm>
#include <set>

#include "base/platform/durable_files.h"
#include "eventstore/backup/backup_error.h"
#include "eventstore/backup/restored_directory.h"
#include "eventstore/keys/keyring.h"
#include "eventstore/postgres/share_mark.h"
#include "stores/databases/account_database.h"
#include "stores/deliveries/delivery_repository.h"
#include "stores/sql/refusal.h"
#include "tools/cli/files.h"

namespace pixledger::tools {
namespace {

namespace fs = std::filesystem;
using eventstore::BackupManifest;
using eventstore::BackupRefused;

constexpr std::string_view kStatePrefix = "state-";

// True for names that a backup creates, finished or not.
bool is_of_a_backup(const std::string& name) {
  return name == eventstore::kEventsInBackup || name.rfind(kStatePrefix, 0) == 0 ||
         name.rfind(eventstore::kManifestFile, 0) == 0 || name == "lost+found";
}

void refuse_other_content(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator(directory)) {
    const auto name = entry.path().filename().string();
    if (!is_of_a_backup(name))
      throw BackupRefused(directory.string() + " holds something that is no backup (" + name +
                          "): choose an empty directory, or a new one");
  }
}

// Creates a directory and its parents; removes those that stay empty, as when nothing could be backed up.
class MadeDirectory {
 public:
  explicit MadeDirectory(const fs::path& directory) {
    for (auto missing = directory; missing.has_relative_path() && !fs::exists(missing);
         missing = missing.parent_path())
      made_.push_back(missing);
    create_durably(directory);
  }
  ~MadeDirectory() {
    std::error_code is_used;
    for (const auto& directory : made_) {
      if (!is_used) fs::remove(directory, is_used);
    }
  }
  MadeDirectory(const MadeDirectory&) = delete;
  MadeDirectory& operator=(const MadeDirectory&) = delete;

 private:
  std::vector<fs::path> made_;  // innermost first
};

// Deletes the state of a failed run, which frees space for the next one.
class UnfinishedState {
 public:
  explicit UnfinishedState(fs::path directory) : directory_(std::move(directory)) {}
  ~UnfinishedState() {
    std::error_code ignored;
    if (is_kept_) return;
    fs::remove_all(directory_, ignored);
    // If it contains no earlier run's data.
    fs::remove(directory_.parent_path() / eventstore::kEventsInBackup, ignored);
  }
  UnfinishedState(const UnfinishedState&) = delete;
  UnfinishedState& operator=(const UnfinishedState&) = delete;

  void keep() { is_kept_ = true; }

 private:
  const fs::path directory_;
  bool is_kept_ = false;
};

std::string text_of(Position position) { return std::to_string(position.value()); }

// Begins errors of the system and of databases with `failure`.
template <class Work>
void begin_errors(const std::string& failure, const Work& work) {
  try {
    work();
  } catch (const std::exception& error) {
    if (!stores::refusal_of(error) && !dynamic_cast<const Poco::Exception*>(&error)) throw;
    throw std::runtime_error(failure + ": " + stores::text_of(error));
  }
}

class BackupRun {
 public:
  BackupRun(const DataDirectory& data, const eventstore::LedgerLog& log, const BackupRequest& request)
      : data_(data), log_(log), request_(request), directory_(fs::absolute(request.directory)) {}

  Backup run() {
    if (lies_within(directory_, data_.root))
      throw BackupRefused(directory_.string() + " lies in the data directory " + data_.root.string() +
                          ", and would be lost with it: choose a directory elsewhere");
    const MadeDirectory made(directory_);
    const auto lock = DirectoryLock::try_take(directory_);
    if (!lock)
      throw BackupRefused("another backup into " + directory_.string() +
                          ", or a restore from it, is under way");
    begin();
    UnfinishedState unfinished(state());
    make_directories();
    // Before the log's end is fixed: the ledger is never behind a worker's cursor.
    begin_errors("a worker's state cannot be copied", [this] { copy_workers(); });
    begin_errors("the accounts cannot be copied", [this] { copy_accounts(); });
    log_.catch_up();
    backup_.copied = back_up_log(log_, directory_, manifest(), request_.copying);
    if (backup_.has_keys) copy_keys();
    // Syncs the file names; the files are durable already.
    sync_directory(state());
    sync_directory(directory_);
    check_state_files(directory_, manifest());
    write_durably(directory_ / eventstore::kManifestFile, manifest_text(manifest()));
    unfinished.keep();
    remove_what_is_not_in_it();
    return std::move(backup_);
  }

 private:
  BackupManifest& manifest() { return backup_.manifest; }
  fs::path state() { return directory_ / manifest().state_directory(); }

  void begin() {
    auto found = eventstore::find_manifest(directory_);
    if (found) {
      continue_from(*std::move(found));
    } else {
      refuse_other_content(directory_);
      start();
    }
    backup_.has_keys = request_.with_keys;
    before_ = manifest();
    ++manifest().run;
    manifest().made_at = request_.now;
    manifest().files.clear();
  }

  void start() {
    const auto first = request_.first.value_or(Position(1));
    const auto next = log_.head().position.next();
    if (first > next)
      throw BackupRefused("the ledger's next position is " + text_of(next) + ", nothing begins at " +
                          text_of(first));
    manifest() = eventstore::manifest_of_nothing(log_, first);
  }

  void continue_from(BackupManifest found) {
    if (request_.first && *request_.first != found.last.next())
      throw BackupRefused("there is a backup up to position " + text_of(found.last) + " in " +
                          directory_.string() +
                          ": it is continued from there, and a piece that begins elsewhere needs a "
                          "directory of its own");
    eventstore::check_continues(found, log_);
    if (has_keys(found) && !request_.with_keys)
      throw BackupRefused("the backup in " + directory_.string() +
                          " holds the ledger's keys, and a run without --with-keys would take them out. "
                          "Nothing was changed: say --with-keys to have them in it as they are now, or begin "
                          "a backup without keys in another directory");
    for (const auto& segment : found.segments) check_is_there(segment);
    backup_.continued_from = found.last;
    manifest() = std::move(found);
  }

  // The restore checks its bytes.
  void check_is_there(const eventstore::Segment& segment) const {
    std::error_code missing;
    if (fs::file_size(directory_ / segment.file, missing) != segment.facts.bytes || missing)
      throw eventstore::damaged(directory_ / segment.file, "it is missing or has another size");
  }

  static bool has_keys(const BackupManifest& found) {
    const auto prefix = found.state_directory() + '/' + eventstore::kKeysInBackup + '/';
    return std::any_of(found.files.begin(), found.files.end(),
                       [&](const auto& file) { return file.file.rfind(prefix, 0) == 0; });
  }

  void make_directories() {
    fs::remove_all(state());
    fs::create_directory(state());
    fs::create_directories(directory_ / eventstore::kEventsInBackup);
  }

  void copy_workers() {
    if (request_.keeps_state) {
      for (const auto& database : stores::kWorkerDatabases) {
        if (const auto name = keep(std::string(database.worker) + ".sqlite")) note_worker(database, *name);
      }
      return;
    }
    const auto databases = stores::WorkerDatabases::of(data_);
    for (const auto& database : stores::kWorkerDatabases) {
      const auto name = manifest().state_directory() + '/' + std::string(database.worker) + ".sqlite";
      if (stores::export_worker(databases, database, directory_ / name)) note_worker(database, name);
    }
  }

  void note_worker(const stores::WorkerDatabase& database, const std::string& name) {
    const auto cursor = stores::cursor_of_database(directory_ / name);
    backup_.workers.push_back(
        {std::string(database.worker), cursor ? std::optional(cursor->position) : std::nullopt});
    manifest().files.push_back({name, eventstore::facts_of_file(directory_ / name)});
  }

  // Keeps the previous run's file and returns its new name; nullopt if it had none.
  std::optional<std::string> keep(const std::string& file) {
    const auto* const kept = before_.find(before_.state_directory() + '/' + file);
    if (!kept) return std::nullopt;
    const auto name = manifest().state_directory() + '/' + file;
    if (eventstore::copy_file(directory_ / kept->file, directory_ / name) != kept->facts)
      throw eventstore::damaged(directory_ / kept->file, "it is not as it was written");
    return name;
  }

  void copy_accounts() {
    if (request_.keeps_state) {
      if (const auto name = keep(stores::kAccountsInBackup)) note_accounts(*name);
      return;
    }
    const auto name = manifest().state_directory() + '/' + stores::kAccountsInBackup;
    if (stores::export_accounts(data_, directory_ / name)) note_accounts(name);
  }

  void note_accounts(const std::string& name) {
    backup_.has_accounts = true;
    manifest().files.push_back({name, eventstore::facts_of_file(directory_ / name)});
  }

  void copy_keys() {
    eventstore::check_keyring(data_, log_, eventstore::Keyring::open(data_.keys()));
    const auto prefix = manifest().state_directory() + '/' + eventstore::kKeysInBackup;
    for (const auto& name : eventstore::copy_keys(data_.keys(), directory_ / prefix)) {
      const auto file = prefix + '/' + name;
      manifest().files.push_back({file, eventstore::facts_of_file(directory_ / file)});
    }
  }

  // Files of the previous run, and of killed runs.
  void remove_what_is_not_in_it() {
    std::set<fs::path> wanted{state()};
    for (const auto& segment : manifest().segments) wanted.insert(directory_ / segment.file);
    for (const auto& parent : {directory_, directory_ / eventstore::kEventsInBackup}) {
      for (const auto& entry : fs::directory_iterator(parent)) {
        const auto name = entry.path().filename().string();
        const bool is_ours = parent != directory_ || name.rfind(kStatePrefix, 0) == 0;
        if (is_ours && wanted.count(entry.path()) == 0) fs::remove_all(entry.path());
      }
    }
  }

  const DataDirectory& data_;
  const eventstore::LedgerLog& log_;
  const BackupRequest& request_;
  const fs::path directory_;
  BackupManifest before_;  // of the previous backup
  Backup backup_;
};

}  // namespace

Backup back_up(const DataDirectory& data, const eventstore::LedgerLog& log, const BackupRequest& request) {
  return BackupRun(data, log, request).run();
}

namespace {

using eventstore::BackupPiece;

using RestoreLocks = std::vector<std::unique_ptr<DirectoryLock>>;

// A run that adds to a backup deletes what it replaces.
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
        pieces_(pieces_of(request)) {}

  Restore run() {
    check_target();
    check_end();
    const auto keys = find_keys();
    if (keys) check_keys(*keys);
    const auto directory = eventstore::begin_restore(data_);
    const auto& made = directory->unfinished();
    // A target's state is copied to there first.
    if (request_.target) pieces_.back().directory = made.root / "from-target";
    restored_.log =
        restore_log(pieces_, *eventstore::Ledger::import_log(made, request_.lmdb), entropy_, request_.log);
    restored_.made_at = newest().manifest.made_at;
    begin_errors("a worker's state cannot be restored", [&] { restore_workers(made); });
    begin_errors("the accounts cannot be restored", [&] { restore_accounts(made); });
    if (keys) eventstore::copy_keys(*keys, made.keys());
    restored_.has_keys = keys.has_value();
    verify(made);
    if (request_.to_share) eventstore::write_share_mark(made, *request_.to_share);
    if (request_.target) fs::remove_all(newest().directory);
    directory->commit();
    return std::move(restored_);
  }

 private:
  static std::vector<BackupPiece> pieces_of(const RestoreRequest& request) {
    if (!request.target) return eventstore::read_pieces(request.pieces);
    auto backup =
        std::make_shared<eventstore::TargetBackup>(request.target, request.epoch, request.identities);
    auto manifest = backup->manifest();
    return {{request.target->uri(), std::move(manifest), std::move(backup)}};
  }

  const BackupPiece& newest() const { return pieces_.back(); }
  std::string state_path(const std::string& name) const {
    return newest().manifest.state_directory() + '/' + name;
  }

  // It would be taken for a part of the backup, or deleted by the next run that adds to it.
  void check_target() const {
    for (const auto& piece : pieces_) {
      const bool is_bucket = piece.target && !piece.directory.is_absolute();
      if (!is_bucket && lies_within(data_.root, piece.directory))
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

  // Ends all sign-ins.
  void restore_accounts(const DataDirectory& made) {
    const auto* found = newest().manifest.find(state_path(stores::kAccountsInBackup));
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

  // The database was copied before the ledger's end was fixed, so an erasure may have occurred in between.
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
  std::vector<BackupPiece> pieces_;
  Restore restored_;
};

}  // namespace

Restore restore(const DataDirectory& data, const RestoreRequest& request, Entropy& entropy) {
  return RestoreRun(data, request, entropy).run();
}

}  // namespace pixledger::tools
