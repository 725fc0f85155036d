#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "workers/emails/email_transport.h"

namespace pixledger::workers {

// Removes an e-mail, and what a crash may have left of its making. Returns whether it was there.
bool remove_from_outbox(const std::filesystem::path& directory, const std::string& name);

// Removes e-mails whose files were last written before a moment, and returns how many. A missing directory
// counts as empty. Throws std::system_error.
std::uint64_t remove_old_from_outbox(const std::filesystem::path& directory,
                                     std::filesystem::file_time_type before);

// Writes e-mails to a directory as NAME.eml, mode 0600, whole and durable or not at all. One that is there
// already is written again with the same bytes.
class EmailOutbox final : public EmailTransport {
 public:
  // Makes the directory, for its owner alone, where there is none. Throws std::system_error.
  explicit EmailOutbox(std::filesystem::path directory);

  EmailAttempt deliver(const OutgoingEmail& email) override;
  void withdraw(const std::string& name) override { remove_from_outbox(directory_, name); }

 private:
  const std::filesystem::path directory_;
};

// For e-mails that are not to be sent where nobody may keep them either: machines share the ledger, and what
// lies in one's directory is not found by who erases a customer on another.
class NoOutbox final : public EmailTransport {
 public:
  EmailAttempt deliver(const OutgoingEmail&) override { return {EmailResult::kAccepted, ""}; }
};

}  // namespace pixledger::workers
