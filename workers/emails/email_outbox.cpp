#include "workers/emails/email_outbox.h"

#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "base/platform/durable_files.h"
#include "base/platform/system_refusal.h"

namespace pixledger::workers {

bool remove_from_outbox(const std::filesystem::path& directory, const std::string& name) {
  std::filesystem::remove(directory / (name + ".eml.new"));
  return std::filesystem::remove(directory / (name + ".eml"));
}

std::uint64_t remove_old_from_outbox(const std::filesystem::path& directory,
                                     std::filesystem::file_time_type before) {
  if (!std::filesystem::is_directory(directory)) return 0;
  std::uint64_t removed = 0;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) {
    const auto name = entry.path().filename().string();
    if (!name.ends_with(".eml") && !name.ends_with(".eml.new")) continue;
    // Another process, such as an erasure, may have removed it.
    std::error_code gone;
    const auto written = std::filesystem::last_write_time(entry.path(), gone);
    if (gone || written >= before) continue;
    if (std::filesystem::remove(entry.path())) ++removed;
  }
  return removed;
}

EmailOutbox::EmailOutbox(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::system_error(errno, std::generic_category(), "cannot make " + directory_.string());
}

EmailAttempt EmailOutbox::deliver(const OutgoingEmail& email) {
  try {
    write_durably(directory_ / (email.name + ".eml"), email.bytes);
  } catch (const std::system_error& error) {
    // The e-mail waits until there is room: no attempt was made.
    if (describe_refusal(error.code().default_error_condition().value())) throw;
    return {EmailResult::kFailed, error.what()};
  }
  return {EmailResult::kAccepted, ""};
}

}  // namespace pixledger::workers
