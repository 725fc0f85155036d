#include "eventstore/postgres/node_place.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/platform/durable_files.h"
#include "base/platform/entropy.h"
#include "base/platform/sha256.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kFile = "node.id";
constexpr std::size_t kDigits = 16;

std::string read_or_draw(const std::filesystem::path& directory) {
  const auto file = directory / kFile;
  if (auto id = read_if_there(file)) return *id;
  const DirectoryLock lock(directory);
  if (auto id = read_if_there(file)) return *id;
  Digest drawn{};
  SystemEntropy().fill(std::as_writable_bytes(std::span(drawn)));
  const auto id = to_hex(drawn).substr(0, kDigits);
  write_durably(file, id);
  return id;
}

// Its file system, since a snapshot has its files' numbers and times; its number, which file systems that
// were filled alike may give alike; and when it was made, where they know (statx(2)). None changes while it
// lies there mounted, nor when directories above it are moved.
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

std::string place_of(const SharedNode& node) {
  const auto id = read_or_draw(node.directory);
  return node.directory.string() + "#" + id + file_of(node.directory / kFile);
}

std::string mark_of_place(const std::string& place) { return place.substr(place.rfind('#') + 1); }

std::string directory_of_place(const std::string& place) { return place.substr(0, place.rfind('#')); }

}  // namespace pixledger::eventstore
