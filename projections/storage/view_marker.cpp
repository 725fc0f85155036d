#include "projections/storage/view_marker.h"

#include <cerrno>
#include <fcntl.h>
#include <fstream>
#include <sstream>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace pixledger::projections {
namespace {

constexpr const char* kFile = "MARKER";

[[noreturn]] void fail(const std::filesystem::path& file) {
  throw std::system_error(errno, std::generic_category(), "cannot write " + file.string());
}

class Descriptor {
 public:
  Descriptor(const std::filesystem::path& file, int flags)
      : descriptor_(::open(file.c_str(), flags | O_CLOEXEC, 0600)) {
    if (descriptor_ < 0) fail(file);
  }
  ~Descriptor() { ::close(descriptor_); }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return descriptor_; }

 private:
  int descriptor_;
};

std::string read_boot_id() {
  std::ifstream file("/proc/sys/kernel/random/boot_id");
  std::string boot_id;
  file >> boot_id;
  return boot_id;
}

}  // namespace

void write_file_durably(const std::filesystem::path& file, const std::string& content) {
  auto temporary = file;
  temporary += ".new";
  {
    const Descriptor out(temporary, O_WRONLY | O_CREAT | O_TRUNC);
    const ssize_t written = ::write(out.get(), content.data(), content.size());
    if (written >= 0 && written < static_cast<ssize_t>(content.size())) errno = ENOSPC;
    if (written != static_cast<ssize_t>(content.size())) fail(temporary);
    if (::fsync(out.get()) != 0) fail(temporary);
  }
  std::filesystem::rename(temporary, file);
  const Descriptor directory(file.parent_path(), O_RDONLY | O_DIRECTORY);
  if (::fsync(directory.get()) != 0) fail(file);
}

ViewMarker ViewMarker::of(const std::filesystem::path& directory, const eventstore::LogIdentity& identity,
                          bool clean) {
  struct stat info {};
  if (::stat((directory / "data.mdb").c_str(), &info) != 0) fail(directory / "data.mdb");
  return {clean, read_boot_id(), info.st_dev, info.st_ino, identity};
}

std::optional<ViewMarker> ViewMarker::read(const std::filesystem::path& directory) {
  std::ifstream file(directory / kFile);
  std::string state;
  ViewMarker marker;
  file >> state >> marker.boot_id >> marker.device >> marker.inode >> marker.identity.ledger_id >>
      marker.identity.epoch;
  if (!file || (state != "clean" && state != "dirty")) return std::nullopt;
  marker.clean = state == "clean";
  return marker;
}

void ViewMarker::write(const std::filesystem::path& directory) const {
  std::ostringstream text;
  text << (clean ? "clean" : "dirty") << ' ' << boot_id << ' ' << device << ' ' << inode << ' '
       << identity.ledger_id << ' ' << identity.epoch << '\n';
  write_file_durably(directory / kFile, text.str());
}

bool ViewMarker::trusted_by(const ViewMarker& now) const {
  if (identity != now.identity) return false;
  return clean || (boot_id == now.boot_id && device == now.device && inode == now.inode);
}

}  // namespace pixledger::projections
