#include "eventstore/ledger.h"

#include "eventstore/backup/restored_directory.h"
#include "eventstore/lmdb/lmdb_log.h"
#include "eventstore/lmdb/lmdb_log_import.h"
#include "eventstore/platform/durable_files.h"

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

// The root of a data directory while somebody makes what is in it: one process at a time.
class Making {
 public:
  explicit Making(const fs::path& root) : root_(made(root)), lock_(root) {}

  // Makes a directory that appears under its name only when it is whole, and durably. One that a killed
  // process left unfinished is made anew.
  template <class Make>
  void make(const fs::path& directory, Make make) const {
    auto unfinished = directory;
    unfinished += ".new";
    fs::remove_all(unfinished);
    make(unfinished);
    sync_directory(unfinished);
    fs::rename(unfinished, directory);
    sync_directory(root_);
  }

 private:
  static const fs::path& made(const fs::path& root) {
    create_durably(fs::absolute(root));
    return root;
  }

  fs::path root_;
  DirectoryLock lock_;
};

// Read models and workers' state stand beside a ledger only. Where it is missing it is lost or not mounted,
// and a new one would be taken for it.
void refuse_lost_ledger(const DataDirectory& directory) {
  for (const auto& beside : {directory.views(), directory.root / "workers"}) {
    if (fs::exists(beside))
      throw std::runtime_error(
          "there is no ledger in " + directory.root.string() + ", but " + beside.filename().string() +
          "/ of one: mount it, or restore a backup; a new ledger wants another directory");
  }
}

LmdbOptions reading(const DataDirectory& directory, LmdbOptions options) {
  options.read_only = !Ledger::may_be_written(directory);
  return options;
}

}  // namespace

bool Ledger::create(const DataDirectory& directory, Entropy& entropy, const Clock& clock,
                    const LmdbOptions& options) {
  if (directory.exists()) return false;
  const Making making(directory.root);
  if (directory.exists()) return false;
  refuse_unfinished_restore(directory.root);
  refuse_lost_ledger(directory);
  // A creation that was interrupted may have left the keys behind; nothing is sealed with them yet.
  if (!fs::exists(directory.keys()))
    making.make(directory.keys(), [&](const fs::path& keys) { Keyring::create(keys, entropy, clock.now()); });
  const auto keyring = Keyring::open(directory.keys());
  making.make(directory.ledger(),
              [&](const fs::path& ledger) { LmdbLog::create(ledger, entropy, options, &keyring); });
  return true;
}

std::unique_ptr<LogImport> Ledger::import_log(const DataDirectory& directory, const LmdbOptions& options) {
  return std::make_unique<LmdbLogImport>(directory.ledger(), options);
}

Ledger Ledger::open(const DataDirectory& directory, const LmdbOptions& options) {
  auto log = open_log(directory, options);
  Ledger ledger{directory, std::move(log), Keyring::open(directory.keys())};
  check_keyring(directory, *ledger.log, ledger.keyring);
  return ledger;
}

std::unique_ptr<LedgerLog> Ledger::open_log(const DataDirectory& directory, const LmdbOptions& options) {
  return std::make_unique<LmdbLog>(directory.ledger(), options);
}

Ledger Ledger::open_to_read(const DataDirectory& directory, const LmdbOptions& options) {
  return open(directory, reading(directory, options));
}

std::unique_ptr<LedgerLog> Ledger::open_log_to_read(const DataDirectory& directory,
                                                    const LmdbOptions& options) {
  return open_log(directory, reading(directory, options));
}

bool Ledger::may_be_written(const DataDirectory& directory) {
  return LmdbLog::may_be_written(directory.ledger());
}

const LmdbEnvironment* Ledger::environment() const {
  const auto* in_lmdb = dynamic_cast<const LmdbLog*>(log.get());
  return in_lmdb ? &in_lmdb->environment() : nullptr;
}

void check_keyring(const DataDirectory& directory, const LedgerLog& log, const Keyring& keyring) {
  const auto bound_to = log.snapshot()->end().keyring;
  const auto code = keyring.code_of_ledger(log.identity().ledger_id);
  if (bound_to && !equal_in_constant_time(bytes_of(*bound_to), bytes_of(code)))
    throw KeyringError("the keys do not belong to the ledger in " + directory.ledger().string() +
                       ": bring back those that were made with it");
}

}  // namespace pixledger::eventstore
