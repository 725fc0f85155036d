#include "workers/email_outbox.h"

#include <system_error>
#include <utility>

#include "projections/view_marker.h"

namespace pixledger::workers {

EmailOutbox::EmailOutbox(std::filesystem::path directory) : directory_(std::move(directory)) {
  if (std::filesystem::create_directory(directory_))
    std::filesystem::permissions(directory_, std::filesystem::perms::owner_all);
}

EmailAttempt EmailOutbox::deliver(const OutgoingEmail& email) {
  try {
    projections::write_file_durably(directory_ / (email.name + ".eml"), email.bytes);
  } catch (const std::system_error& error) {
    return {EmailResult::kFailed, error.what()};
  }
  return {EmailResult::kAccepted, ""};
}

}  // namespace pixledger::workers
