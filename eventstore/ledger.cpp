#include "eventstore/ledger.h"

#include "eventstore/backup/restored_directory.h"
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

Ledger Ledger::open(const DataDirectory& directory, const LmdbOptions& options) {
  auto log = std::make_unique<LmdbLog>(directory.ledger(), options);
  Ledger ledger{directory, std::move(log), Keyring::open(directory.keys())};
  ledger.log->check_keyring(ledger.keyring);
  return ledger;
}

}  // namespace pixledger::eventstore
