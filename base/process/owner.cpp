#include "base/process/owner.h"

#include <cerrno>
#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

namespace pixledger {
namespace {

[[noreturn]] void fail() {
  throw std::system_error(errno, std::generic_category(), "cannot become the owner of the data directory");
}

}  // namespace

void become_owner_of(const std::filesystem::path& directory) {
  if (::geteuid() != 0) return;
  struct stat status {};
  if (::stat(directory.c_str(), &status) != 0 || status.st_uid == 0) return;

  // The owner's other groups may be what lets it read a certificate.
  const passwd* owner = ::getpwuid(status.st_uid);
  const gid_t group = owner != nullptr ? owner->pw_gid : status.st_gid;
  const int groups = owner != nullptr ? ::initgroups(owner->pw_name, group) : ::setgroups(1, &group);
  if (groups != 0 || ::setgid(group) != 0 || ::setuid(status.st_uid) != 0) fail();
}

}  // namespace pixledger
