#pragma once

#include <filesystem>

#include "workers/email_transport.h"

namespace pixledger::workers {

// Writes e-mails to a directory as NAME.eml, mode 0600, whole and durable or not at all. One that is there
// already is written again with the same bytes.
class EmailOutbox final : public EmailTransport {
 public:
  // Makes the directory, for its owner alone, where there is none. Throws std::system_error.
  explicit EmailOutbox(std::filesystem::path directory);

  EmailAttempt deliver(const OutgoingEmail& email) override;

 private:
  const std::filesystem::path directory_;
};

}  // namespace pixledger::workers
