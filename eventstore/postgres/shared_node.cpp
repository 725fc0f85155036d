#include "eventstore/postgres/shared_node.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/platform/clock_and_entropy.h"
#include "base/platform/data_directory.h"
#include "base/platform/durable_files.h"
#include "base/platform/sha256.h"
#include "eventstore/keys/keyring.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kPlaceFile = "node.id";
constexpr std::size_t kDigits = 16;

std::string read_or_draw(const std::filesystem::path& directory) {
  const auto file = directory / kPlaceFile;
  if (auto id = read_if_there(file)) return *id;
  const DirectoryLock lock(directory);
  if (auto id = read_if_there(file)) return *id;
  Digest drawn{};
  SystemEntropy().fill(std::as_writable_bytes(std::span(drawn)));
  const auto id = to_hex(drawn).substr(0, kDigits);
  write_durably(file, id);
  return id;
}

// A file's identity: its file system, since a snapshot has its files' numbers and times; its number, which
// file systems that were filled alike may share; and its creation time, if known (statx(2)). None changes
// while the file stays on the mounted file system, nor when directories above it are moved.
std::string file_of(const std::filesystem::path& file) {
  struct statx found {};
  if (::statx(AT_FDCWD, file.c_str(), 0, STATX_INO | STATX_BTIME, &found) != 0) fail_on(file, "stat");
  auto text = "." + std::to_string(found.stx_dev_major) + ":" + std::to_string(found.stx_dev_minor) + "." +
              std::to_string(found.stx_ino);
  if ((found.stx_mask & STATX_BTIME) != 0)
    text += "." + std::to_string(found.stx_btime.tv_sec) + "." + std::to_string(found.stx_btime.tv_nsec);
  return text;
}

}  // namespace

SharedNode node_in(const DataDirectory& directory, const NodeFile& node) {
  return {.uri = node.uri,
          .name = node.name.text,
          .directory = std::filesystem::weakly_canonical(std::filesystem::absolute(directory.root))};
}

std::string place_of(const SharedNode& node) {
  const auto id = read_or_draw(node.directory);
  return node.directory.string() + "#" + id + file_of(node.directory / kPlaceFile);
}

std::string mark_of_place(const std::string& place) { return place.substr(place.rfind('#') + 1); }

std::string directory_of_place(const std::string& place) { return place.substr(0, place.rfind('#')); }

void refuse_other_keys(const SharedNode& node, const std::string& ledger_id,
                       const std::optional<Digest>& keyring) {
  const auto keys = DataDirectory{node.directory}.keys();
  if (!keyring || !std::filesystem::exists(keys)) return;
  if (equal_in_constant_time(bytes_of(*keyring), bytes_of(Keyring::open(keys).code_of_ledger(ledger_id))))
    return;
  throw KeyringError("the keys in " + keys.string() + " are not those of the ledger " + ledger_id +
                     " in the database " + node.uri.database +
                     ": copy keys/ of a node of that ledger, or name the ledger of these keys");
}

}  // namespace pixledger::eventstore
