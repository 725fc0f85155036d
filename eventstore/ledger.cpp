#include "eventstore/ledger.h"

#include <cerrno>
#include <fcntl.h>
#include <string>
#include <sys/file.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::eventstore {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail_on(const fs::path& path, const char* what) {
  throw std::system_error(errno, std::generic_category(),
                          std::string("cannot ") + what + ' ' + path.string());
}

void sync_directory(const fs::path& directory) {
  const int descriptor = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) fail_on(directory, "open");
  const int synced = ::fsync(descriptor);
  ::close(descriptor);
  if (synced != 0) fail_on(directory, "sync");
}

// With those above it that are missing. Absolute.
void create_durably(const fs::path& directory) {
  if (fs::is_directory(directory) || !directory.has_relative_path()) return;
  create_durably(directory.parent_path());
  fs::create_directory(directory);
  sync_directory(directory.parent_path());
}

// The root of a data directory while somebody makes what is in it: one process at a time.
class Making {
 public:
  explicit Making(const fs::path& root) : root_(root) {
    create_durably(fs::absolute(root));
    descriptor_ = ::open(root.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (descriptor_ < 0) fail("open");
    while (::flock(descriptor_, LOCK_EX) != 0) {
      if (errno == EINTR) continue;
      ::close(descriptor_);
      fail("lock");
    }
  }
  ~Making() { ::close(descriptor_); }
  Making(const Making&) = delete;
  Making& operator=(const Making&) = delete;

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
    if (::fsync(descriptor_) != 0) fail("sync");
  }

 private:
  [[noreturn]] void fail(const char* what) const { fail_on(root_, what); }

  fs::path root_;
  int descriptor_;
};

}  // namespace

bool Ledger::create(const DataDirectory& directory, Entropy& entropy, const Clock& clock,
                    const LmdbOptions& options) {
  if (directory.exists()) return false;
  const Making making(directory.root);
  if (directory.exists()) return false;
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
