#pragma once

#include <optional>
#include <string>

#include "base/values/internet_address.h"
#include "eventstore/log/log.h"
#include "eventstore/reading/state_history.h"
#include "stores/emails/email_repository.h"

namespace pixledger::workers {

// An e-mail as it is handed to the mail server.
struct OutgoingEmail {
  std::string name;  // stable per event; safe as a file name
  std::string to;    // an address
  std::string bytes;
  std::optional<domain::ProjectId> sandbox_of = {};  // the project, of an e-mail of the sandbox
  unsigned attempts_before = 0;
};

// The confirmation that an event asks for; nullopt for events that ask for none.
std::optional<stores::NewEmail> email_of(const domain::RecordedEvent& event, const eventstore::Log& log);

// From an e-mail's record to its bytes: reads the streams as of the event. Thread-safe.
class EmailComposer {
 public:
  EmailComposer(const eventstore::Log& log, EmailAddress from)
      : log_(log), from_(std::move(from)), history_(log) {}

  // nullopt when the customer's personal data has been erased. Throws LogCorrupt when a stream is not there.
  std::optional<OutgoingEmail> compose(const stores::Email& email) const;

  const EmailAddress& from() const { return from_; }

 private:
  const eventstore::Log& log_;
  const EmailAddress from_;
  mutable eventstore::StateHistory history_;  // of customers and projects, whom many e-mails are about
};

}  // namespace pixledger::workers
