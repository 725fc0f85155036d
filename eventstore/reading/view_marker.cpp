#include "eventstore/reading/view_marker.h"

#include <sstream>
#include <sys/stat.h>

#include "base/platform/durable_files.h"

namespace pixledger::eventstore {
namespace {

constexpr const char* kMarkerFile = "MARKER";

std::string boot_id_now() {
  const std::filesystem::path file = "/proc/sys/kernel/random/boot_id";
  auto text = read_if_there(file);
  return text ? text->substr(0, text->find('\n')) : "";
}

}  // namespace

ViewMarker ViewMarker::of(const std::filesystem::path& directory, const eventstore::LogIdentity& identity,
                          bool clean) {
  struct stat info {};
  if (::stat((directory / "data.mdb").c_str(), &info) != 0) fail_on(directory / "data.mdb", "look at");
  return {clean, boot_id_now(), info.st_dev, info.st_ino, identity};
}

std::optional<ViewMarker> ViewMarker::read(const std::filesystem::path& directory) {
  const auto text = read_if_there(directory / kMarkerFile);
  if (!text) return std::nullopt;
  std::istringstream file(*text);
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
  write_durably(directory / kMarkerFile, text.str());
}

bool ViewMarker::trusted_by(const ViewMarker& now) const {
  if (identity != now.identity) return false;
  return clean || (boot_id == now.boot_id && device == now.device && inode == now.inode);
}

}  // namespace pixledger::eventstore
