#pragma once

#include <functional>
#include <memory>
#include <string>

#include "workers/emails/email_composer.h"

namespace pixledger::workers {

enum class EmailResult {
  kAccepted,  // the next station has it, durably
  kRefused,   // it will never take this e-mail
  kCapped,    // its project or recipient has had its share of the day
  kFailed,    // try again later
};

struct EmailAttempt {
  EmailResult result;
  // One short line about what went wrong: never what the other side wrote, which may name the recipient.
  std::string error;
};

// Where e-mails go. Used by one thread.
class EmailTransport {
 public:
  virtual ~EmailTransport() = default;
  // Whatever goes wrong on the way is a result, not an exception.
  virtual EmailAttempt deliver(const OutgoingEmail& email) = 0;
  // The recipient of the e-mail of this name was erased, perhaps while it was being delivered: what can still
  // be undone is.
  virtual void withdraw(const std::string&) {}
  // Nothing is to be delivered for the moment.
  virtual void rest() {}
};

using EmailTransportFactory = std::function<std::unique_ptr<EmailTransport>()>;

}  // namespace pixledger::workers
