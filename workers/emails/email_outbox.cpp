#include "workers/emails/email_outbox.h"

#include <cerrno>
#include <sys/stat.h>
#include <system_error>
#include <utility>

#include "eventstore/platform/durable_files.h"

namespace pixledger::workers {

bool remove_from_outbox(const std::filesystem::path& directory, const std::string& name) {
  std::filesystem::remove(directory / (name + ".eml.new"));
  return std::filesystem::remove(directory / (name + ".eml"));
}

EmailOutbox::EmailOutbox(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (::mkdir(directory_.c_str(), 0700) != 0 && errno != EEXIST)
    throw std::system_error(errno, std::generic_category(), "cannot make " + directory_.string());
}

EmailAttempt EmailOutbox::deliver(const OutgoingEmail& email) {
  try {
    eventstore::write_durably(directory_ / (email.name + ".eml"), email.bytes);
  } catch (const std::system_error& error) {
    return {EmailResult::kFailed, error.what()};
  }
  return {EmailResult::kAccepted, ""};
}

}  // namespace pixledger::workers
